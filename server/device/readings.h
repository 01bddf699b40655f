// SPDX-License-Identifier: Apache-2.0
// Reads a device's clocks, temperature and power from its driver, without work on the device.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "base/status.h"
#include "server/device/device.h"

namespace weft::device {

// A field is empty if the driver does not report it.
struct Readings {
  std::optional<int> graphics_clock_mhz, memory_clock_mhz;
  // The driver reduces the clock because of power or heat.
  std::optional<bool> clock_limited;
  std::optional<double> temperature_celsius;
  std::optional<double> power_watts, power_limit_watts;
  std::optional<size_t> memory_used_bytes;  // by all programs
};

// A source of readings. Not thread-safe. A reading blocks the calling thread for at most some
// milliseconds.
class ReadingsSource {
 public:
  virtual ~ReadingsSource() = default;
  virtual Readings read() = 0;
};

// Opens the source of a device. Returns UNAVAILABLE if no driver reports readings (only NVIDIA's
// does, through NVML), and NOT_FOUND if the driver does not contain the device.
StatusOr<std::unique_ptr<ReadingsSource>> open_readings(const DeviceInfo& info);

}  // namespace weft::device
