// SPDX-License-Identifier: Apache-2.0
// When a realtime stream's frames are due, of a source that may be faster than it said: a file, a sender that bursts. What comes
// before its time waits, so that the device has a frame a period of the stream to do, as it was admitted with. What comes late is
// due at once.
#pragma once

#include <algorithm>

#include "base/clock.h"

namespace weft::worker {

// One thread at a time.
class FramePace {
 public:
  static constexpr double kFaster = 0.01;                      // that a source may be for ever: clocks differ
  static constexpr std::chrono::milliseconds kMostAhead{100};  // of its time, and at most two periods: jitter
  static constexpr std::chrono::seconds kCatchesUp{1};         // with what it fell behind, at once

  explicit FramePace(Duration period)
      : step_(period - std::chrono::duration_cast<Duration>(kFaster * period)),
        ahead_(std::min<Duration>(2 * period, kMostAhead)) {}

  // Of the next frame; not before it came.
  TimePoint due(TimePoint came) {
    time_ = has_begun_ ? std::max(time_ + step_, came - kCatchesUp) : came;
    has_begun_ = true;
    return std::max(came, time_ - ahead_);
  }

 private:
  const Duration step_, ahead_;
  bool has_begun_ = false;
  TimePoint time_{};  // of the newest frame, by the rate
};

}  // namespace weft::worker
