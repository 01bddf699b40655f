// SPDX-License-Identifier: Apache-2.0
// How long before a time a thread that must not be late for it stops sleeping and spins: sleeps end late by what the machine
// does, on virtual machines by hundreds of microseconds now and then.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>

#include "base/clock.h"

namespace weft::worker {

// Thread-safe. Twice the longest that sleeps were late for lately: what was learnt is forgotten by one part in 256 a sleep, and a
// sleep that was later than the longest lead teaches no more than one that was as late.
class WakeLead {
 public:
  static constexpr Duration kLeast = std::chrono::microseconds(200);
  static constexpr Duration kMost = std::chrono::milliseconds(1);

  Duration lead() const { return std::clamp(2 * Duration(late_.load()), kLeast, kMost); }
  // A sleep ended so much later than asked for. Of two at once one may be forgotten.
  void slept(Duration late) {
    const Duration::rep known = late_.load();
    late_ = std::clamp(late.count(), known - known / 256, Duration(kMost).count() / 2);
  }

 private:
  std::atomic<Duration::rep> late_{0};
};

}  // namespace weft::worker
