// SPDX-License-Identifier: Apache-2.0
// What a device's driver reads of the hardware: clocks, temperature, power. Costs the device nothing.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "base/status.h"
#include "server/device/device.h"

namespace weft::device {

// Nothing where the driver does not tell.
struct Readings {
  std::optional<int> graphics_clock_mhz, memory_clock_mhz;
  std::optional<bool> clock_limited;  // the clock is lower than it would be, for the board's power or heat
  std::optional<double> temperature_celsius;
  std::optional<double> power_watts, power_limit_watts;
  std::optional<size_t> memory_used_bytes;  // by every program
};

// One thread at a time; reading takes some milliseconds of the calling thread at worst.
class ReadingsSource {
 public:
  virtual ~ReadingsSource() = default;
  virtual Readings read() = 0;
};

// UNAVAILABLE: no driver here tells (only NVIDIA's does, through NVML); NOT_FOUND: its driver does not know the device.
StatusOr<std::unique_ptr<ReadingsSource>> open_readings(const DeviceInfo& info);

}  // namespace weft::device
