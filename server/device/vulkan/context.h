// SPDX-License-Identifier: Apache-2.0
// What the buffers, kernels and streams of a Vulkan device share: the logical device, its functions and its queues.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "server/device/device.h"
#include "server/device/vulkan/api.h"

namespace weft::device::vulkan {

struct DeviceQueue {
  VkQueue queue = VK_NULL_HANDLE;
  uint32_t family = 0;
  std::mutex mutex;  // one submit at a time
};

struct Context {
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VolkDeviceTable vk{};
  VkPhysicalDeviceMemoryProperties memory{};
  double timestamp_period_ns = 0;                     // 0: the queues have no timestamps
  uint64_t timestamp_mask = 0;                        // the bits that count
  std::vector<uint32_t> families;                     // that buffers are shared between
  std::vector<std::unique_ptr<DeviceQueue>> compute;  // the first quarter for high priority, the last for low
  std::vector<std::unique_ptr<DeviceQueue>> transfer;  // empty: copies go to compute queues
  std::atomic<uint32_t> streams_made = 0;
  VkPipelineLayout layout = VK_NULL_HANDLE;  // of every kernel: 128 bytes of push constants
  VkPipelineCache cache = VK_NULL_HANDLE;
  // Timeline semaphores of streams that ended, for those to come. They are not destroyed before the device: Mesa's queues
  // (22.3) let go of what a submit waited for a moment after its work is done and known to be done.
  std::mutex timelines_mutex;
  std::vector<VkSemaphore> timelines;

  Context() = default;
  DeviceQueue& queue_for(StreamPriority priority, StreamUse use);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context();
};

}  // namespace weft::device::vulkan
