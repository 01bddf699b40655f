// SPDX-License-Identifier: Apache-2.0
// Owns the tables of launch shapes of a worker's device. They are read when the device is opened,
// and tuning jobs change them.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "server/device/device.h"
#include "server/tuning/tuning_file.h"

namespace weft::worker {

struct TuningSource {
  std::string learnt{};   // folder of tables measured on this machine; empty: no table is stored
  std::string shipped{};  // folder of shipped tables; empty: no shipped tables
  bool is_on = true;      // false: tables are neither read nor written
};

// Thread-safe.
class DeviceTuning {
 public:
  using Report = std::function<void(const tuning::TuningTable&)>;

  // Reads the tables and sets their shapes on the device; measured entries precede shipped ones.
  // `report` is called with the merged table now and at each change; it may be null. The device
  // must outlive this object.
  DeviceTuning(device::Device& device, const TuningSource& source, Report report = {});

  bool is_on() const { return is_on_; }
  // Returns the table in effect: measured entries, and shipped ones for all other launch sites.
  tuning::TuningTable table() const;
  tuning::TuningTable learnt() const;
  // Adds measured entries, stores them, and sets the shapes on the device for kernels that are
  // loaded from now on. An error is that of the file; the device has the new shapes in any case.
  // FAILED_PRECONDITION: tuning is off.
  Status put(const std::vector<v1::TunedKernel>& found);

 private:
  // Returns the merged table. Call with the lock held.
  tuning::TuningTable both() const { return tuning::merged(shipped_, learnt_); }
  void spread() const;

  device::Device& device_;
  const bool is_on_;
  const std::string path_;
  const Report report_;
  mutable std::mutex mutex_;
  tuning::TuningTable shipped_, learnt_;  // guarded by mutex_
};

}  // namespace weft::worker
