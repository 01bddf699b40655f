// SPDX-License-Identifier: Apache-2.0
// The middle stage of a job: source frames go into the filter graph on the device, in batches that the schedule
// sizes, and pictures come out.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "base/status.h"
#include "server/device/device.h"
#include "server/filters/graph.h"
#include "server/media/video_source.h"
#include "server/schedule/batch_schedule.h"
#include "server/worker/bounded_queue.h"
#include "server/worker/encode_stage.h"
#include "server/worker/job_meter.h"
#include "server/worker/video_plan.h"

namespace weft::worker {

class FilterStage {
 public:
  struct Start {
    int64_t first_frame = 0;      // index of the first source frame that comes
    int64_t first_wanted = 0;     // frames before it are context: no picture comes of them
    bool filter_started = false;  // the filter's state before first_wanted
    schedule::BatchCost cost;     // as far as it is known
    int pictures_held = 8;        // that wait for the encoder, at most
  };

  // Allocates everything that running needs. RESOURCE_EXHAUSTED: the device's memory is short.
  static StatusOr<std::unique_ptr<FilterStage>> open(device::Device& device, const VideoPlan& plan,
                                                     const Start& start, JobMeter& meter);

  // Until `frames` is drained and every picture is in `pictures`, which is closed then. Ends early, without an
  // error, when `pictures` is abandoned. Errors are the device's.
  Status run(BoundedQueue<media::SourceFrame>& frames, BoundedQueue<OutputPicture>& pictures);

  const schedule::BatchCost& cost() const { return schedule_.cost; }
  // The chain and what was planned for it, for the job's log.
  std::string describe() const { return graph_->describe(); }

 private:
  FilterStage(std::unique_ptr<filters::Graph> graph, const VideoPlan& plan, const Start& start,
              JobMeter& meter);

  // Takes frames while there is room; waits for one only when nothing else is to be done.
  Status feed(BoundedQueue<media::SourceFrame>& frames);
  Status push(const media::SourceFrame& frame);
  // Starts the batches that are due.
  Status advance(const schedule::Event& event);
  // Delivers the oldest batch's pictures, waiting for the device. False: nobody wants them any more.
  StatusOr<bool> deliver(BoundedQueue<OutputPicture>& pictures);
  void forget_batches_up_to(const filters::OutputPicture& picture);
  Status learn();
  OutputPicture to_output(const filters::OutputPicture& picture) const;

  std::unique_ptr<filters::Graph> graph_;
  VideoFormat format_;  // of the pictures
  Start start_;
  JobMeter& meter_;
  schedule::BatchState schedule_;
  int64_t submitted_ = 0;             // source frames
  std::deque<int64_t> batch_ends_;    // submitted_ after each batch whose pictures are not all delivered
  std::deque<Duration> batch_times_;  // of batches that have ended and are not told to the schedule yet
  bool input_ended_ = false;
};

}  // namespace weft::worker
