// SPDX-License-Identifier: Apache-2.0
#include "server/worker/video/lane_count.h"

#include <algorithm>
#include <chrono>

namespace weft::worker {

int LaneCount::update(const Point& point) {
  if (is_settled_ || point.started < lanes_) return lanes_;
  if (!from_) from_ = point;
  const Duration time = point.time - from_->time;
  const bool is_enough = point.frames - from_->frames >= kFrames;
  if (time < (is_enough ? kLeastTime : kMostTime)) return lanes_;
  const double seconds = std::chrono::duration<double>(time).count();
  const double rate = double(point.frames - from_->frames) / seconds;
  const double busy = std::chrono::duration<double>(point.device - from_->device).count() / seconds;
  from_.reset();
  if (lanes_ > best_ && rate < kLeastGain * best_rate_) {
    lanes_ = best_;
    is_settled_ = true;
    return lanes_;
  }
  best_ = lanes_;
  best_rate_ = rate;
  if (busy >= kBusyShare || lanes_ >= most_)
    is_settled_ = true;
  else
    lanes_ = std::min(2 * lanes_, most_);
  return lanes_;
}

void LaneCount::limit(int lanes) {
  if (lanes >= most_) return;
  most_ = std::max(lanes, 1);
  lanes_ = std::min(lanes_, most_);
  best_ = std::min(best_, most_);
  from_.reset();
}

}  // namespace weft::worker
