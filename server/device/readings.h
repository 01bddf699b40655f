// SPDX-License-Identifier: Apache-2.0
// Reads a device's clocks, temperature, power and memory from its driver, without work on the
// device.
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
  // used by other programs and by the driver: neither free nor in buffers of the device
  std::optional<size_t> memory_other_bytes;
};

// A source of readings. Not thread-safe. A reading blocks the calling thread for at most some
// milliseconds.
class ReadingsSource {
 public:
  virtual ~ReadingsSource() = default;
  virtual Readings read() = 0;
};

// Opens the source of a device, which must outlive it. Clocks, temperature and power are those of
// NVIDIA's driver, through NVML. Returns UNAVAILABLE if no driver reports readings.
StatusOr<std::unique_ptr<ReadingsSource>> open_readings(const Device& device);

}  // namespace weft::device
