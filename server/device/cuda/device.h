// SPDX-License-Identifier: Apache-2.0
// Opens NVIDIA GPUs through the CUDA driver API.
#pragma once

#include "server/device/backend.h"

namespace weft::device::cuda {

Found find_devices();
StatusOr<std::unique_ptr<DeviceBackend>> open(const DeviceInfo& info, const OpenOptions& options);

}  // namespace weft::device::cuda
