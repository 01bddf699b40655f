// SPDX-License-Identifier: Apache-2.0
#define VOLK_IMPLEMENTATION
#include "server/device/vulkan/api.h"

namespace weft::device::vulkan {
namespace {

std::string name_of(VkResult result) {
  switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
      return "VK_ERROR_OUT_OF_HOST_MEMORY";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
      return "VK_ERROR_OUT_OF_DEVICE_MEMORY";
    case VK_ERROR_INITIALIZATION_FAILED:
      return "VK_ERROR_INITIALIZATION_FAILED";
    case VK_ERROR_DEVICE_LOST:
      return "VK_ERROR_DEVICE_LOST";
    case VK_ERROR_MEMORY_MAP_FAILED:
      return "VK_ERROR_MEMORY_MAP_FAILED";
    case VK_ERROR_EXTENSION_NOT_PRESENT:
      return "VK_ERROR_EXTENSION_NOT_PRESENT";
    case VK_ERROR_FEATURE_NOT_PRESENT:
      return "VK_ERROR_FEATURE_NOT_PRESENT";
    case VK_ERROR_INCOMPATIBLE_DRIVER:
      return "VK_ERROR_INCOMPATIBLE_DRIVER";
    case VK_ERROR_TOO_MANY_OBJECTS:
      return "VK_ERROR_TOO_MANY_OBJECTS";
    case VK_NOT_READY:
      return "VK_NOT_READY";
    case VK_TIMEOUT:
      return "VK_TIMEOUT";
    default:
      return fmt::format("VkResult {}", static_cast<int>(result));
  }
}

}  // namespace

Status status_of(VkResult result, std::string_view call) {
  switch (result) {
    case VK_SUCCESS:
      return ok_status();
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    case VK_ERROR_TOO_MANY_OBJECTS:
      return resource_exhausted("{} fails ({}); use smaller batches.", call, name_of(result));
    case VK_ERROR_DEVICE_LOST:
      return unavailable("The device is lost ({} returned VK_ERROR_DEVICE_LOST).", call);
    default:
      return internal_error("{} fails ({}).", call, name_of(result));
  }
}

}  // namespace weft::device::vulkan
