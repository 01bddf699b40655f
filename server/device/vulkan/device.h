// SPDX-License-Identifier: Apache-2.0
// GPUs through Vulkan 1.2 or newer, and software that says it is one (llvmpipe).
#pragma once

#include "server/device/backend.h"

namespace weft::device::vulkan {

Found find_devices();
StatusOr<std::unique_ptr<DeviceBackend>> open(const DeviceInfo& info, const OpenOptions& options);

}  // namespace weft::device::vulkan
