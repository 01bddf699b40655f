// SPDX-License-Identifier: Apache-2.0
// The words of the lock on another program (phase_lock.h): its limits, its inputs and its advice.
#pragma once

#include "base/clock.h"

namespace weft::schedule {

// The regard for another program.
enum class ForeignMode {
  kYield,  // its frames are learnt and only its gaps are used; slices are short while no period is found
  kShare,  // none: batches start as if it were not there
};

struct PhaseLockLimits {
  ForeignMode mode = ForeignMode::kYield;
  Duration short_slice = std::chrono::microseconds(100);
  Duration longest_slice = std::chrono::milliseconds(1);  // while locked
  Duration guard = std::chrono::microseconds(80);         // at least, before a frame
  int learning_frames = 16;
  int watch_every = 16;
  int watch_every_at_most = 128;
};

// The driver's report of other programs, some ten times a second.
struct Presence {
  bool present = false;    // another program has the device open
  double utilisation = 0;  // the part of the last second or so in which it was at work, 0 to 1
  TimePoint time{};
};

// A slice or a probe that ran.
struct Observation {
  TimePoint start{};      // the later of its launch and the end of the one before it
  TimePoint end{};        // as the host saw it
  Duration predicted{0};  // its time alone
};

// The same in seconds.
struct TimedSlice {
  double start = 0, end = 0, predicted = 0;
};

// The room for slices. Nothing starts before `from`, which may lie in the past; all of it ends by `until`.
struct ForeignAdvice {
  TimePoint from{};
  TimePoint until = TimePoint::max();
  TimePoint gap_start{};               // of the gap that ends at `until`
  Duration longest = Duration::max();  // of one slice
  bool one_at_a_time = false;
  bool probe = false;  // the shortest slice is to run, alone, at `from`, for its time
  bool watched =
      false;  // the other program's frames are learnt or followed: with no work left, something is to look at them, ...
  bool look = false;  // ... now

  // Nobody is there, or is to be protected.
  bool is_free() const { return longest == Duration::max() && from != TimePoint::max(); }
};

}  // namespace weft::schedule
