// SPDX-License-Identifier: Apache-2.0
#include "server/device/vulkan/device.h"

#include <algorithm>
#include <cstring>

#include "server/device/vulkan/buffer.h"
#include "server/device/vulkan/context.h"
#include "server/device/vulkan/instance.h"
#include "server/device/vulkan/kernel.h"
#include "server/device/vulkan/stream.h"

namespace weft::device::vulkan {
namespace {

constexpr uint32_t kMostQueues = 8;  // limit of the queues of a family
constexpr uint32_t kPushConstantBytes = 128;

// Returns the priorities of a family's queues: high for the first quarter, low for the last one,
// normal for the others (Context::queue_for).
std::vector<float> priorities(uint32_t count) {
  std::vector<float> result(count, 0.5f);
  for (uint32_t i = 0; count >= 4 && i < count / 4; i++) {
    result[i] = 1.0f;
    result[count - 1 - i] = 0.0f;
  }
  return result;
}

class VulkanDevice final : public DeviceBackend {
 public:
  explicit VulkanDevice(PipelineCache cache) : cache_(std::move(cache)) {}

  Status create(VkPhysicalDevice physical);

  StatusOr<std::unique_ptr<BufferBackend>> allocate(MemoryKind kind, size_t size_bytes) override {
    return VulkanBuffer::make(context_, kind, size_bytes);
  }
  StatusOr<std::unique_ptr<StreamBackend>> make_stream(StreamPriority priority, StreamUse use) override {
    return VulkanStream::make(context_, context_.queue_for(priority, use),
                              static_cast<VulkanBuffer&>(*patterns_));
  }
  StatusOr<std::unique_ptr<KernelBackend>> load(const kernels::KernelImage& image, KernelForm form) override;
  std::optional<size_t> memory_used_by_all_bytes() const override {
    return vulkan::memory_used_by_all_bytes(context_.physical);
  }

 private:
  Status create_device(const QueueFamilies& families);
  Status create_layout();
  Status create_cache();
  Status create_patterns();
  std::vector<std::byte> cache_bytes() const;

  PipelineCache cache_;
  std::vector<std::byte> cached_;  // content of the file
  Context context_;
  std::unique_ptr<BufferBackend> patterns_;
};

Status VulkanDevice::create(VkPhysicalDevice physical) {
  const QueueFamilies families = find_queue_families(physical);
  context_.physical = physical;
  vkGetPhysicalDeviceMemoryProperties(physical, &context_.memory);
  VkPhysicalDeviceProperties properties{};
  vkGetPhysicalDeviceProperties(physical, &properties);
  if (families.timestamp_bits > 0) context_.timestamp_period_ns = properties.limits.timestampPeriod;
  context_.timestamp_mask =
      families.timestamp_bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << families.timestamp_bits) - 1;
  RETURN_IF_ERROR(create_device(families));
  RETURN_IF_ERROR(create_layout());
  RETURN_IF_ERROR(create_cache());
  return create_patterns();
}

Status VulkanDevice::create_device(const QueueFamilies& families) {
  const uint32_t compute_queues = std::min(families.compute_queues, kMostQueues);
  const uint32_t transfer_queues = std::min(families.transfer_queues, kMostQueues);
  const std::vector<float> compute_priorities = priorities(compute_queues);
  const std::vector<float> transfer_priorities(transfer_queues, 0.5f);
  std::vector<VkDeviceQueueCreateInfo> queues(families.transfer ? 2 : 1);
  for (VkDeviceQueueCreateInfo& queue : queues) queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queues[0].queueFamilyIndex = families.compute;
  queues[0].queueCount = compute_queues;
  queues[0].pQueuePriorities = compute_priorities.data();
  context_.families.push_back(families.compute);
  if (families.transfer) {
    queues[1].queueFamilyIndex = *families.transfer;
    queues[1].queueCount = transfer_queues;
    queues[1].pQueuePriorities = transfer_priorities.data();
    context_.families.push_back(*families.transfer);
  }
  Features features;
  features.need_all();
  VkDeviceCreateInfo info{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &features.core};
  info.queueCreateInfoCount = static_cast<uint32_t>(queues.size());
  info.pQueueCreateInfos = queues.data();
  RETURN_IF_ERROR(
      status_of(vkCreateDevice(context_.physical, &info, nullptr, &context_.device), "vkCreateDevice"));
  volkLoadDeviceTable(&context_.vk, context_.device);
  for (const VkDeviceQueueCreateInfo& created : queues) {
    auto& made = created.queueFamilyIndex == families.compute ? context_.compute : context_.transfer;
    for (uint32_t i = 0; i < created.queueCount; i++) {
      made.push_back(std::make_unique<DeviceQueue>());
      made.back()->family = created.queueFamilyIndex;
      context_.vk.vkGetDeviceQueue(context_.device, created.queueFamilyIndex, i, &made.back()->queue);
    }
  }
  return ok_status();
}

Status VulkanDevice::create_layout() {
  const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, kPushConstantBytes};
  VkPipelineLayoutCreateInfo info{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  info.pushConstantRangeCount = 1;
  info.pPushConstantRanges = &range;
  return status_of(context_.vk.vkCreatePipelineLayout(context_.device, &info, nullptr, &context_.layout),
                   "vkCreatePipelineLayout");
}

Status VulkanDevice::create_cache() {
  const std::vector<std::byte> kept = cache_.read();
  VkPipelineCacheCreateInfo info{.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  info.initialDataSize = kept.size();
  info.pInitialData = kept.data();
  RETURN_IF_ERROR(
      status_of(context_.vk.vkCreatePipelineCache(context_.device, &info, nullptr, &context_.cache),
                "vkCreatePipelineCache"));
  if (!kept.empty()) cached_ = cache_bytes();
  return ok_status();
}

Status VulkanDevice::create_patterns() {
  ASSIGN_OR_RETURN(patterns_, VulkanBuffer::make(context_, MemoryKind::kUpload, 256 * 4));
  for (int value = 0; value < 256; value++) std::memset(patterns_->host() + value * 4, value, 4);
  return ok_status();
}

std::vector<std::byte> VulkanDevice::cache_bytes() const {
  size_t size = 0;
  if (context_.vk.vkGetPipelineCacheData(context_.device, context_.cache, &size, nullptr) != VK_SUCCESS)
    return {};
  std::vector<std::byte> bytes(size);
  if (context_.vk.vkGetPipelineCacheData(context_.device, context_.cache, &size, bytes.data()) != VK_SUCCESS)
    return {};
  bytes.resize(size);
  return bytes;
}

// Loads a kernel; the front end calls this for one kernel at a time. The file is written at once,
// since a worker may be killed at any time.
StatusOr<std::unique_ptr<KernelBackend>> VulkanDevice::load(const kernels::KernelImage& image,
                                                            KernelForm form) {
  if (image.spirv.empty()) return not_found("The kernel '{}' was not built for Vulkan.", image.name);
  ASSIGN_OR_RETURN(std::unique_ptr<VulkanKernel> kernel, VulkanKernel::make(context_, image, form));
  std::vector<std::byte> bytes = cache_bytes();
  if (bytes != cached_) cache_.write(bytes);
  cached_ = std::move(bytes);
  return kernel;
}

}  // namespace

Found find_devices() {
  Found found;
  const StatusOr<std::vector<VkPhysicalDevice>> devices = physical_devices();
  if (!devices.ok()) {
    found.notes.push_back(message_of(devices.status()));
    return found;
  }
  for (size_t i = 0; i < devices->size(); i++) {
    const Status usable = check_usable((*devices)[i]);
    if (usable.ok()) {
      found.devices.push_back(describe((*devices)[i], i));
    } else {
      found.notes.push_back(fmt::format("vulkan:{} cannot be used: {}", i, message_of(usable)));
    }
  }
  return found;
}

StatusOr<std::unique_ptr<DeviceBackend>> open(const DeviceInfo& info, const OpenOptions& options) {
  ASSIGN_OR_RETURN(const std::vector<VkPhysicalDevice> devices, physical_devices());
  for (size_t i = 0; i < devices.size(); i++) {
    if (describe(devices[i], i).id != info.id) continue;
    RETURN_IF_ERROR(check_usable(devices[i]));
    auto device = std::make_unique<VulkanDevice>(PipelineCache(options.cache_folder, info));
    RETURN_IF_ERROR(device->create(devices[i]));
    return device;
  }
  return not_found("The device {} is no longer there.", info.id);
}

}  // namespace weft::device::vulkan
