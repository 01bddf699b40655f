// SPDX-License-Identifier: Apache-2.0
#include "server/worker/stream/held_frames.h"

#include <algorithm>
#include <utility>

#include "server/worker/device/trace_ring.h"
#include "server/worker/stream/stream_copy.h"

namespace weft::worker {

bool HeldFrames::wait_for_room() {
  std::unique_lock lock(mutex_);
  traced_wait(changed_, lock, "frames held",
              [this] { return is_stopped_ || int64_t(frames_.size()) < most_; });
  return !is_stopped_;
}

void HeldFrames::add(Frame frame) {
  auto held = std::make_shared<const Frame>(std::move(frame));
  const std::lock_guard lock(mutex_);
  frames_.push_back(std::move(held));
  changed_.notify_all();
}

void HeldFrames::finish() {
  const std::lock_guard lock(mutex_);
  is_finished_ = true;
  changed_.notify_all();
}

void HeldFrames::permit(size_t pipeline, int64_t end) {
  const std::lock_guard lock(mutex_);
  turns_[pipeline].permitted = std::max(turns_[pipeline].permitted, end);
  changed_.notify_all();
}

std::shared_ptr<const HeldFrames::Frame> HeldFrames::take(size_t pipeline) {
  std::unique_lock lock(mutex_);
  Turn& turn = turns_[pipeline];
  const auto end = [this] { return first_ + int64_t(frames_.size()); };
  const auto is_over = [&] {
    return is_stopped_ || (is_finished_ && turn.permitted == kAll && turn.next == end());
  };
  traced_wait(changed_, lock, "decision",
              [&] { return is_over() || turn.next < std::min(turn.permitted, end()); });
  if (is_over()) return nullptr;
  const std::shared_ptr<const Frame> frame = frames_[size_t(turn.next++ - first_)];
  if (pipeline + 1 < turns_.size()) return frame;
  frames_.pop_front();
  first_++;
  changed_.notify_all();
  return frame;
}

void HeldFrames::stop() {
  const std::lock_guard lock(mutex_);
  is_stopped_ = true;
  changed_.notify_all();
}

bool HeldFrames::is_stopped() const {
  const std::lock_guard lock(mutex_);
  return is_stopped_;
}

Status push_held(graph::Pipeline& pipeline, const HeldFrames::Frame& frame) {
  const TraceSpan span(v1::TRACE_CATEGORY_UPLOAD, "upload");
  ASSIGN_OR_RETURN(const graph::StagedUnit staged, pipeline.stage());
  copy_in(pipeline.source_format(), frame.samples.data(), staged);
  pipeline.push(frame.info);
  return ok_status();
}

}  // namespace weft::worker
