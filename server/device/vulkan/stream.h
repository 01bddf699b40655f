// SPDX-License-Identifier: Apache-2.0
// A stream on a Vulkan queue: commands are recorded into command buffers, a mark submits them, and a timeline
// semaphore says how far the queue has come.
#pragma once

#include <array>
#include <deque>

#include "server/device/backend.h"
#include "server/device/vulkan/buffer.h"
#include "server/device/vulkan/context.h"
#include "server/device/vulkan/kernel.h"

namespace weft::device::vulkan {

// A timeline semaphore, counted from 0; shared with the submitted work of streams that wait for it.
class TimelineSemaphore {
 public:
  static StatusOr<std::shared_ptr<TimelineSemaphore>> make(Context& context);
  explicit TimelineSemaphore(Context& context) : context_(context) {}
  ~TimelineSemaphore();
  TimelineSemaphore(const TimelineSemaphore&) = delete;
  TimelineSemaphore& operator=(const TimelineSemaphore&) = delete;

  VkSemaphore handle() const { return semaphore_; }
  uint64_t raw(uint64_t value) const { return first_ + value; }  // what the semaphore counts then
  // How far it has come; past everything once the device is lost.
  uint64_t value() const;
  Status wait(uint64_t value) const;

 private:
  bool take_kept();  // false: there is none

  Context& context_;
  VkSemaphore semaphore_ = VK_NULL_HANDLE;
  uint64_t first_ = 0;  // what a semaphore that was another stream's counted before
};

class VulkanStream final : public StreamBackend {
 public:
  // `patterns`: 256 times 4 bytes, the n-th four of value n; what fills copy from at unaligned ends.
  static StatusOr<std::unique_ptr<StreamBackend>> make(Context& context, DeviceQueue& queue,
                                                       const VulkanBuffer& patterns);
  VulkanStream(Context& context, DeviceQueue& queue, const VulkanBuffer& patterns)
      : context_(context), queue_(queue), patterns_(patterns) {}
  ~VulkanStream() override;

  Status launch(const KernelBackend& kernel, Grid grid, std::span<const std::byte> params) override;
  Status copy(BufferBackend& to, size_t to_offset, const BufferBackend& from, size_t from_offset,
              size_t bytes) override;
  Status fill(BufferBackend& to, size_t offset, size_t bytes, std::byte value) override;
  Status mark(uint64_t serial) override;
  Status wait_for(StreamBackend& other, uint64_t serial) override;
  bool is_done(uint64_t serial) const override { return timeline_->value() >= value_of(serial); }
  Status wait(uint64_t serial) override { return timeline_->wait(value_of(serial)); }
  Status wait_all() override;
  StatusOr<Duration> elapsed(uint64_t from, uint64_t to) const override;

 private:
  struct Wait {
    std::shared_ptr<TimelineSemaphore> timeline;
    uint64_t value;
  };
  struct Submitted {
    VkCommandBuffer commands;
    uint64_t value;  // finished when the timeline has come this far
    std::vector<Wait> waits;
  };

  Status create();
  enum class Command { kOther, kLaunch };
  // The command buffer to record the next command into, ordered after all before it.
  StatusOr<VkCommandBuffer> next_command(Command command);
  Status begin();
  Status recorded();  // submits when enough has been recorded
  Status submit();
  Status queue_up(VkCommandBuffer commands, uint64_t value);
  uint64_t value_of(uint64_t serial) const;

  Context& context_;
  DeviceQueue& queue_;
  const VulkanBuffer& patterns_;
  std::shared_ptr<TimelineSemaphore> timeline_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkQueryPool times_ = VK_NULL_HANDLE;  // of mark n at n modulo kMarksKept

  std::mutex mutex_;  // of what follows: wait_all may come from another thread
  VkCommandBuffer recording_ = VK_NULL_HANDLE;
  int commands_recorded_ = 0;
  Command last_command_ = Command::kOther;
  uint64_t last_submitted_ = 0;
  std::vector<Wait> waits_;  // of the next submit
  std::deque<Submitted> submitted_;
  std::array<std::atomic<uint64_t>, Stream::kMarksKept>
      values_{};  // of the timeline, for mark n at n modulo kMarksKept
};

}  // namespace weft::device::vulkan
