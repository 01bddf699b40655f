// SPDX-License-Identifier: Apache-2.0
// The tables of shapes that a worker's device has: read when the device is opened, changed by jobs that tune it.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "server/device/device.h"
#include "server/tuning/tuning_file.h"

namespace weft::worker {

struct TuningSource {
  std::string learnt{};   // the folder of what was learnt here; empty: nothing is kept
  std::string shipped{};  // the folder of shipped tables; empty: there are none
  bool is_on = true;      // false: tables are neither read nor written
};

// Thread-safe.
class DeviceTuning {
 public:
  using Tell = std::function<void(const tuning::TuningTable&)>;

  // Reads the tables and gives their shapes to the device; what was learnt goes before what is shipped. `tell` gets both as one now, and each
  // time that they change; null: nobody wants to know. The device outlives this.
  DeviceTuning(device::Device& device, const TuningSource& source, Tell tell = {});

  bool is_on() const { return is_on_; }
  // What counts: learnt, and shipped where nothing was learnt.
  tuning::TuningTable table() const;
  tuning::TuningTable learnt() const;
  // Puts entries into what was learnt, stores it, and gives the shapes to the device: kernels that are loaded from now on have them. The
  // error is the file's; the device has the shapes all the same. FAILED_PRECONDITION: it is off.
  Status put(const std::vector<v1::TunedKernel>& found);

 private:
  // With the lock held.
  tuning::TuningTable both() const { return tuning::merged(shipped_, learnt_); }
  void spread() const;

  device::Device& device_;
  const bool is_on_;
  const std::string path_;
  const Tell tell_;
  mutable std::mutex mutex_;
  tuning::TuningTable shipped_, learnt_;  // guarded by mutex_
};

}  // namespace weft::worker
