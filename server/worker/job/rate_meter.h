// SPDX-License-Identifier: Apache-2.0
// Measures the rate of a counter over the last seconds.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>

#include "base/clock.h"

namespace weft::worker {

// Thread-safe.
class RateMeter {
 public:
  explicit RateMeter(Duration window = std::chrono::seconds(5)) : window_(window) {}

  // Records that the counter is at `units` at the time `now`; neither may decrease. Returns units a
  // second over the window, or 0 while the window is shorter than a quarter of a second. The window
  // begins when the counter leaves its first value, so that the set-up of a job does not count.
  double update(int64_t units, TimePoint now) {
    const std::lock_guard lock(mutex_);
    if (points_.size() == 1 && points_.front().units == units) points_.clear();
    if (points_.empty() || now - points_.back().time >= window_ / 50) points_.push_back({now, units});
    while (points_.size() > 2 && now - points_[1].time >= window_) points_.pop_front();
    const double seconds = std::chrono::duration<double>(now - points_.front().time).count();
    return seconds < 0.25 ? 0 : double(units - points_.front().units) / seconds;
  }

 private:
  struct Point {
    TimePoint time;
    int64_t units = 0;
  };
  const Duration window_;
  std::mutex mutex_;
  std::deque<Point> points_;
};

}  // namespace weft::worker
