// SPDX-License-Identifier: Apache-2.0
#include "client/device_text.h"

#include <google/protobuf/util/time_util.h>
#include <gtest/gtest.h>

namespace weft::client {
namespace {

using google::protobuf::util::TimeUtil;

v1::DeviceSample sample_of(int64_t interval_ms, int64_t realtime_ms, int64_t spare_ms, int64_t foreign_ms) {
  v1::DeviceSample sample;
  *sample.mutable_interval() = TimeUtil::MillisecondsToDuration(interval_ms);
  *sample.mutable_schedule()->mutable_realtime_busy() = TimeUtil::MillisecondsToDuration(realtime_ms);
  *sample.mutable_schedule()->mutable_spare_busy() = TimeUtil::MillisecondsToDuration(spare_ms);
  *sample.mutable_schedule()->mutable_foreign() = TimeUtil::MillisecondsToDuration(foreign_ms);
  return sample;
}

TEST(DeviceText, PartsOfTheInterval) {
  const TimeParts parts = time_parts(sample_of(2000, 500, 1000, 100));
  EXPECT_DOUBLE_EQ(parts.realtime, 0.25);
  EXPECT_DOUBLE_EQ(parts.normal, 0);
  EXPECT_DOUBLE_EQ(parts.spare, 0.5);
  EXPECT_DOUBLE_EQ(parts.external_load, 0.05);
  EXPECT_DOUBLE_EQ(parts.sum(), 0.8);
}

TEST(DeviceText, PartsAreNeverMoreThanTheWhole) {
  const TimeParts parts = time_parts(sample_of(1000, 900, 900, 0));
  EXPECT_DOUBLE_EQ(parts.sum(), 1);
  EXPECT_DOUBLE_EQ(parts.realtime, parts.spare);
  EXPECT_EQ(time_parts(sample_of(0, 900, 0, 0)).sum(), 0) << "no interval yet";
}

TEST(DeviceText, ReadingsThatAreKnown) {
  v1::DeviceReadings readings;
  EXPECT_EQ(format_readings(readings), "");
  readings.set_power_watts(120.6);
  EXPECT_EQ(format_readings(readings), "121 W");
  readings.set_power_limit_watts(700);
  readings.set_temperature_celsius(45);
  readings.set_graphics_clock_mhz(1980);
  EXPECT_EQ(format_readings(readings), "45 °C, 121 of 700 W, 1980 MHz");
  readings.set_clock_limited(true);
  EXPECT_EQ(format_readings(readings), "45 °C, 121 of 700 W, 1980 MHz (limited by power or heat)");
}

}  // namespace
}  // namespace weft::client
