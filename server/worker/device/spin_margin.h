// SPDX-License-Identifier: Apache-2.0
// Determines the lead with which a thread stops sleeping and spins to meet a time: sleeps end late,
// on virtual machines occasionally by hundreds of microseconds.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>

#include "base/clock.h"

namespace weft::worker {

// The margin is twice the longest recent lateness of sleeps. Each sleep reduces the remembered
// lateness by 1/256. A lateness above the longest lead counts as that lead. Thread-safe.
class SpinMargin {
 public:
  static constexpr Duration kLeast = std::chrono::microseconds(200);
  static constexpr Duration kMost = std::chrono::milliseconds(1);

  Duration margin() const { return std::clamp(2 * Duration(late_.load()), kLeast, kMost); }
  // Records the lateness of a sleep. If two calls are concurrent, one of them may be lost.
  void slept(Duration late) {
    const Duration::rep known = late_.load();
    late_ = std::clamp(late.count(), known - known / 256, Duration(kMost).count() / 2);
  }

 private:
  std::atomic<Duration::rep> late_{0};
};

}  // namespace weft::worker
