// SPDX-License-Identifier: Apache-2.0
// What a device does, as every client shows it.
#pragma once

#include <string>

#include "weft/v1/device_service.pb.h"

namespace weft::client {

// Who had the device's time in a sample's interval: parts of it, whose sum is at most 1. The rest was idle.
struct TimeParts {
  double realtime = 0, normal = 0, spare = 0;
  double others = 0;  // other programs, as far as it is known

  double sum() const { return realtime + normal + spare + others; }
};
TimeParts time_parts(const v1::DeviceSample& sample);

// "45 °C, 121 of 700 W, 1980 MHz": what is known. Empty: nothing is.
std::string format_readings(const v1::DeviceReadings& readings);

}  // namespace weft::client
