// SPDX-License-Identifier: Apache-2.0
// The Vulkan instance of the process, and what a physical device is and can do.
#pragma once

#include <optional>

#include "server/device/backend.h"
#include "server/device/vulkan/api.h"

namespace weft::device::vulkan {

// The features that kernels and streams need, chained for vkCreateDevice.
struct Features {
  VkPhysicalDeviceFeatures2 core{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  VkPhysicalDeviceVulkan11Features v11{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
  VkPhysicalDeviceVulkan12Features v12{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};

  Features();
  Features(const Features&) = delete;
  Features& operator=(const Features&) = delete;
  void need_all();
};

struct QueueFamilies {
  uint32_t compute = 0;
  uint32_t compute_queues = 0;  // 0: there is none
  uint32_t timestamp_bits = 0;
  std::optional<uint32_t> transfer;  // only for copies, with timestamps of the same kind
  uint32_t transfer_queues = 0;
};

// UNAVAILABLE when there is no loader or no driver. Made once; lives as long as the process.
StatusOr<std::vector<VkPhysicalDevice>> physical_devices();

QueueFamilies find_queue_families(VkPhysicalDevice physical);
// FAILED_PRECONDITION with what is missing.
Status check_usable(VkPhysicalDevice physical);
DeviceInfo describe(VkPhysicalDevice physical, size_t index);

}  // namespace weft::device::vulkan
