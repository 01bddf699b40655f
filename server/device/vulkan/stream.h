// SPDX-License-Identifier: Apache-2.0
// Runs a stream on a Vulkan queue. Commands are recorded into command buffers, and a mark submits
// them. A timeline semaphore contains the number of command buffers that have ended.
#pragma once

#include <array>
#include <deque>

#include "server/device/backend.h"
#include "server/device/vulkan/buffer.h"
#include "server/device/vulkan/context.h"
#include "server/device/vulkan/kernel.h"

namespace weft::device::vulkan {

// A timeline semaphore that counts from 0. Submitted work of streams that wait for it shares it.
class TimelineSemaphore {
 public:
  static StatusOr<std::shared_ptr<TimelineSemaphore>> make(Context& context);
  explicit TimelineSemaphore(Context& context) : context_(context) {}
  ~TimelineSemaphore();
  TimelineSemaphore(const TimelineSemaphore&) = delete;
  TimelineSemaphore& operator=(const TimelineSemaphore&) = delete;

  VkSemaphore handle() const { return semaphore_; }
  // Returns the value of the Vulkan semaphore for `value`.
  uint64_t raw(uint64_t value) const { return first_ + value; }
  // Returns the progress of the stream, or the largest number if the device is lost.
  uint64_t value() const;
  Status wait(uint64_t value) const;

 private:
  bool take_kept();  // reuses a semaphore; returns false if none is left

  Context& context_;
  VkSemaphore semaphore_ = VK_NULL_HANDLE;
  uint64_t first_ = 0;  // value of a reused semaphore at its start
};

class VulkanStream final : public StreamBackend {
 public:
  // `patterns` contains 256 groups of 4 bytes; group n has four bytes with the value n. They are
  // the sources of fills at unaligned ends.
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
    uint64_t value;  // value of the timeline when the work has ended
    std::vector<Wait> waits;
  };

  Status create();
  enum class Command { kOther, kLaunch };
  // Returns the command buffer for the next command, after a barrier that orders it after all
  // earlier ones.
  StatusOr<VkCommandBuffer> next_command(Command command);
  Status begin();
  Status recorded();  // submits if enough commands are recorded
  Status submit();
  Status queue_up(VkCommandBuffer commands, uint64_t value);
  uint64_t value_of(uint64_t serial) const;

  Context& context_;
  DeviceQueue& queue_;
  const VulkanBuffer& patterns_;
  std::shared_ptr<TimelineSemaphore> timeline_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkQueryPool times_ = VK_NULL_HANDLE;  // time of mark n at the index n modulo kMarksKept

  std::mutex mutex_;  // guards the members below, since another thread may call wait_all
  VkCommandBuffer recording_ = VK_NULL_HANDLE;
  int commands_recorded_ = 0;
  Command last_command_ = Command::kOther;
  uint64_t last_submitted_ = 0;
  std::vector<Wait> waits_;  // waits of the next submit
  std::deque<Submitted> submitted_;
  std::array<std::atomic<uint64_t>, Stream::kMarksKept>
      values_{};  // value of the timeline for mark n, at the index n modulo kMarksKept
};

}  // namespace weft::device::vulkan
