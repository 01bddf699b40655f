// SPDX-License-Identifier: Apache-2.0
#include "client_gui/models/device_history.h"

#include <gtest/gtest.h>

#include "client_gui/models/device_records.h"
#include "client_gui/models/device_text.h"
#include "tests/client_gui/events.h"

namespace weft::gui {
namespace {

TEST(DeviceHistory, AveragesOverWhatIsKnown) {
  DeviceHistory history;
  EXPECT_FALSE(history.average(0, 1e9)) << "nothing yet";
  history.add(make_sample(101, 1.0));
  history.add(make_sample(102, 0.5));
  history.add(make_sample(110, 0.0));  // no data from 102 to 109
  EXPECT_DOUBLE_EQ(history.average(100, 101)->normal, 1.0);
  EXPECT_DOUBLE_EQ(history.average(100.5, 101.5)->normal, 0.75);
  EXPECT_DOUBLE_EQ(history.average(0, 105)->normal, 0.75);
  EXPECT_DOUBLE_EQ(history.average(0, 105)->interval, 2);
  EXPECT_DOUBLE_EQ(history.average(0, 1000)->normal, 0.5);
  EXPECT_FALSE(history.average(103, 108));
  EXPECT_FALSE(history.average(0, 100));
}

TEST(DeviceHistory, NoTimeCountsTwice) {
  DeviceHistory history;
  history.add(make_sample(101, 1.0));
  history.add(make_sample(101, 1.0));  // A change of the device repeats the sample.
  EXPECT_EQ(history.samples().size(), 1u);
  history.add(make_sample(101.5, 0.0));  // The sample covers a second, and half of it is known.
  EXPECT_DOUBLE_EQ(history.average(0, 1000)->interval, 1.5);
}

TEST(DeviceHistory, AClockThatWasSetBackBeginsAnew) {
  DeviceHistory history;
  history.add(make_sample(5000, 1.0));
  history.add(make_sample(1000, 0.5));
  ASSERT_EQ(history.samples().size(), 1u);
  EXPECT_EQ(history.samples()[0].time, 1000);
}

TEST(DeviceHistory, KeepsSoManyAndNoMore) {
  DeviceHistory history;
  for (size_t i = 0; i < 3 * kMostSamples; i++) history.add(make_sample(1e9 + double(i), 0.5));
  EXPECT_EQ(history.samples().size(), kMostSamples);
  EXPECT_EQ(history.samples().back().time, 1e9 + double(3 * kMostSamples - 1));
}

TEST(DeviceRecords, ADeviceThatStaysKeepsItsHistory) {
  DeviceRecords records;
  int changes = 0;
  QObject::connect(&records, &DeviceRecords::changed, [&] { changes++; });
  EXPECT_FALSE(records.knows(1));
  records.apply(1, {{make_device("cpu", 100)}, {"There is no GPU."}});
  records.apply(1, {{make_device("cuda:0", 103), make_device("cpu", 101)}, {}});
  records.apply(2, {{make_device("cpu", 7000)}, {}});
  EXPECT_EQ(changes, 3);
  ASSERT_EQ(records.devices(1).size(), 2u);
  EXPECT_EQ(records.devices(1)[0].device.id, "cuda:0");
  EXPECT_EQ(records.find(1, "cpu")->history.samples().size(), 2u);
  EXPECT_EQ(records.newest_time(1), 103);
  EXPECT_TRUE(records.notes(1).empty());
  records.apply(1, {{make_device("cpu", 102)}, {}});
  EXPECT_EQ(records.find(1, "cuda:0"), nullptr);
  records.remove_server(1);
  EXPECT_TRUE(records.devices(1).empty());
  EXPECT_EQ(records.devices(2).size(), 1u);
}

TEST(DeviceText, SpareTimeUsedIsANumber) {
  DeviceSampleRow sample = make_sample(100, 0.3);
  sample.spare = 0.2;
  sample.left = 0.8;
  EXPECT_DOUBLE_EQ(*spare_used(sample), 0.625);
  sample.left = 0.4;  // including a batch that began before the interval
  EXPECT_EQ(*spare_used(sample), 1);
  sample.left = 0;
  EXPECT_FALSE(spare_used(sample));
  EXPECT_EQ(spare_text(sample, sample, 600), "");
}

TEST(DeviceText, PartsInWords) {
  DeviceSampleRow sample = make_sample(100, 0.3);
  sample.realtime = 0.2;
  EXPECT_EQ(words_of(sample), "realtime 20%, normal 30%, spare 0%, other programs 0%, idle 50%");
}

}  // namespace
}  // namespace weft::gui
