// SPDX-License-Identifier: Apache-2.0
// The time that a loop was there to see something happen. Whoever measures another's silence by it does not blame him for the loop's
// own absence: a process that was stopped, a machine that was asleep, a thread that got no processor.
#pragma once

#include <algorithm>
#include <chrono>
#include <mutex>

#include "base/clock.h"

namespace weft::queue {

// Goes as fast as `clock`, and stands still while nobody has called here() for kLongestAbsence. Thread-safe.
class PresenceClock final : public Clock {
 public:
  static constexpr std::chrono::milliseconds kLongestAbsence{500};  // several ticks of a loop

  // `clock` outlives this.
  explicit PresenceClock(const Clock& clock) : clock_(clock), last_(clock.now()) {}

  // The loop is there. At every tick, before anything is judged.
  void here() {
    const std::lock_guard lock(mutex_);
    const TimePoint now = clock_.now();
    absent_ += std::max(now - last_ - kLongestAbsence, Duration(0));
    last_ = now;
  }

  TimePoint now() const override {
    const std::lock_guard lock(mutex_);
    return std::min<TimePoint>(clock_.now(), last_ + kLongestAbsence) - absent_;
  }
  WallTime wall_now() const override { return clock_.wall_now(); }

 private:
  const Clock& clock_;
  mutable std::mutex mutex_;
  TimePoint last_;      // that somebody was here
  Duration absent_{0};  // before that
};

}  // namespace weft::queue
