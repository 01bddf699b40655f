// SPDX-License-Identifier: Apache-2.0
// Runs the work that a kernel is tuned with: a filter's case at a usual size passes through a
// pipeline, batch by batch, in the device's loop, so that streams keep their deadlines.
#pragma once

#include <functional>
#include <memory>

#include "base/clock.h"
#include "server/graph/pipeline.h"
#include "server/worker/device/device_share.h"
#include "server/worker/device/drawn_frames.h"
#include "server/worker/device/preparing.h"
#include "server/worker/tuning/shape_observer.h"
#include "server/worker/tuning/tune_subjects.h"

namespace weft::worker {

class TunePass {
 public:
  // `share`, `preparing` and `observer` must outlive the object. The class, owner and weights of
  // `source` are used.
  TunePass(const DeviceShare& share, Preparing& preparing, ShapeObserver& observer,
           schedule::SourceSpec source)
      : share_(share), preparing_(preparing), observer_(observer), source_(std::move(source)) {}

  // Runs one batch after the other. After each batch, `next` sets the observer for the following
  // batch and returns whether to run it; it is not called before the first batch. Then the pipeline
  // is emptied with the observer as `next` left it. The frames are the same in each call. Errors
  // are those of the filter, the device and `next`. CANCELLED: `preparing` was stopped.
  Status run(const TuneSubject& subject, const std::function<StatusOr<bool>()>& next);

  // Runs `batches` batches with the observer unchanged and returns a hash of all output.
  StatusOr<uint64_t> run_batches(const TuneSubject& subject, int batches);

 private:
  StatusOr<std::unique_ptr<graph::Pipeline>> open(const TuneSubject& subject);
  // Runs batches as the function above. `hash` is updated with the output; null computes no hash.
  Status run(const TuneSubject& subject, const std::function<StatusOr<bool>()>& next, uint64_t* hash);
  Status run_all(graph::Pipeline& pipeline, const TuneSubject& subject,
                 const std::function<StatusOr<bool>()>& next, uint64_t* hash);
  Status push_frame(graph::Pipeline& pipeline, int64_t number);

  const DeviceShare& share_;
  Preparing& preparing_;
  ShapeObserver& observer_;
  const schedule::SourceSpec source_;
  DrawnFrames frames_;
};

}  // namespace weft::worker
