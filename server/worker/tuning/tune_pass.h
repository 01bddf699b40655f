// SPDX-License-Identifier: Apache-2.0
// Real work that a kernel is tuned by: a filter's case at a usual size, run through a pipeline batch by batch in the device's loop, so
// that streams keep their deadlines.
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
  // `share`, `preparing` and `observer` outlive it. Of `source` class, owner and weights count.
  TunePass(const DeviceShare& share, Preparing& preparing, ShapeObserver& observer,
           schedule::SourceSpec source)
      : share_(share), preparing_(preparing), observer_(observer), source_(std::move(source)) {}

  // Runs one batch after the other; each ends before `next` is called, which sets the observer for the following one and gives
  // whether there is to be one. Then the pipeline is emptied, with the observer at rest. `next` is
  // not called before the first batch. The frames are the same each time. Errors are the filter's, the device's and those of `next`;
  // CANCELLED: `preparing` was stopped.
  Status run(const TuneSubject& subject, const std::function<StatusOr<bool>()>& next);

  // Returns a hash of all that came out. The pipeline is emptied as the observer is.
  StatusOr<uint64_t> run_batches(const TuneSubject& subject, int batches);

 private:
  StatusOr<std::unique_ptr<graph::Pipeline>> open(const TuneSubject& subject);
  // `hash`: changed by what comes out; null: nobody wants it.
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
