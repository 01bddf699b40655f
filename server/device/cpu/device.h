// SPDX-License-Identifier: Apache-2.0
// The processors of this machine as a device: kernels run as loops on a pool of threads.
#pragma once

#include "server/device/backend.h"

namespace weft::device::cpu {

Found find_devices();  // always one
StatusOr<std::unique_ptr<DeviceBackend>> open(const DeviceInfo& info, const OpenOptions& options);

}  // namespace weft::device::cpu
