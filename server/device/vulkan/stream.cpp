// SPDX-License-Identifier: Apache-2.0
#include "server/device/vulkan/stream.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace weft::device::vulkan {
namespace {

// Number of commands after which a submit occurs without a mark. The first is for an idle device,
// which then starts early. The second is for a busy device, since it pauses between submits.
constexpr int kCommandsPerSubmit = 32, kMostCommandsPerSubmit = 256;

const VulkanBuffer& as_vulkan(const BufferBackend& buffer) {
  return static_cast<const VulkanBuffer&>(buffer);
}

uint32_t divide_up(uint32_t value, uint32_t by) { return value / by + (value % by != 0 ? 1 : 0); }

}  // namespace

StatusOr<std::shared_ptr<TimelineSemaphore>> TimelineSemaphore::make(Context& context) {
  auto timeline = std::make_shared<TimelineSemaphore>(context);
  if (timeline->take_kept()) return timeline;
  VkSemaphoreTypeCreateInfo type{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
  RETURN_IF_ERROR(
      status_of(context.vk.vkCreateSemaphore(context.device, &info, nullptr, &timeline->semaphore_),
                "vkCreateSemaphore"));
  return timeline;
}

bool TimelineSemaphore::take_kept() {
  const std::lock_guard lock(context_.timelines_mutex);
  std::vector<VkSemaphore>& kept = context_.timelines;
  if (kept.empty()) return false;
  if (context_.vk.vkGetSemaphoreCounterValue(context_.device, kept.back(), &first_) != VK_SUCCESS)
    return false;
  semaphore_ = kept.back();
  kept.pop_back();
  return true;
}

TimelineSemaphore::~TimelineSemaphore() {
  if (semaphore_ == VK_NULL_HANDLE) return;
  const std::lock_guard lock(context_.timelines_mutex);
  context_.timelines.push_back(semaphore_);
}

uint64_t TimelineSemaphore::value() const {
  uint64_t value = 0;
  const VkResult result = context_.vk.vkGetSemaphoreCounterValue(context_.device, semaphore_, &value);
  return result == VK_SUCCESS ? value - first_ : std::numeric_limits<uint64_t>::max();
}

Status TimelineSemaphore::wait(uint64_t value) const {
  VkSemaphoreWaitInfo info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
  info.semaphoreCount = 1;
  info.pSemaphores = &semaphore_;
  const uint64_t counted = raw(value);
  info.pValues = &counted;
  constexpr uint64_t kForEver = std::numeric_limits<uint64_t>::max();
  return status_of(context_.vk.vkWaitSemaphores(context_.device, &info, kForEver), "vkWaitSemaphores");
}

StatusOr<std::unique_ptr<StreamBackend>> VulkanStream::make(Context& context, DeviceQueue& queue,
                                                            const VulkanBuffer& patterns) {
  auto stream = std::make_unique<VulkanStream>(context, queue, patterns);
  RETURN_IF_ERROR(stream->create());
  return stream;
}

Status VulkanStream::create() {
  ASSIGN_OR_RETURN(timeline_, TimelineSemaphore::make(context_));
  VkCommandPoolCreateInfo pool{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  pool.queueFamilyIndex = queue_.family;
  RETURN_IF_ERROR(status_of(context_.vk.vkCreateCommandPool(context_.device, &pool, nullptr, &pool_),
                            "vkCreateCommandPool"));
  if (context_.timestamp_period_ns == 0) return ok_status();
  VkQueryPoolCreateInfo times{.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
  times.queryType = VK_QUERY_TYPE_TIMESTAMP;
  times.queryCount = Stream::kMarksKept;
  return status_of(context_.vk.vkCreateQueryPool(context_.device, &times, nullptr, &times_),
                   "vkCreateQueryPool");
}

VulkanStream::~VulkanStream() {
  if (timeline_ != nullptr) static_cast<void>(wait_all());
  context_.vk.vkDestroyQueryPool(context_.device, times_, nullptr);
  context_.vk.vkDestroyCommandPool(context_.device, pool_, nullptr);
}

// Reuses a command buffer that has ended, or allocates a new one.
Status VulkanStream::begin() {
  const uint64_t finished = submitted_.empty() ? 0 : timeline_->value();
  if (!submitted_.empty() && submitted_.front().value <= finished) {
    recording_ = submitted_.front().commands;
    submitted_.pop_front();
  } else {
    VkCommandBufferAllocateInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    info.commandPool = pool_;
    info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    info.commandBufferCount = 1;
    RETURN_IF_ERROR(status_of(context_.vk.vkAllocateCommandBuffers(context_.device, &info, &recording_),
                              "vkAllocateCommandBuffers"));
  }
  VkCommandBufferBeginInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  return status_of(context_.vk.vkBeginCommandBuffer(recording_, &info), "vkBeginCommandBuffer");
}

StatusOr<VkCommandBuffer> VulkanStream::next_command(Command command) {
  if (recording_ == VK_NULL_HANDLE) RETURN_IF_ERROR(begin());
  // A barrier with fewer scopes takes less time. Most barriers are between kernels and need only
  // the compute scope.
  const bool is_among_launches =
      std::exchange(last_command_, command) == Command::kLaunch && command == Command::kLaunch;
  VkMemoryBarrier barrier{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  barrier.srcAccessMask = is_among_launches ? VK_ACCESS_SHADER_WRITE_BIT : VK_ACCESS_MEMORY_WRITE_BIT;
  barrier.dstAccessMask = is_among_launches ? VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT
                                            : VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  const VkPipelineStageFlags stages =
      is_among_launches ? VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT : VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  context_.vk.vkCmdPipelineBarrier(recording_, stages, stages, 0, 1, &barrier, 0, nullptr, 0, nullptr);
  return recording_;
}

Status VulkanStream::recorded() {
  if (++commands_recorded_ % kCommandsPerSubmit != 0) return ok_status();
  const bool is_idle = timeline_->value() >= last_submitted_;
  return is_idle || commands_recorded_ >= kMostCommandsPerSubmit ? submit() : ok_status();
}

Status VulkanStream::launch(const KernelBackend& kernel, Grid grid, std::span<const std::byte> params) {
  const std::lock_guard lock(mutex_);
  const auto& vulkan_kernel = static_cast<const VulkanKernel&>(kernel);
  ASSIGN_OR_RETURN(const VkCommandBuffer commands, next_command(Command::kLaunch));
  context_.vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, vulkan_kernel.pipeline());
  context_.vk.vkCmdPushConstants(commands, context_.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                 static_cast<uint32_t>(params.size()), params.data());
  context_.vk.vkCmdDispatch(commands, divide_up(grid.x, vulkan_kernel.block_x()),
                            divide_up(grid.y, vulkan_kernel.block_y()), grid.z);
  return recorded();
}

Status VulkanStream::copy(BufferBackend& to, size_t to_offset, const BufferBackend& from, size_t from_offset,
                          size_t bytes) {
  const std::lock_guard lock(mutex_);
  const VulkanBuffer& target = as_vulkan(to);
  const VulkanBuffer& source = as_vulkan(from);
  ASSIGN_OR_RETURN(const VkCommandBuffer commands, next_command(Command::kOther));
  const VkBufferCopy region{source.base() + from_offset, target.base() + to_offset, bytes};
  context_.vk.vkCmdCopyBuffer(commands, source.handle(), target.handle(), 1, &region);
  return recorded();
}

// Fills whole aligned words with vkCmdFillBuffer, and copies the bytes before and after them from
// the patterns.
Status VulkanStream::fill(BufferBackend& to, size_t offset, size_t bytes, std::byte value) {
  const std::lock_guard lock(mutex_);
  const VulkanBuffer& target = as_vulkan(to);
  ASSIGN_OR_RETURN(const VkCommandBuffer commands, next_command(Command::kOther));
  const uint32_t word = std::to_integer<uint32_t>(value) * 0x01010101u;
  const VkDeviceSize begin = target.base() + offset, end = begin + bytes;
  const VkDeviceSize first_word = std::min((begin + 3) / 4 * 4, end);
  const VkDeviceSize past_words = std::max(end / 4 * 4, first_word);
  const VkDeviceSize pattern = patterns_.base() + VkDeviceSize{4} * std::to_integer<uint32_t>(value);
  for (const auto& [from, past] : {std::pair(begin, first_word), std::pair(past_words, end)}) {
    const VkBufferCopy region{pattern, from, past - from};
    if (past > from) context_.vk.vkCmdCopyBuffer(commands, patterns_.handle(), target.handle(), 1, &region);
  }
  if (past_words > first_word)
    context_.vk.vkCmdFillBuffer(commands, target.handle(), first_word, past_words - first_word, word);
  return recorded();
}

Status VulkanStream::mark(uint64_t serial) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const VkCommandBuffer commands, next_command(Command::kOther));
  if (times_ != VK_NULL_HANDLE) {
    const auto query = static_cast<uint32_t>(serial % Stream::kMarksKept);
    context_.vk.vkCmdResetQueryPool(commands, times_, query, 1);
    context_.vk.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, times_, query);
  }
  values_[serial % Stream::kMarksKept] = last_submitted_ + 1;
  return submit();
}

uint64_t VulkanStream::value_of(uint64_t serial) const {
  return serial == 0 ? 0 : values_[serial % Stream::kMarksKept].load();
}

Status VulkanStream::submit() {
  const VkCommandBuffer commands = std::exchange(recording_, VK_NULL_HANDLE);
  commands_recorded_ = 0;
  VkMemoryBarrier barrier{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  context_.vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_HOST_BIT,
                                   0, 1, &barrier, 0, nullptr, 0, nullptr);
  RETURN_IF_ERROR(status_of(context_.vk.vkEndCommandBuffer(commands), "vkEndCommandBuffer"));
  RETURN_IF_ERROR(queue_up(commands, last_submitted_ + 1));
  last_submitted_++;
  submitted_.push_back({commands, last_submitted_, std::exchange(waits_, {})});
  return ok_status();
}

Status VulkanStream::queue_up(VkCommandBuffer commands, uint64_t value) {
  std::vector<VkSemaphore> semaphores;
  std::vector<uint64_t> values;
  for (const Wait& wait : waits_) {
    semaphores.push_back(wait.timeline->handle());
    values.push_back(wait.timeline->raw(wait.value));
  }
  const std::vector<VkPipelineStageFlags> stages(waits_.size(), VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  const VkSemaphore timeline = timeline_->handle();
  const uint64_t counted = timeline_->raw(value);
  VkTimelineSemaphoreSubmitInfo timelines{.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
  timelines.waitSemaphoreValueCount = static_cast<uint32_t>(values.size());
  timelines.pWaitSemaphoreValues = values.data();
  timelines.signalSemaphoreValueCount = 1;
  timelines.pSignalSemaphoreValues = &counted;
  VkSubmitInfo info{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .pNext = &timelines};
  info.waitSemaphoreCount = static_cast<uint32_t>(semaphores.size());
  info.pWaitSemaphores = semaphores.data();
  info.pWaitDstStageMask = stages.data();
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  info.signalSemaphoreCount = 1;
  info.pSignalSemaphores = &timeline;
  const std::lock_guard lock(queue_.mutex);
  return status_of(context_.vk.vkQueueSubmit(queue_.queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
}

Status VulkanStream::wait_for(StreamBackend& other, uint64_t serial) {
  const std::lock_guard lock(mutex_);
  if (recording_ != VK_NULL_HANDLE) RETURN_IF_ERROR(submit());  // earlier work does not wait
  const auto& other_stream = static_cast<const VulkanStream&>(other);
  if (serial != 0) waits_.push_back({other_stream.timeline_, other_stream.value_of(serial)});
  return ok_status();
}

Status VulkanStream::wait_all() {
  uint64_t value = 0;
  {
    const std::lock_guard lock(mutex_);
    if (recording_ != VK_NULL_HANDLE) RETURN_IF_ERROR(submit());
    value = last_submitted_;
  }
  return timeline_->wait(value);
}

StatusOr<Duration> VulkanStream::elapsed(uint64_t from, uint64_t to) const {
  if (times_ == VK_NULL_HANDLE) return unimplemented("The device has no timestamps.");
  uint64_t ticks[2] = {0, 0};
  for (int i = 0; i < 2; i++) {
    const auto query = static_cast<uint32_t>((i == 0 ? from : to) % Stream::kMarksKept);
    RETURN_IF_ERROR(
        status_of(context_.vk.vkGetQueryPoolResults(context_.device, times_, query, 1, sizeof(uint64_t),
                                                    &ticks[i], sizeof(uint64_t), VK_QUERY_RESULT_64_BIT),
                  "vkGetQueryPoolResults"));
  }
  const uint64_t between = (ticks[1] - ticks[0]) & context_.timestamp_mask;
  return Duration(static_cast<int64_t>(static_cast<double>(between) * context_.timestamp_period_ns));
}

}  // namespace weft::device::vulkan
