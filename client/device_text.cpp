// SPDX-License-Identifier: Apache-2.0
#include "client/device_text.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "client/text.h"

namespace weft::client {

TimeParts time_parts(const v1::DeviceSample& sample) {
  const v1::ScheduleSample& schedule = sample.schedule();
  const double interval = seconds_of(sample.interval());
  const auto part = [&](const google::protobuf::Duration& time) {
    return interval > 0 ? std::clamp(seconds_of(time) / interval, 0.0, 1.0) : 0.0;
  };
  TimeParts parts{part(schedule.realtime_busy()), part(schedule.normal_busy()), part(schedule.spare_busy()),
                  part(schedule.foreign())};
  if (const double sum = parts.sum();
      sum > 1)  // a batch is counted when it ends, although it may have begun before the interval
    for (double* each : {&parts.realtime, &parts.normal, &parts.spare, &parts.external_load}) *each /= sum;
  return parts;
}

std::string format_readings(const v1::DeviceReadings& readings) {
  std::vector<std::string> texts;
  if (readings.has_temperature_celsius())
    texts.push_back(fmt::format("{:.0f} °C", readings.temperature_celsius()));
  if (readings.has_power_watts())
    texts.push_back(
        readings.has_power_limit_watts()
            ? fmt::format("{:.0f} of {:.0f} W", readings.power_watts(), readings.power_limit_watts())
            : fmt::format("{:.0f} W", readings.power_watts()));
  if (readings.has_graphics_clock_mhz())
    texts.push_back(fmt::format("{} MHz{}", readings.graphics_clock_mhz(),
                                readings.clock_limited() ? " (limited by power or heat)" : ""));
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace weft::client
