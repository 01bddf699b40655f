// SPDX-License-Identifier: Apache-2.0
#include "server/device/vulkan/context.h"

namespace weft::device::vulkan {

DeviceQueue& Context::queue_for(StreamPriority priority, StreamUse use) {
  const uint32_t turn = streams_made++;
  if (use == StreamUse::kCopies && !transfer.empty()) return *transfer[turn % transfer.size()];
  const size_t count = compute.size();
  if (count < 4) return *compute[turn % count];
  const size_t quarter = count / 4;
  if (priority == StreamPriority::kHigh) return *compute[turn % quarter];
  if (priority == StreamPriority::kLow) return *compute[count - 1 - turn % quarter];
  return *compute[quarter + turn % (count - 2 * quarter)];
}

Context::~Context() {
  if (device == VK_NULL_HANDLE) return;
  static_cast<void>(vk.vkDeviceWaitIdle(device));
  for (const VkSemaphore timeline : timelines) vk.vkDestroySemaphore(device, timeline, nullptr);
  if (cache != VK_NULL_HANDLE) vk.vkDestroyPipelineCache(device, cache, nullptr);
  if (layout != VK_NULL_HANDLE) vk.vkDestroyPipelineLayout(device, layout, nullptr);
  vk.vkDestroyDevice(device, nullptr);
}

}  // namespace weft::device::vulkan
