// SPDX-License-Identifier: Apache-2.0
// The tables of shapes that a worker's device has: read when the device is opened, changed by what tunes it.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/device/device.h"
#include "server/tuning/tuning_file.h"

namespace weft::worker {

// What is done with the tables.
enum class TuningMode {
  kAdapt,   // they are used, and changed in spare time where launches take longer than they say
  kFrozen,  // they are used; only jobs that tune change them
  kOff,     // they are not even read
};
// "adapt", "frozen", "off"; nothing: none of them.
std::optional<TuningMode> tuning_mode(std::string_view text);

struct TuningSource {
  std::string learnt{};   // the folder of what was learnt here; empty: nothing is kept
  std::string shipped{};  // the folder of shipped tables; empty: there are none
  TuningMode mode = TuningMode::kFrozen;
};

// Thread-safe.
class DeviceTuning {
 public:
  using Tell = std::function<void(const tuning::TuningTable&)>;

  // Reads the tables and gives their shapes to the device; what was learnt goes before what is shipped. `tell` gets both as one now, and each
  // time that they change; null: nobody wants to know. The device outlives this.
  DeviceTuning(device::Device& device, const TuningSource& source, Tell tell = {});

  TuningMode mode() const { return mode_; }
  // What counts: learnt, and shipped where nothing was learnt.
  tuning::TuningTable table() const;
  tuning::TuningTable learnt() const;
  // Puts entries into what was learnt, stores it, and gives the shapes to the device: kernels that are loaded from now on have them. The
  // error is the file's; the device has the shapes all the same. FAILED_PRECONDITION: the mode is kOff.
  Status put(const std::vector<v1::TunedKernel>& found);

 private:
  // With the lock held.
  tuning::TuningTable both() const { return tuning::merged(shipped_, learnt_); }
  void spread() const;

  device::Device& device_;
  const TuningMode mode_;
  const std::string path_;
  const Tell tell_;
  mutable std::mutex mutex_;
  tuning::TuningTable shipped_, learnt_;  // guarded by mutex_
};

}  // namespace weft::worker
