// SPDX-License-Identifier: Apache-2.0
// Collects the measurements of a row: latencies of frames from their scheduled arrival, and the
// background work in the same time.
#pragma once

#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include "bench/spare_time/run.h"

namespace weft::bench {

// Thread-safe.
class Account {
 public:
  Account(const Machine& machine, const Load& load);

  // Leaves frames that arrive before `time` out of the quantiles.
  void count_from(TimePoint time) { count_from_ = time; }

  void frame_arrived(int stream, TimePoint scheduled, TimePoint now);
  void batch_started(const Start& batch);
  void batch_finished(const Start& batch, Duration device_time, TimePoint now);

  // Returns true if a frame has waited for more than a second, so that the row is meaningless.
  bool is_overrun() const;
  RowResult result(double seconds) const;

 private:
  void finish_frames(const Start& batch, Duration device_time, TimePoint now);
  void finish_background(const Start& batch, Duration device_time, TimePoint now);

  const Machine& machine_;
  const Load& load_;
  mutable std::mutex mutex_;
  TimePoint count_from_{};
  std::vector<std::deque<TimePoint>> arrivals_;  // arrivals of each stream's unfinished frames
  int64_t background_started_ = 0, background_finished_ = 0;
  // Frames that arrived while background work was in flight, with the number of background batches
  // started until then.
  std::deque<std::pair<TimePoint, int64_t>> waiting_for_yield_;
  RowResult result_;
  std::vector<double> latencies_, all_latencies_, device_times_, yields_, errors_;
};

}  // namespace weft::bench
