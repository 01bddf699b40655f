// SPDX-License-Identifier: Apache-2.0
// Holds the logical device, its functions and its queues, which the buffers, kernels and streams of
// a Vulkan device share.
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
  std::mutex mutex;  // held during a submit
};

struct Context {
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VolkDeviceTable vk{};
  VkPhysicalDeviceMemoryProperties memory{};
  double timestamp_period_ns = 0;  // 0: the queues have no timestamps
  uint64_t timestamp_mask = 0;     // the valid bits of a timestamp
  std::vector<uint32_t> families;  // queue families that share the buffers
  // The first quarter has high priority, the last quarter low priority.
  std::vector<std::unique_ptr<DeviceQueue>> compute;
  std::vector<std::unique_ptr<DeviceQueue>> transfer;  // empty: compute queues run the copies
  std::atomic<uint32_t> streams_made = 0;
  VkPipelineLayout layout = VK_NULL_HANDLE;  // layout of all kernels: 128 bytes of push constants
  VkPipelineCache cache = VK_NULL_HANDLE;
  // Timeline semaphores of destroyed streams, for reuse. They are not destroyed before the device:
  // Mesa's queues (22.3) release the wait semaphores of a submit shortly after its work is known to
  // be done.
  std::mutex timelines_mutex;
  std::vector<VkSemaphore> timelines;

  Context() = default;
  DeviceQueue& queue_for(StreamPriority priority, StreamUse use);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context();
};

}  // namespace weft::device::vulkan
