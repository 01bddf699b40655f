// SPDX-License-Identifier: Apache-2.0
#include "server/worker/device/device_tuning.h"

#include <utility>

namespace weft::worker {

DeviceTuning::DeviceTuning(device::Device& device, const std::string& folder, Tell tell)
    : device_(device),
      path_(tuning::path_in(folder, device.info())),
      tell_(std::move(tell)),
      table_(tuning::read_table(path_, device.info())) {
  device_.set_tuning(tuning::shapes_in(table_));
  if (tell_) tell_(table_);
}

tuning::TuningTable DeviceTuning::table() const {
  const std::lock_guard lock(mutex_);
  return table_;
}

Status DeviceTuning::put(const std::vector<v1::TunedKernel>& found) {
  const std::lock_guard lock(mutex_);
  for (const v1::TunedKernel& entry : found) tuning::put_tuned(table_, entry);
  device_.set_tuning(tuning::shapes_in(table_));
  if (tell_) tell_(table_);
  return tuning::write_table(path_, table_);
}

}  // namespace weft::worker
