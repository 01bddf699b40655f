// SPDX-License-Identifier: Apache-2.0
// Runs the middle stage of a job: source frames enter the pipeline on the device, the device's loop
// starts their batches by its schedule, and pictures leave it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/status.h"
#include "server/device/device.h"
#include "server/graph/pipeline.h"
#include "server/media/read/source/video_source.h"
#include "server/worker/device/batch_stage.h"
#include "server/worker/device/device_loop.h"
#include "server/worker/device/job_meter.h"
#include "server/worker/job/bounded_queue.h"
#include "server/worker/video/encode_stage.h"

namespace weft::worker {

// Returns the pipeline's plan options for such frames; `pictures_held` is that of Start.
graph::PlanOptions plan_options(const VideoFormat& source, int pictures_held);

class FilterStage final {
 public:
  struct Start {
    int64_t first_frame = 0;   // index of the first source frame that is pushed
    int64_t first_wanted = 0;  // earlier frames are context: they give no pictures
    std::string state{};       // state of the filters in the form that Pipeline accepts
    int pictures_held = 8;     // limit of the pictures that wait for the encoder
    int batch_halvings = 0;    // as in v1.JobAttempt
    // owner, class, priority, weights and cost key; open() sets the other fields
    schedule::SourceSpec source;
  };

  // Creates a stage and allocates all that it needs. `loop` must drive `device`; both must outlive
  // the stage. RESOURCE_EXHAUSTED: the device's memory is insufficient.
  static StatusOr<std::unique_ptr<FilterStage>> open(device::Device& device, DeviceLoop& loop,
                                                     graph::Network network, const Start& start,
                                                     JobMeter& meter);
  ~FilterStage();  // blocks until the work on the device has ended

  // Processes `frames` until the queue is drained and every picture is in `pictures`, and then
  // closes `pictures`. Ends early, without an error, when `pictures` is abandoned or after stop().
  // Errors are the device's.
  Status run(BoundedQueue<media::SourceFrame>& frames, BoundedQueue<OutputPicture>& pictures);

  // Returns the stage for stop() and change(), which any thread may call.
  BatchStage& batch_stage() { return stage_; }

  // Returns the format of the input frames.
  const VideoFormat& source_format() const { return pipeline_->source_format().video; }
  const graph::Plan& plan() const { return pipeline_->plan(); }
  // Returns a description of the chain and its plan, for the job's log.
  std::string describe() const { return pipeline_->plan().describe(); }
  // Returns the filters' state after a source frame; all its pictures must have been delivered. Any
  // thread.
  std::string state_after(int64_t frame) { return pipeline_->state_after(frame - start_.first_frame); }

 private:
  FilterStage(std::unique_ptr<graph::Pipeline> pipeline, DeviceLoop& loop, const Start& start,
              JobMeter& meter);

  // Pushes frames while there is capacity, until the end of the input.
  Status feed(BoundedQueue<media::SourceFrame>& frames);
  Status push(media::SourceFrame frame);
  Status push_samples(const media::SourceFrame& frame, const graph::FrameInfo& info);
  // Delivers finished pictures until the end.
  Status deliver(BoundedQueue<OutputPicture>& pictures);
  OutputPicture to_output(const graph::OutputUnit& unit) const;

  std::unique_ptr<graph::Pipeline> pipeline_;
  DeviceLoop& loop_;
  VideoFormat format_;  // format of the output pictures
  Start start_;
  JobMeter& meter_;
  BatchStage stage_;
};

}  // namespace weft::worker
