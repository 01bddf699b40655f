// SPDX-License-Identifier: Apache-2.0
// Runs one attempt at a texture job on a device: the texture is read, its images are enlarged and encoded on the device, and the file is
// stored when all are there. The bytes depend on the input and the specification alone.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string_view>

#include "base/status.h"
#include "server/worker/job/finished_images.h"
#include "server/worker/job/job_runner.h"
#include "server/worker/job/pipeline_state.h"
#include "server/worker/job/progress_meter.h"
#include "server/worker/texture/texture_plan.h"
#include "server/worker/texture/texture_stage.h"

namespace weft::worker {

class TextureRunner final : public JobRunner {
 public:
  // What is shared, and `events`, outlive the runner.
  TextureRunner(JobOrder order, const DeviceShare& share, JobEvents& events);

  JobEnd run() override;
  void close() override;
  void stop(internal::v1::StopKind kind) override;
  void change(const schedule::SourceChanged& change) override;
  v1::JobProgress progress() const override;
  const JobMeter& meter() const override { return meter_; }

 private:
  Status attempt();
  StatusOr<media::Texture> prepare();
  StatusOr<media::Texture> process(const media::Texture& source);
  void keep_levels(const media::Texture& source, media::Texture& target) const;
  Status store(const media::Texture& texture, const FinishedImages& finished);
  v1::JobResult result_so_far() const;

  JobOrder order_;
  const DeviceShare share_;
  JobEvents& events_;
  const TimePoint start_ = std::chrono::steady_clock::now();
  PipelineState state_;
  JobMeter meter_;
  mutable ProgressMeter progress_;
  std::atomic<const char*> step_;
  std::atomic<int64_t> output_bytes_{0};
  JobNotes notes_;
  TexturePlan plan_;

  std::mutex stage_mutex_;
  schedule::SourceSpec source_;    // as last changed; guarded by stage_mutex_
  TextureStage* stage_ = nullptr;  // while it runs; guarded by stage_mutex_
};

}  // namespace weft::worker
