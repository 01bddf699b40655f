// SPDX-License-Identifier: Apache-2.0
// Vulkan itself, through volk: the loader is opened at run time, nothing is linked.
#pragma once

#include <volk.h>

#include "base/status.h"

namespace weft::device::vulkan {

// OK for VK_SUCCESS; else what failed ("vkCreateDevice") with Vulkan's name of the error.
Status status_of(VkResult result, std::string_view call);

}  // namespace weft::device::vulkan
