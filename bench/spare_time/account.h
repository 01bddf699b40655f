// SPDX-License-Identifier: Apache-2.0
// What a row counts: how long frames took from their scheduled arrival, and what the background did meanwhile.
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

  // Frames that arrive before this time are left out of the quantiles.
  void count_from(TimePoint time) { count_from_ = time; }

  void frame_arrived(int stream, TimePoint scheduled, TimePoint now);
  void batch_started(const Start& batch);
  void batch_finished(const Start& batch, Duration device_time, TimePoint now);

  // A frame waits for more than a second: the row makes no sense any more.
  bool is_overrun() const;
  RowResult result(double seconds) const;

 private:
  void finish_frames(const Start& batch, Duration device_time, TimePoint now);
  void finish_background(const Start& batch, Duration device_time, TimePoint now);

  const Machine& machine_;
  const Load& load_;
  mutable std::mutex mutex_;
  TimePoint count_from_{};
  std::vector<std::deque<TimePoint>> arrivals_;  // of each stream's frames that have not ended
  int64_t background_started_ = 0, background_finished_ = 0;
  // Frames that came while background was in flight, and how many background batches had started by then.
  std::deque<std::pair<TimePoint, int64_t>> waiting_for_yield_;
  RowResult result_;
  std::vector<double> latencies_, all_latencies_, device_times_, yields_, errors_;
};

}  // namespace weft::bench
