// SPDX-License-Identifier: Apache-2.0
// Opens the processors of this machine as a device. Kernels run as loops on a pool of threads.
#pragma once

#include "server/device/backend.h"

namespace weft::device::cpu {

Found find_devices();  // returns exactly one device
StatusOr<std::unique_ptr<DeviceBackend>> open(const DeviceInfo& info, const OpenOptions& options);

}  // namespace weft::device::cpu
