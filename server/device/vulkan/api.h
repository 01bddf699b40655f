// SPDX-License-Identifier: Apache-2.0
// Includes Vulkan through volk, which opens the loader at run time; the program does not link to
// it.
#pragma once

#include <volk.h>

#include "base/status.h"

namespace weft::device::vulkan {

// Returns OK for VK_SUCCESS, otherwise an error with the failed `call` ("vkCreateDevice") and
// Vulkan's name of the error.
Status status_of(VkResult result, std::string_view call);

}  // namespace weft::device::vulkan
