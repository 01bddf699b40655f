// SPDX-License-Identifier: Apache-2.0
// Offers a pipeline as a source of the device's loop: the source's ready units are those of the
// pipeline, and the loop starts its batches.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>

#include "base/status.h"
#include "server/graph/batches.h"
#include "server/worker/device/device_loop.h"

namespace weft::worker {

// Limit of the batches of a source that are not popped: those that the schedule has in flight, and
// a finished batch, so that its download does not delay the next batch of the source.
inline constexpr int kBatchesKept = schedule::ScheduleLimits().max_in_flight + 1;

// The owner pushes and pops units, and reports each to the loop (ready(), frame_arrived()).
class BatchWork final : public DeviceWork {
 public:
  // `changed` is called after a batch was started and after a failure, on any thread, with the
  // loop's lock held: it must not call the loop.
  BatchWork(graph::Batches& source, std::function<void()> changed)
      : source_(source), changed_(std::move(changed)) {}

  int64_t batches() const;     // batches started so far
  int last_units() const;      // units of the newest batch
  int64_t units_done() const;  // units of the finished batches; a portion counts as a unit
  Status error() const;        // first error, or OK

  Ready ready() override;
  Status start(int units, const graph::SubmittedBatch& after) override;
  graph::SubmittedBatch last_batch() override { return source_.last_batch(); }
  graph::SubmittedBatch oldest_batch() override;
  StatusOr<Duration> wait() override;
  void failed(const Status& error) override;

 private:
  graph::Batches& source_;
  const std::function<void()> changed_;
  mutable std::mutex mutex_;
  struct Running {
    graph::SubmittedBatch batch;
    int units = 0;
  };
  std::deque<Running> running_;  // started batches that wait() has not returned
  int64_t units_done_ = 0;
  int64_t batches_ = 0;
  int last_units_ = 0;
  Status error_;
};

}  // namespace weft::worker
