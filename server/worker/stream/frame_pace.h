// SPDX-License-Identifier: Apache-2.0
// Computes due times of a realtime stream's frames for a source that may be faster than declared,
// such as a file or a sender with bursts. Early frames wait, so that the device processes one frame
// per period, as admitted. Late frames are due immediately.
#pragma once

#include <algorithm>

#include "base/clock.h"

namespace weft::worker {

// Not thread-safe: one thread at a time may use it.
class FramePace {
 public:
  // permitted permanent excess over the declared rate, as a fraction, since clocks differ
  static constexpr double kFaster = 0.01;
  // limit of the lead of a due time over the frame's time at the rate, besides two periods; it
  // absorbs jitter
  static constexpr std::chrono::milliseconds kMostAhead{100};
  // longest backlog that may be due immediately
  static constexpr std::chrono::seconds kCatchesUp{1};

  explicit FramePace(Duration period)
      : step_(period - std::chrono::duration_cast<Duration>(kFaster * period)),
        ahead_(std::min<Duration>(2 * period, kMostAhead)) {}

  // Returns the due time of the next frame, which is not before its arrival at `came`.
  TimePoint due(TimePoint came) {
    time_ = has_begun_ ? std::max(time_ + step_, came - kCatchesUp) : came;
    has_begun_ = true;
    return std::max(came, time_ - ahead_);
  }

 private:
  const Duration step_, ahead_;
  bool has_begun_ = false;
  TimePoint time_{};  // time of the newest frame at the rate
};

}  // namespace weft::worker
