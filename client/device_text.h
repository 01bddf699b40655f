// SPDX-License-Identifier: Apache-2.0
// Describes the use of devices as text, the same in all clients.
#pragma once

#include <string>

#include "weft/v1/device_service.pb.h"

namespace weft::client {

// The shares of a sample's interval by class. Their sum is at most 1; the rest of the interval is
// idle time.
struct TimeParts {
  double realtime = 0, normal = 0, spare = 0;
  double external_load = 0;  // share of other programs, as reported by the driver

  double sum() const { return realtime + normal + spare + external_load; }
};
TimeParts time_parts(const v1::DeviceSample& sample);

// Returns the known readings: "45 °C, 121 of 700 W, 1980 MHz". Returns an empty string if no
// reading is known.
std::string format_readings(const v1::DeviceReadings& readings);

}  // namespace weft::client
