// SPDX-License-Identifier: Apache-2.0
#include "server/worker/stream/stream_meter.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <google/protobuf/util/time_util.h>

#include "server/worker/device/histogram.h"

namespace weft::worker {
namespace {

// Bucket bounds in seconds, closest around the usual durations of frames: 8.3 to 40 ms.
constexpr double kLatencyBounds[] = {0.0005, 0.001, 0.002,  0.004, 0.006, 0.008, 0.01,
                                     0.0125, 0.015, 0.0175, 0.02,  0.025, 0.03,  0.035,
                                     0.04,   0.05,  0.1,    0.2,   0.5,   1,     5};

google::protobuf::Duration to_proto(Duration time) {
  return google::protobuf::util::TimeUtil::NanosecondsToDuration(time.count());
}

}  // namespace

int64_t StreamMeter::take_frame(TimePoint due) {
  const std::lock_guard lock(mutex_);
  if (frames_ == 0) begin_ = due;
  due_.push_back(due);
  return frames_++;
}

void StreamMeter::end_input() {
  const std::lock_guard lock(mutex_);
  input_ended_at_ = std::chrono::steady_clock::now();
}

// Records a picture. Its latency counts from the due time of the last frame that it needs; if the
// input ended before that frame, from the end of the input.
void StreamMeter::take_picture(const graph::OutputUnit& picture) {
  const std::lock_guard lock(mutex_);
  while (first_due_ < picture.source_index) {
    due_.pop_front();
    first_due_++;
  }
  const size_t needed = size_t(lookahead_);
  const TimePoint from = needed < due_.size() ? due_[needed] : std::max(due_.back(), input_ended_at_);
  newest_ = std::chrono::steady_clock::now();
  const Duration latency = newest_ - from;
  latency_.add(latency);
  add(untold_latencies_, std::chrono::duration<double>(latency).count());
  pictures_++;
  const int late = deadline_ > Duration(0) && latency > deadline_ ? 1 : 0;
  missed_ += late;
  if (late > 0 && std::exchange(late_source_, picture.source_index) != picture.source_index) late_frames_++;
  if (!realtime_ || !picture.ends_source) return;
  untold_frames_.done++;
  untold_frames_.late += late;
}

int64_t StreamMeter::frames() const {
  const std::lock_guard lock(mutex_);
  return frames_;
}

v1::StreamReport StreamMeter::report(Duration device_time) const {
  v1::StreamReport report;
  const std::lock_guard lock(mutex_);
  report.set_frames_in(frames_);
  report.set_pictures_out(pictures_);
  report.set_missed(missed_);
  report.set_late_frames(late_frames_);
  *report.mutable_latency_p50() = to_proto(latency_.quantile(0.5));
  *report.mutable_latency_p99() = to_proto(latency_.quantile(0.99));
  *report.mutable_latency_max() = to_proto(latency_.max());
  *report.mutable_gpu_time() = to_proto(device_time);
  *report.mutable_wall_time() = to_proto(pictures_ > 0 ? newest_ - begin_ : Duration(0));
  return report;
}

v1::Histogram StreamMeter::no_latencies() { return make_histogram(kLatencyBounds); }

v1::Histogram StreamMeter::take_latencies() {
  const std::lock_guard lock(mutex_);
  return take(untold_latencies_);
}

StreamMeter::FrameCounts StreamMeter::take_frame_counts() {
  const std::lock_guard lock(mutex_);
  return std::exchange(untold_frames_, {});
}

StreamMeter::Work StreamMeter::take_work(Duration device_time) {
  const std::lock_guard lock(mutex_);
  const Work now{frames_, device_time};
  const Work reported = std::exchange(reported_work_, now);
  return {now.frames - reported.frames, now.device_time - reported.device_time};
}

}  // namespace weft::worker
