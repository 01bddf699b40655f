// SPDX-License-Identifier: Apache-2.0
// Runs the middle stage of a texture job: the images of one texture pass through the network on the
// device, in portions that the device's loop starts by its schedule.
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
  // Receives each image's outputs, in order: the first level, the generated levels, then the
  // comparison's results.
  using Take = std::function<Status(int image, const std::vector<std::span<const std::byte>>& outputs)>;

  // Creates a stage and allocates all that it needs. All arguments must outlive the stage.
  // `blocks_before` is the number of blocks that the job finished before this texture.
  // RESOURCE_EXHAUSTED: the images do not fit on the device.
  static StatusOr<std::unique_ptr<TextureStage>> open(device::Device& device, DeviceLoop& loop,
                                                      const TexturePlan& plan, schedule::SourceSpec source,
                                                      JobMeter& meter, int64_t blocks_before);
  ~TextureStage();  // blocks until the work on the device has ended

  // Processes all images of `texture`. Ends early, without an error, after stop().
  Status run(const media::Texture& texture, const Take& take);

  // Returns the stage for stop() and change(), which any thread may call.
  BatchStage& batch_stage() { return stage_; }
  int portions() const { return pipeline_->portions(); }
  size_t device_bytes() const { return pipeline_->plan().device_bytes(); }

 private:
  TextureStage(std::unique_ptr<graph::Pipeline> pipeline, DeviceLoop& loop, JobMeter& meter,
               int64_t blocks_before);
  Status feed(const media::Texture& texture);
  Status deliver(const Take& take);
  void report_progress(double images);

  std::unique_ptr<graph::Pipeline> pipeline_;
  DeviceLoop& loop_;
  JobMeter& meter_;
  const int64_t before_;  // finished blocks of the job when the stage was opened
  int64_t image_blocks_ = 0;
  BatchStage stage_;
};

}  // namespace weft::worker
