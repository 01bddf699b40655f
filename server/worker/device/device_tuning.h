// SPDX-License-Identifier: Apache-2.0
// The table of shapes that a worker's device has: read when the device is opened, changed by what tunes it.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "server/device/device.h"
#include "server/tuning/tuning_file.h"

namespace weft::worker {

// Thread-safe.
class DeviceTuning {
 public:
  using Tell = std::function<void(const tuning::TuningTable&)>;

  // Reads the table of `folder` (empty: nothing is kept) and gives its shapes to the device. `tell` gets the table now, and each time
  // it changes; null: nobody wants to know. The device outlives this.
  DeviceTuning(device::Device& device, const std::string& folder, Tell tell = {});

  tuning::TuningTable table() const;
  // Puts entries into the table, stores it, and gives the shapes to the device: kernels that are loaded from now on have them. The
  // error is the file's; the device has the shapes all the same.
  Status put(const std::vector<v1::TunedKernel>& found);

 private:
  device::Device& device_;
  const std::string path_;
  const Tell tell_;
  mutable std::mutex mutex_;
  tuning::TuningTable table_;  // guarded by mutex_
};

}  // namespace weft::worker
