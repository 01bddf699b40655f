// SPDX-License-Identifier: Apache-2.0
// The middle stage of a texture job: the images of one texture go through the network on the device, whose portions the device's loop starts when their turn
// comes.
#pragma once

#include <functional>
#include <memory>

#include "base/status.h"
#include "server/graph/pipeline.h"
#include "server/worker/device/batch_stage.h"
#include "server/worker/device/job_meter.h"
#include "server/worker/texture/texture_plan.h"

namespace weft::worker {

class TextureStage final {
 public:
  // Told of each image's outputs, in order: the first level, then those that are made, then what a comparison tells.
  using Take = std::function<Status(int image, const std::vector<std::span<const std::byte>>& outputs)>;

  // Allocates everything that running needs. RESOURCE_EXHAUSTED: the images do not fit on the device. All outlive the stage.
  // `blocks_before`: of the job, that were done before this texture.
  static StatusOr<std::unique_ptr<TextureStage>> open(device::Device& device, DeviceLoop& loop,
                                                      const TexturePlan& plan, schedule::SourceSpec source,
                                                      JobMeter& meter, int64_t blocks_before);
  ~TextureStage();  // waits for what is on the device

  // All images of `texture`. Ends early, without an error, after stop().
  Status run(const media::Texture& texture, const Take& take);

  // Any thread stops and changes it.
  BatchStage& batch_stage() { return stage_; }
  int portions() const { return pipeline_->portions(); }
  size_t device_bytes() const { return pipeline_->plan().device_bytes(); }

 private:
  TextureStage(std::unique_ptr<graph::Pipeline> pipeline, DeviceLoop& loop, JobMeter& meter,
               int64_t blocks_before);
  Status feed(const media::Texture& texture);
  Status deliver(const Take& take);
  void tell_progress(double images);

  std::unique_ptr<graph::Pipeline> pipeline_;
  DeviceLoop& loop_;
  JobMeter& meter_;
  const int64_t before_;  // blocks that were done when it began
  int64_t image_blocks_ = 0;
  BatchStage stage_;
};

}  // namespace weft::worker
