// SPDX-License-Identifier: Apache-2.0
// What other processes do on a device, as its driver tells. Costs the device nothing, and is too coarse for anything but to
// notice that somebody is there, how much they use, and that they left: figures are a fraction of a second to a second old.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/status.h"
#include "server/device/device.h"

namespace weft::device {

struct ForeignProcess {
  int pid = 0;
  size_t memory_bytes = 0;  // of the device's; 0 where the driver does not say
  double utilisation = 0;   // the part of the last second or so in which it computed, 0 to 1
};

struct ForeignSample {
  std::vector<ForeignProcess> processes;  // that have the device open, without this one
  double utilisation = 0;                 // of all of them, 0 to 1
};

// One thread at a time; a sample takes some tenths of a millisecond of the calling thread.
class ForeignUse {
 public:
  virtual ~ForeignUse() = default;
  virtual StatusOr<ForeignSample> sample() = 0;
};

// UNAVAILABLE: no driver here tells (only NVIDIA's does, through NVML); NOT_FOUND: its driver does not know the device.
StatusOr<std::unique_ptr<ForeignUse>> watch_foreign_use(const DeviceInfo& info);

}  // namespace weft::device
