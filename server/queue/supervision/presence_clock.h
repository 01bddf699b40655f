// SPDX-License-Identifier: Apache-2.0
// Measures time only while an event loop runs. Timeouts measured with it exclude the absence of the
// loop, because of a stopped process, a suspended machine or a starved thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <mutex>

#include "base/clock.h"

namespace weft::queue {

// Runs as fast as `clock`, and stops if here() was not called for kLongestAbsence. Thread-safe.
class PresenceClock final : public Clock {
 public:
  static constexpr std::chrono::milliseconds kLongestAbsence{500};  // several ticks of a loop

  // `clock` outlives this object.
  explicit PresenceClock(const Clock& clock) : clock_(clock), last_(clock.now()) {}

  // Reports that the loop runs. Called at every tick, before timeouts are checked.
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
  TimePoint last_;      // time of the last here()
  Duration absent_{0};  // sum of absences before last_
};

}  // namespace weft::queue
