// SPDX-License-Identifier: Apache-2.0
// Creates the Vulkan instance of the process, and reads the properties of physical devices.
#pragma once

#include <optional>

#include "server/device/backend.h"
#include "server/device/vulkan/api.h"

namespace weft::device::vulkan {

// The features that kernels and streams require, chained for vkCreateDevice.
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
  uint32_t compute_queues = 0;  // 0: the device has no such family
  uint32_t timestamp_bits = 0;
  // Family for copies only, with the same timestamp bits; empty: none.
  std::optional<uint32_t> transfer;
  uint32_t transfer_queues = 0;
};

// Returns the physical devices. The first call creates the instance, which lives as long as the
// process. Returns UNAVAILABLE if there is no loader or no driver.
StatusOr<std::vector<VkPhysicalDevice>> physical_devices();

QueueFamilies find_queue_families(VkPhysicalDevice physical);
// Returns FAILED_PRECONDITION with the missing features if the device cannot be used.
Status check_usable(VkPhysicalDevice physical);
DeviceInfo describe(VkPhysicalDevice physical, size_t index);
// Returns the used bytes of the heap that DeviceInfo::memory_bytes describes, or nullopt if the
// driver has no VK_EXT_memory_budget. The budget is the heap less the memory of other programs.
std::optional<size_t> memory_used_by_all_bytes(VkPhysicalDevice physical);

}  // namespace weft::device::vulkan
