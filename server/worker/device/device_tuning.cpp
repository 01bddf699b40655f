// SPDX-License-Identifier: Apache-2.0
#include "server/worker/device/device_tuning.h"

#include <utility>

namespace weft::worker {

DeviceTuning::DeviceTuning(device::Device& device, const TuningSource& source, Report report)
    : device_(device),
      is_on_(source.is_on),
      path_(tuning::path_in(source.learnt, device.info())),
      report_(std::move(report)) {
  if (!is_on_) {
    learnt_.set_driver(device.info().driver);
  } else {
    shipped_ = tuning::read_shipped_table(source.shipped, device.info());
    learnt_ = tuning::read_table(path_, device.info());
  }
  spread();
}

void DeviceTuning::spread() const {
  const tuning::TuningTable table = both();
  device_.set_tuning(tuning::shapes_in(table));
  if (report_) report_(table);
}

tuning::TuningTable DeviceTuning::table() const {
  const std::lock_guard lock(mutex_);
  return both();
}

tuning::TuningTable DeviceTuning::learnt() const {
  const std::lock_guard lock(mutex_);
  return learnt_;
}

Status DeviceTuning::put(const std::vector<v1::TunedKernel>& found) {
  if (!is_on_)
    return failed_precondition(
        "Tuning is off on this daemon, so its tables are neither read nor written; start it with tuning = "
        "\"on\".");
  const std::lock_guard lock(mutex_);
  for (const v1::TunedKernel& entry : found) tuning::put_tuned(learnt_, entry);
  spread();
  return tuning::write_table(path_, learnt_);
}

}  // namespace weft::worker
