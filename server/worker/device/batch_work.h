// SPDX-License-Identifier: Apache-2.0
// A pipeline as a source of the device's loop: its ready units are the source's, its batches start when the loop says so.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>

#include "base/status.h"
#include "server/graph/batches.h"
#include "server/worker/device/device_loop.h"

namespace weft::worker {

// Batches of a source that are not popped yet, at most: those that the schedule has in flight, and one that is done, whose
// way to the host must not cost the source its turn.
inline constexpr int kBatchesKept = schedule::ScheduleLimits().max_in_flight + 1;

// It is pushed and popped by its owner, who tells the loop (ready, frame_arrived) of both.
class BatchWork final : public DeviceWork {
 public:
  // `changed` is called after a batch was started and after a failure, on any thread, with the loop's lock held: it must
  // not call the loop.
  BatchWork(graph::Batches& source, std::function<void()> changed)
      : source_(source), changed_(std::move(changed)) {}

  int64_t batches() const;     // started so far
  int last_units() const;      // of the newest
  int64_t units_done() const;  // of those that were waited for; portions count
  Status error() const;        // the first

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
  std::deque<Running> running_;  // not yet waited for
  int64_t units_done_ = 0;
  int64_t batches_ = 0;
  int last_units_ = 0;
  Status error_;
};

}  // namespace weft::worker
