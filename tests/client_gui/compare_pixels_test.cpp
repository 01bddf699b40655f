// SPDX-License-Identifier: Apache-2.0
// Tests pixels of comparisons: transfer, exposure, difference, fields, and positions of pictures.
#include <QFloat16>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "client_gui/pictures/picture_kind.h"
#include "client_gui/pictures/pixels.h"
#include "client_gui/pictures/viewport.h"

namespace weft::gui {
namespace {

Picture make_bytes(int width, int height, const std::vector<uint8_t>& samples) {
  Picture picture;
  picture.width = width;
  picture.height = height;
  picture.bytes.assign(samples.begin(), samples.end());
  return picture;
}

Picture make_floats(int width, int height, const std::vector<float>& samples) {
  Picture picture;
  picture.samples = ComponentType::kFloat;
  picture.width = width;
  picture.height = height;
  picture.bytes.resize(samples.size() * sizeof(float));
  std::memcpy(picture.bytes.data(), samples.data(), picture.bytes.size());
  return picture;
}

// Returns a code by the formula of IEC 61966-2-1.
double code_of(double light) {
  if (!(light > 0)) return 0;
  const double value = light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
  return std::min(255.0, 255 * value);
}

TEST(ScreenTransfer, GivesTheNearestCodeOfSrgb) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> exponent(-14, 3);
  for (const double factor : {1.0, 0.25, 37.5}) {
    const ScreenTransfer transfer(factor);
    for (int i = 0; i < 100000; i++) {
      const auto light = float(std::exp2(exponent(random)));
      // The bound is half a step and the rounding of thresholds to single precision.
      ASSERT_NEAR(transfer(light), code_of(double(light) * factor), 0.5005) << light << " " << factor;
    }
  }
}

TEST(ScreenTransfer, TakesEveryFloat) {
  const ScreenTransfer transfer(1);
  EXPECT_EQ(transfer(std::numeric_limits<float>::quiet_NaN()), 0);
  EXPECT_EQ(transfer(-std::numeric_limits<float>::infinity()), 0);
  EXPECT_EQ(transfer(-1), 0);
  EXPECT_EQ(transfer(0), 0);
  EXPECT_EQ(transfer(std::numeric_limits<float>::denorm_min()), 0);
  EXPECT_EQ(transfer(1), 255);
  EXPECT_EQ(transfer(std::numeric_limits<float>::max()), 255);
  EXPECT_EQ(transfer(std::numeric_limits<float>::infinity()), 255);
}

TEST(Pixels, ADifferenceIsAmplifiedAndEndsAtWhite) {
  const QImage a = byte_pictures().show(make_bytes(2, 1, {10, 20, 30, 255, 0, 7}), {});
  const QImage b = byte_pictures().show(make_bytes(2, 1, {12, 17, 30, 0, 200, 7}), {});
  const QImage difference = absolute_difference(a, b, 4);
  EXPECT_EQ(difference.pixel(0, 0), qRgb(8, 12, 0));
  EXPECT_EQ(difference.pixel(1, 0), qRgb(255, 255, 0));
  EXPECT_EQ(difference, absolute_difference(b, a, 4));
}

// The picture is high enough for several threads.
TEST(Pixels, EveryRowIsFilledOnce) {
  std::vector<std::atomic<int>> filled(2001);
  const QImage image = filled_image(3, 2001, [&](QRgb* row, int y) {
    filled[size_t(y)]++;
    std::fill_n(row, 3, qRgb(y % 251, y / 251, 7));
  });
  for (int y = 0; y < 2001; y++) {
    ASSERT_EQ(filled[size_t(y)], 1) << y;
    ASSERT_EQ(image.pixel(2, y), qRgb(y % 251, y / 251, 7)) << y;
  }
  EXPECT_TRUE(filled_image(0, 0, [](QRgb*, int) {}).isNull());
}

TEST(Pixels, AFieldHasItsLinesTwice) {
  std::vector<uint8_t> samples;
  for (int i = 0; i < 15; i++) samples.push_back(uint8_t(i / 3));
  const Picture picture = make_bytes(1, 5, samples);
  const auto lines = [&](Field field) {
    const Picture result = field_of(picture, field);
    std::vector<int> found;
    for (int y = 0; y < result.height; y++) found.push_back(result.row(y)[0]);
    return found;
  };
  EXPECT_EQ(lines(Field::kWoven), (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(lines(Field::kTop), (std::vector<int>{0, 0, 2, 2, 4}));
  EXPECT_EQ(lines(Field::kBottom), (std::vector<int>{1, 1, 3, 3, 3}));
}

TEST(PictureKinds, HalvesAreShownAsTheFloatsTheyStandFor) {
  const std::vector<float> samples{0, 0.25f, 0.5f, 1, 2, 100};
  Picture halves = make_floats(2, 1, samples);
  halves.samples = ComponentType::kHalf;
  halves.bytes.resize(samples.size() * sizeof(qfloat16));
  qFloatToFloat16(reinterpret_cast<qfloat16*>(halves.bytes.data()), samples.data(),
                  qsizetype(samples.size()));
  const Picture floats = make_floats(2, 1, samples);
  EXPECT_TRUE(kind_of(halves).has_exposure());
  EXPECT_EQ(kind_of(halves).show(halves, {}), kind_of(floats).show(floats, {}));
  EXPECT_EQ(kind_of(halves).words(halves, 0, 0), QStringLiteral("0 0.25 0.5"));
}

TEST(PictureKinds, AStopDoublesTheLight) {
  std::mt19937 random(2);
  std::vector<float> once, twice;
  for (int i = 0; i < 300; i++) {
    once.push_back(float(random() % 1000) / 1000);
    twice.push_back(once.back() * 2);
  }
  const Picture a = make_floats(10, 10, once), b = make_floats(10, 10, twice);
  EXPECT_EQ(linear_pictures().show(a, {.exposure = 1}), linear_pictures().show(b, {}));
  EXPECT_NE(linear_pictures().show(a, {}), linear_pictures().show(b, {}));
}

// Differences of light are visible, also if they are smaller than a step of an 8-bit display.
TEST(PictureKinds, TheDifferenceOfLightIsFinerThanTheScreen) {
  const Picture a = make_floats(1, 1, {0.5f, 0.5f, 0.5f}), b = make_floats(1, 1, {0.5f, 0.5001f, 0.5f});
  ASSERT_EQ(linear_pictures().show(a, {}), linear_pictures().show(b, {}));
  const QImage difference = difference_of(a, b, {.gain = 256});
  EXPECT_NEAR(qGreen(difference.pixel(0, 0)), code_of(0.0001 * 256), 1);
  EXPECT_EQ(qRed(difference.pixel(0, 0)), 0);
}

Picture make_shorts(int width, int height, const std::vector<uint16_t>& samples) {
  Picture picture = make_bytes(width, height, {});
  picture.samples = ComponentType::kShort;
  picture.bytes.assign(reinterpret_cast<const char*>(samples.data()), samples.size() * sizeof(uint16_t));
  return picture;
}

TEST(PictureKinds, ShortsAreShownAsTheNearestByte) {
  std::vector<uint16_t> samples(65536 * 3);
  for (size_t i = 0; i < samples.size(); i++) samples[i] = uint16_t(i / 3);
  const Picture picture = make_shorts(256, 256, samples);
  const QImage image = kind_of(picture).show(picture, {});
  for (int i = 0; i < 65536; i++) {
    const int expected = int(std::lround(i * 255.0 / 65535));
    ASSERT_EQ(image.pixel(i % 256, i / 256), qRgb(expected, expected, expected)) << i;
  }
}

TEST(PictureKinds, TheDifferenceOfShortsIsFinerThanTheScreen) {
  const Picture a = make_shorts(1, 1, {1000, 2000, 65535}), b = make_shorts(1, 1, {1064, 2000, 0});
  EXPECT_EQ(difference_of(a, b, {.gain = 1}).pixel(0, 0), qRgb(0, 0, 255));
  EXPECT_EQ(difference_of(a, b, {.gain = 16}).pixel(0, 0), qRgb(4, 0, 255)) << "a quarter of a byte's step";
  EXPECT_EQ(kind_of(a).words(a, 0, 0), "3.89 7.78 255.00");
  const Picture bytes = make_bytes(1, 1, {4, 8, 255});
  EXPECT_EQ(difference_of(a, bytes, {.gain = 16}).pixel(0, 0), qRgb(2, 3, 0)) << "28 and 56 of 257, by 16";
  EXPECT_EQ(difference_of(bytes, a, {.gain = 16}).pixel(0, 0), qRgb(2, 3, 0));
}

TEST(PictureKinds, WhatCannotBeComparedHasNoDifference) {
  const Picture a = make_bytes(1, 1, {255, 255, 255}), b = make_bytes(1, 2, {0, 0, 0, 0, 0, 0});
  EXPECT_TRUE(difference_of(a, b, {}).isNull());
  const Picture light = make_floats(1, 1, {1, 1, 0});
  EXPECT_EQ(difference_of(a, light, {}).pixel(0, 0), qRgb(0, 0, 255)) << "two kinds, as a screen shows them";
}

// --- Where pictures lie --------------------------------------------------------------------------

const QRectF kArea(100, 0, 400, 300);
const QSizeF kPicture(1600, 600);

TEST(Viewport, FitsInTheMiddle) {
  const Viewport viewport;
  EXPECT_EQ(viewport.scale(kArea, kPicture), 0.25);
  EXPECT_EQ(viewport.rect(kArea, kPicture), QRectF(100, 75, 400, 150));
  EXPECT_EQ(viewport.to_picture(kArea, kPicture, QPointF(100, 75)), QPointF(0, 0));
}

TEST(Viewport, ThePixelUnderThePointerStaysThere) {
  std::mt19937 random(3);
  Viewport viewport;
  for (int i = 0; i < 200; i++) {
    const QPointF point(150 + double(random() % 300), 100 + double(random() % 100));
    const QPointF before = viewport.to_picture(kArea, kPicture, point);
    const Viewport next = viewport.zoomed_to(kArea, kPicture, point, std::exp2(double(random() % 9) - 3));
    // Panning is limited, so that the centre of the area stays on the picture.
    const bool is_held =
        next.centre.x() <= 0 || next.centre.x() >= 1 || next.centre.y() <= 0 || next.centre.y() >= 1;
    const QPointF after = next.to_picture(kArea, kPicture, point);
    EXPECT_TRUE(is_held || (after - before).manhattanLength() < 1.01) << i;
    viewport = next;
  }
}

TEST(Viewport, PixelsOfTheScreenAndOfThePictureMeet) {
  const Viewport viewport = Viewport().zoomed_to(kArea, kPicture, QPointF(217.3, 99.9), 1);
  const QPointF corner = viewport.rect(kArea, kPicture).topLeft();
  EXPECT_EQ(corner, QPointF(std::round(corner.x()), std::round(corner.y())));
  EXPECT_EQ(viewport.scale(kArea, kPicture), 1);
}

TEST(Viewport, MovesWithThePointerAndNotOutOfSight) {
  const Viewport viewport = Viewport().zoomed_to(kArea, kPicture, kArea.center(), 2);
  const QRectF before = viewport.rect(kArea, kPicture);
  const Viewport moved = viewport.moved_by(kArea, kPicture, QPointF(30, -20));
  EXPECT_EQ(moved.rect(kArea, kPicture).topLeft(), before.topLeft() + QPointF(30, -20));
  const Viewport far = viewport.moved_by(kArea, kPicture, QPointF(1e6, 1e6));
  EXPECT_EQ(far.rect(kArea, kPicture).topLeft(), kArea.center()) << "its corner is still there";
  EXPECT_EQ(viewport.zoomed_to(kArea, kPicture, kArea.center(), 1e9).zoom, kMostZoom);
  EXPECT_EQ(viewport.zoomed_to(kArea, kPicture, kArea.center(), 0).zoom, kLeastZoom);
}

}  // namespace
}  // namespace weft::gui
