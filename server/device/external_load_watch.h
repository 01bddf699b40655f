// SPDX-License-Identifier: Apache-2.0
// Reports the use of a device by other processes, from the device's driver, without work on the
// device. The figures are up to a second old. They show that another process is present, its load,
// and its end.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/status.h"
#include "server/device/device.h"

namespace weft::device {

struct ExternalProcess {
  int pid = 0;
  size_t memory_bytes = 0;  // bytes of device memory; 0 if the driver does not report it
  double utilisation = 0;   // share of the last second with work of the process, 0 to 1
};

struct ExternalLoadSample {
  // Processes that have opened the device, without this one.
  std::vector<ExternalProcess> processes;
  double utilisation = 0;  // sum over all other processes, 0 to 1
};

// A source of samples. Not thread-safe. A sample blocks the calling thread for some tenths of a
// millisecond.
class ExternalLoadWatch {
 public:
  virtual ~ExternalLoadWatch() = default;
  virtual StatusOr<ExternalLoadSample> sample() = 0;
};

// Opens the source of a device. Returns UNAVAILABLE if no driver reports the use (only NVIDIA's
// does, through NVML), and NOT_FOUND if the driver does not contain the device.
StatusOr<std::unique_ptr<ExternalLoadWatch>> watch_external_load(const DeviceInfo& info);

}  // namespace weft::device
