// SPDX-License-Identifier: Apache-2.0
// Opens GPUs with Vulkan 1.2 or newer, and software that implements Vulkan (llvmpipe).
#pragma once

#include "server/device/backend.h"

namespace weft::device::vulkan {

Found find_devices();
StatusOr<std::unique_ptr<DeviceBackend>> open(const DeviceInfo& info, const OpenOptions& options);

}  // namespace weft::device::vulkan
