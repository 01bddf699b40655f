// SPDX-License-Identifier: Apache-2.0
// Creates the compute pipeline of a kernel, and stores compiled pipelines in a file.
#pragma once

#include "server/device/backend.h"
#include "server/device/vulkan/context.h"

namespace weft::device::vulkan {

class VulkanKernel final : public KernelBackend {
 public:
  static StatusOr<std::unique_ptr<VulkanKernel>> make(Context& context, const kernels::KernelImage& image,
                                                      KernelForm form);
  VulkanKernel(Context& context, BlockShape block) : context_(context), block_(block) {}
  ~VulkanKernel() override;

  VkPipeline pipeline() const { return pipeline_; }
  uint32_t block_x() const { return block_.x; }
  uint32_t block_y() const { return block_.y; }

 private:
  Context& context_;
  const BlockShape block_;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
};

// A file of pipelines that the driver has compiled. A damaged file is ignored; each driver version
// has a file of its own.
class PipelineCache {
 public:
  // Selects the file of the device and its driver version in `folder`. If `folder` is empty,
  // nothing is stored.
  PipelineCache(const std::string& folder, const DeviceInfo& info);

  std::vector<std::byte> read() const;
  // Replaces the file atomically, so that no process reads a partial file. Errors are only logged,
  // since the pipelines can be compiled again.
  void write(std::span<const std::byte> pipelines) const;

 private:
  std::string path_;
};

}  // namespace weft::device::vulkan
