// SPDX-License-Identifier: Apache-2.0
// Real work that a kernel is tuned by: a filter's case at a usual size, run through a pipeline batch by batch in the device's loop, so
// that streams keep their deadlines.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <google/protobuf/message.h>

#include "server/filters/filter.h"
#include "server/filters/pipeline.h"
#include "server/worker/device/device_share.h"
#include "server/worker/device/preparing.h"
#include "server/worker/tuning/shape_observer.h"

namespace weft::worker {

// A filter with options, on frames of a format, so many in a batch.
struct TuneSubject {
  const filters::Registration* filter = nullptr;
  std::shared_ptr<const google::protobuf::Message> options;
  VideoFormat format;
  int batch = 1;

  std::string name() const;  // for messages: "bwdif (1920x1080, 8 bits, batches of 4)"
};

// The cases of these filters (empty: of all), at 1920x1080, on a device in software at 352x288. NOT_FOUND: there is no such filter.
StatusOr<std::vector<TuneSubject>> tune_subjects(const std::vector<std::string>& filters,
                                                 const device::DeviceInfo& info);

class TunePass {
 public:
  // `share`, `preparing` and `observer` outlive it. Of `source` class, owner and weights count.
  TunePass(const DeviceShare& share, Preparing& preparing, ShapeObserver& observer,
           schedule::SourceSpec source)
      : share_(share), preparing_(preparing), observer_(observer), source_(std::move(source)) {}

  // Runs one batch after the other; each ends before `next` is called, which sets the observer for the following one and gives
  // whether there is to be one. Then the pipeline is emptied, with the observer at rest. Returns a hash of all that came out. `next` is
  // not called before the first batch. The frames are the same each time. Errors are the filter's, the device's and those of `next`;
  // CANCELLED: `preparing` was stopped.
  StatusOr<uint64_t> run(const TuneSubject& subject, const std::function<StatusOr<bool>()>& next);

  // The pipeline is emptied as the observer is.
  StatusOr<uint64_t> run_batches(const TuneSubject& subject, int batches);

 private:
  StatusOr<std::unique_ptr<filters::Pipeline>> open(const TuneSubject& subject);
  StatusOr<uint64_t> run_all(filters::Pipeline& pipeline, const TuneSubject& subject,
                             const std::function<StatusOr<bool>()>& next);

  const DeviceShare& share_;
  Preparing& preparing_;
  ShapeObserver& observer_;
  const schedule::SourceSpec source_;
};

}  // namespace weft::worker
