// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/device_timeline.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client_gui/views/theme.h"
#include "tests/client_gui/events.h"

namespace weft::gui {
namespace {

constexpr double kStart = 1.79e9;

class DeviceTimelineTest : public ::testing::Test {
 protected:
  DeviceTimelineTest() {
    timeline_.resize(400, timeline_.sizeHint().height());
    timeline_.set_span(100);
  }
  void add(const DeviceSampleRow& sample) {
    DeviceRow device = make_device("cpu", sample.time);
    device.sample = sample;
    records_.apply(1, {{device}, {}});
    timeline_.advance(sample.time);
  }

  DeviceRecords records_;
  DeviceTimeline timeline_{records_, 1, QStringLiteral("cpu")};
};

TEST_F(DeviceTimelineTest, PartsAreStackedAsHighAsTheyAre) {
  DeviceSampleRow sample = make_sample(kStart, 0.25);
  sample.realtime = 0.25;
  sample.spare = 0.25;
  sample.interval = 100;
  add(sample);
  const QImage& picture = timeline_.columns();
  const auto colour_at = [&](double height) {
    return picture.pixelColor(picture.width() / 2, int((1 - height) * picture.height()));
  };
  EXPECT_EQ(colour_at(0.12), colour_of(TimePart::kRealtime));
  EXPECT_EQ(colour_at(0.37), colour_of(TimePart::kNormal));
  EXPECT_EQ(colour_at(0.62), colour_of(TimePart::kSpare));
  EXPECT_EQ(colour_at(0.87), colour_of(TimePart::kIdle));
}

TEST_F(DeviceTimelineTest, ScrollingGivesThePictureThatPaintingAnewGives) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> part(0, 0.25), interval(0.5, 1.5);
  double time = kStart;
  for (int i = 0; i < 400; i++) {
    DeviceSampleRow sample = make_sample(time += interval(random), part(random));
    sample.realtime = part(random);
    sample.spare = part(random);
    sample.external_load = part(random);
    sample.budget = part(random);
    if (i % 50 == 0) time += 20;  // a gap in the data
    add(sample);
    const QImage& kept = timeline_.columns();
    if (i % 10 != 0) continue;
    ASSERT_EQ(kept, timeline_.columns_painted_anew()) << "after " << i << " samples";
  }
  for (const double span : {3600.0, 20.0}) {
    timeline_.set_span(span);
    EXPECT_EQ(timeline_.columns(), timeline_.columns_painted_anew());
    add(make_sample(time += 1, 1.0));
    EXPECT_EQ(timeline_.columns(), timeline_.columns_painted_anew());
  }
  timeline_.resize(333, timeline_.height());
  EXPECT_EQ(timeline_.columns(), timeline_.columns_painted_anew());
}

TEST_F(DeviceTimelineTest, WhatIsNotKnownIsNotIdle) {
  add(make_sample(kStart, 0));
  const QImage& picture = timeline_.columns();
  EXPECT_EQ(picture.pixelColor(picture.width() - 1, 5), colour_of(TimePart::kIdle));
  EXPECT_EQ(picture.pixelColor(0, 5), timeline_.palette().color(QPalette::Base));
}

TEST_F(DeviceTimelineTest, SaysWhatStandsAtAPlace) {
  add(make_sample(kStart, 0.5));
  EXPECT_THAT(timeline_.words_at({398, 20}).toStdString(), ::testing::HasSubstr("normal 50%"));
  EXPECT_THAT(timeline_.words_at({200, 20}).toStdString(), ::testing::HasSubstr("no data"));
  EXPECT_EQ(timeline_.words_at({2, 2}), "") << "beside the picture";
}

TEST_F(DeviceTimelineTest, AnotherThemeHasOtherColours) {
  add(make_sample(kStart, 0.5));
  apply_theme(Theme::kDark);
  const QImage dark = timeline_.columns();
  apply_theme(Theme::kLight);
  const QImage light = timeline_.columns();
  EXPECT_NE(dark, light);
  EXPECT_EQ(light, timeline_.columns_painted_anew());
}

}  // namespace
}  // namespace weft::gui
