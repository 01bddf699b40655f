// SPDX-License-Identifier: Apache-2.0
// Counts the frames and pictures of a stream and measures its latencies.
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
  // Counts of realtime frames and of the late ones among them.
  struct FrameCounts {
    int64_t done = 0, late = 0;
  };
  // Frames accepted, and device time of the stream's batches, since the last take_work().
  struct Work {
    int64_t frames = 0;
    Duration device_time{0};
  };

  // `deadline` is 0 if the stream has none. A picture of frame n is made
  // from frames up to n + lookahead.
  StreamMeter(bool realtime, Duration deadline, int lookahead)
      : realtime_(realtime), deadline_(deadline), lookahead_(lookahead) {}

  // Records the next frame, which was due at `due`. Returns its number, counted from 0.
  int64_t take_frame(TimePoint due);
  void end_input();
  void take_picture(const graph::OutputUnit& picture);

  int64_t frames() const;
  // Returns the report. `device_time` is that of all batches until now.
  v1::StreamReport report(Duration device_time) const;
  // Returns the latencies in seconds since the last call.
  v1::Histogram take_latencies();
  FrameCounts take_frame_counts();
  Work take_work(Duration device_time);
  // Returns an empty histogram of latencies.
  static v1::Histogram no_latencies();

 private:
  const bool realtime_;
  const Duration deadline_;
  const int lookahead_;

  mutable std::mutex mutex_;
  std::deque<TimePoint> due_;  // due times of the accepted frames from number first_due_ on
  int64_t first_due_ = 0;
  int64_t frames_ = 0;
  int64_t pictures_ = 0;
  int64_t missed_ = 0;        // late pictures
  int64_t late_frames_ = 0;   // source frames with a late picture
  int64_t late_source_ = -1;  // newest source frame with a late picture
  FrameCounts untold_frames_;
  Work reported_work_;
  TimePoint begin_{}, newest_{};  // due time of the first frame; time of the newest picture
  TimePoint input_ended_at_{};
  LatencyHistogram latency_;
  v1::Histogram untold_latencies_ = no_latencies();
};

}  // namespace weft::worker
