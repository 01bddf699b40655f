// SPDX-License-Identifier: Apache-2.0
// Counts and latencies of a stream: its frames as they are taken in, and its pictures as they are made.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>

#include "base/clock.h"
#include "server/graph/pipeline.h"
#include "server/worker/stream/latency.h"
#include "weft/v1/schedule.pb.h"
#include "weft/v1/stream_service.pb.h"

namespace weft::worker {

// Thread-safe.
class StreamMeter {
 public:
  // Realtime frames, and those that were late.
  struct FrameCounts {
    int64_t done = 0, late = 0;
  };
  // Frames taken in, and device time.
  struct Work {
    int64_t frames = 0;
    Duration device_time{0};
  };

  // `deadline`: zero where there is none. `lookahead`: frames that a picture needs behind its own.
  StreamMeter(bool realtime, Duration deadline, int lookahead)
      : realtime_(realtime), deadline_(deadline), lookahead_(lookahead) {}

  // The next frame, due at that time, is taken in. Returns its number, from 0 on.
  int64_t take_frame(TimePoint due);
  void end_input();
  void take_picture(const graph::OutputUnit& picture);

  int64_t frames() const;
  // `device_time`: of all its batches so far.
  v1::StreamReport report(Duration device_time) const;
  // Since the last call. Latencies are in seconds.
  v1::Histogram take_latencies();
  FrameCounts take_frame_counts();
  Work take_work(Duration device_time);
  // Latencies of no picture.
  static v1::Histogram no_latencies();

 private:
  const bool realtime_;
  const Duration deadline_;
  const int lookahead_;

  mutable std::mutex mutex_;
  std::deque<TimePoint> due_;  // of frames that were taken in, from first_due_ on
  int64_t first_due_ = 0;
  int64_t frames_ = 0;
  int64_t pictures_ = 0;
  int64_t missed_ = 0;        // pictures
  int64_t late_frames_ = 0;   // that had one of those
  int64_t late_source_ = -1;  // the newest of them
  FrameCounts untold_frames_;
  Work told_work_;
  TimePoint begin_{}, newest_{};  // the first frame's, the newest picture's
  TimePoint input_ended_at_{};
  LatencyHistogram latency_;
  v1::Histogram untold_latencies_ = no_latencies();
};

}  // namespace weft::worker
