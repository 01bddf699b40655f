// SPDX-License-Identifier: Apache-2.0
// A compute pipeline, and the cache that keeps compiled pipelines on disk.
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

// A file of pipelines that the driver compiled before. A file that is damaged, or of another driver, is as none.
class PipelineCache {
 public:
  // `folder` may be empty: nothing is kept. `driver` tells devices and driver versions apart.
  PipelineCache(const std::string& folder, const DeviceInfo& info);

  std::vector<std::byte> read() const;
  // Replaces the file as a whole, so that a reader never sees half of it. What fails is logged: it costs time, no more.
  void write(std::span<const std::byte> pipelines) const;

 private:
  std::string path_;
};

}  // namespace weft::device::vulkan
