// SPDX-License-Identifier: Apache-2.0
#include "server/device/vulkan/buffer.h"

#include <optional>

namespace weft::device::vulkan {
namespace {

constexpr uint64_t kAlignment = 256;  // alignment of addresses that device.h guarantees

constexpr VkMemoryPropertyFlags kDeviceMemory = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr VkMemoryPropertyFlags kHostMemory =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

// Returns the memory type with all of the needed and most of the preferred properties. Unified
// memory has all of them in one type.
std::optional<uint32_t> find_memory_type(const VkPhysicalDeviceMemoryProperties& memory, uint32_t allowed,
                                         MemoryKind kind) {
  const bool on_device = kind == MemoryKind::kDevice;
  const VkMemoryPropertyFlags needed = on_device ? kDeviceMemory : kHostMemory;
  std::optional<uint32_t> best;
  int best_score = -1;
  for (uint32_t i = 0; i < memory.memoryTypeCount; i++) {
    const VkMemoryPropertyFlags flags = memory.memoryTypes[i].propertyFlags;
    if ((allowed >> i & 1) == 0 || (flags & needed) != needed) continue;
    const bool is_cached = (flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT) != 0;
    const bool is_on_device = (flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) != 0;
    const bool is_visible = (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0;
    // Device memory that the host can access is small and slow to read, and is therefore avoided.
    const int score = (is_on_device == on_device ? 4 : 0) + (is_visible != on_device ? 2 : 0) +
                      (is_cached == (kind == MemoryKind::kDownload) ? 1 : 0);
    if (score > best_score) {
      best = i;
      best_score = score;
    }
  }
  return best;
}

}  // namespace

StatusOr<std::unique_ptr<BufferBackend>> VulkanBuffer::make(Context& context, MemoryKind kind,
                                                            size_t size_bytes) {
  auto buffer = std::make_unique<VulkanBuffer>(context);
  RETURN_IF_ERROR(buffer->create(size_bytes));
  RETURN_IF_ERROR(buffer->bind(kind));
  if (kind != MemoryKind::kDevice) RETURN_IF_ERROR(buffer->map());
  return buffer;
}

VulkanBuffer::~VulkanBuffer() {
  context_.vk.vkDestroyBuffer(context_.device, buffer_, nullptr);
  context_.vk.vkFreeMemory(context_.device, memory_, nullptr);
}

Status VulkanBuffer::create(size_t size_bytes) {
  VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = size_bytes + kAlignment - 1;  // so that byte 0 can have an aligned address
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
               VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  info.sharingMode = context_.families.size() > 1 ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE;
  info.queueFamilyIndexCount = static_cast<uint32_t>(context_.families.size());
  info.pQueueFamilyIndices = context_.families.data();
  return status_of(context_.vk.vkCreateBuffer(context_.device, &info, nullptr, &buffer_), "vkCreateBuffer");
}

Status VulkanBuffer::bind(MemoryKind kind) {
  VkMemoryRequirements needed{};
  context_.vk.vkGetBufferMemoryRequirements(context_.device, buffer_, &needed);
  const std::optional<uint32_t> type = find_memory_type(context_.memory, needed.memoryTypeBits, kind);
  if (!type)
    return internal_error("The Vulkan driver has no memory type for a buffer of kind {}.",
                          static_cast<int>(kind));
  VkMemoryAllocateFlagsInfo flags{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo info{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = &flags};
  info.allocationSize = needed.size;
  info.memoryTypeIndex = *type;
  RETURN_IF_ERROR(
      status_of(context_.vk.vkAllocateMemory(context_.device, &info, nullptr, &memory_), "vkAllocateMemory"));
  RETURN_IF_ERROR(
      status_of(context_.vk.vkBindBufferMemory(context_.device, buffer_, memory_, 0), "vkBindBufferMemory"));
  VkBufferDeviceAddressInfo address{.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = buffer_};
  const uint64_t start = context_.vk.vkGetBufferDeviceAddress(context_.device, &address);
  address_ = (start + kAlignment - 1) / kAlignment * kAlignment;
  base_ = address_ - start;
  return ok_status();
}

Status VulkanBuffer::map() {
  void* host = nullptr;
  RETURN_IF_ERROR(status_of(context_.vk.vkMapMemory(context_.device, memory_, 0, VK_WHOLE_SIZE, 0, &host),
                            "vkMapMemory"));
  host_ = static_cast<std::byte*>(host) + base_;
  return ok_status();
}

}  // namespace weft::device::vulkan
