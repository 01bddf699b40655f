// SPDX-License-Identifier: Apache-2.0
// Allocates a VkBuffer with memory of its own. Kernels access it through its device address.
#pragma once

#include "server/device/backend.h"
#include "server/device/vulkan/context.h"

namespace weft::device::vulkan {

class VulkanBuffer final : public BufferBackend {
 public:
  static StatusOr<std::unique_ptr<BufferBackend>> make(Context& context, MemoryKind kind, size_t size_bytes);
  explicit VulkanBuffer(Context& context) : context_(context) {}
  ~VulkanBuffer() override;

  uint64_t address() const override { return address_; }
  std::byte* host() const override { return host_; }
  VkBuffer handle() const { return buffer_; }
  VkDeviceSize base() const { return base_; }  // offset of byte 0 in handle()

 private:
  Status create(size_t size_bytes);
  Status bind(MemoryKind kind);
  Status map();

  Context& context_;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  uint64_t address_ = 0;
  VkDeviceSize base_ = 0;
  std::byte* host_ = nullptr;
};

}  // namespace weft::device::vulkan
