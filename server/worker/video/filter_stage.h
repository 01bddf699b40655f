// SPDX-License-Identifier: Apache-2.0
// The middle stage of a job: source frames go into the pipeline on the device, in batches that the device's loop
// starts when their turn comes, and pictures come out.
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

// How the pipeline of such frames is planned; `pictures_held` as Start has it.
graph::PlanOptions plan_options(const VideoFormat& source, int pictures_held);

class FilterStage final {
 public:
  struct Start {
    int64_t first_frame = 0;      // index of the first source frame that comes
    int64_t first_wanted = 0;     // frames before it are context: no picture comes of them
    std::string state{};          // of the filters, as Pipeline takes it
    int pictures_held = 8;        // that wait for the encoder, at most
    schedule::SourceSpec source;  // owner, class, priority, weights and cost key; the rest is filled in
  };

  // Allocates everything that running needs. RESOURCE_EXHAUSTED: the device's memory is short. `loop` drives `device`;
  // both outlive the stage.
  static StatusOr<std::unique_ptr<FilterStage>> open(device::Device& device, DeviceLoop& loop,
                                                     graph::Network network, const Start& start,
                                                     JobMeter& meter);
  ~FilterStage();  // waits for what is on the device

  // Until `frames` is drained and every picture is in `pictures`, which is closed then. Ends early, without an
  // error, when `pictures` is abandoned or after stop(). Errors are the device's.
  Status run(BoundedQueue<media::SourceFrame>& frames, BoundedQueue<OutputPicture>& pictures);

  // Any thread stops and changes it.
  BatchStage& batch_stage() { return stage_; }

  // Of the frames that it takes.
  const VideoFormat& source_format() const { return pipeline_->source_format().video; }
  // The chain and what was planned for it, for the job's log.
  std::string describe() const { return pipeline_->plan().describe(); }
  // What the filters remember after a source frame, of which every picture was delivered. Any thread.
  std::string state_after(int64_t frame) { return pipeline_->state_after(frame - start_.first_frame); }

 private:
  FilterStage(std::unique_ptr<graph::Pipeline> pipeline, DeviceLoop& loop, const Start& start,
              JobMeter& meter);

  // Pushes frames, as there is room for them, until there are no more.
  Status feed(BoundedQueue<media::SourceFrame>& frames);
  Status push(media::SourceFrame frame);
  Status push_samples(const media::SourceFrame& frame, const graph::FrameInfo& info);
  // Delivers pictures, as they are made, until there are no more.
  Status deliver(BoundedQueue<OutputPicture>& pictures);
  OutputPicture to_output(const graph::OutputUnit& unit) const;

  std::unique_ptr<graph::Pipeline> pipeline_;
  DeviceLoop& loop_;
  VideoFormat format_;  // of the pictures
  Start start_;
  JobMeter& meter_;
  BatchStage stage_;
};

}  // namespace weft::worker
