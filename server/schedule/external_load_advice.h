// SPDX-License-Identifier: Apache-2.0
// Defines the limits, inputs and advice of the lock on another program (phase_lock.h).
#pragma once

#include "base/clock.h"

namespace weft::schedule {

// Treatment of another program that uses the device.
enum class ExternalLoadMode {
  // Batches run only in the gaps between the other program's frames; slices are short until a
  // period is found.
  kYield,
  kShare,  // batches start regardless of the other program
};

struct PhaseLockLimits {
  ExternalLoadMode mode = ExternalLoadMode::kYield;
  Duration short_slice = std::chrono::microseconds(100);
  Duration longest_slice = std::chrono::milliseconds(1);  // limit of a slice while locked
  // Minimum distance of a slice's end from the next frame.
  Duration guard = std::chrono::microseconds(80);
  int learning_frames = 16;
  int watch_every = 16;
  int watch_every_at_most = 128;
};

// The driver's report of other programs, about ten times a second.
struct Presence {
  bool present = false;  // another program has opened the device
  // The other program's share of device time in about the last second, 0 to 1.
  double utilisation = 0;
  TimePoint time{};
};

// A slice or a probe that ran.
struct Observation {
  TimePoint start{};      // launch of the slice, or end of the previous slice if that is later
  TimePoint end{};        // end that the host observed
  Duration predicted{0};  // predicted duration without another program
};

// An Observation with times in seconds.
struct TimedSlice {
  double start = 0, end = 0, predicted = 0;
};

// The time window for slices. No slice starts before `from`, which may be in the past,
// and all slices end by `until`.
struct ExternalLoadAdvice {
  TimePoint from{};
  TimePoint until = TimePoint::max();
  TimePoint gap_start{};               // start of the gap that ends at `until`
  Duration longest = Duration::max();  // limit of one slice
  bool one_at_a_time = false;
  bool trial = false;  // the shortest slice runs alone at `from`, to measure its duration
  // Frames of the other program are being learnt or followed; a probe runs if no source has work.
  bool watched = false;
  bool probe_now = false;  // such a probe runs at once

  // Returns whether slices are unlimited: no other program is active, or none is protected.
  bool is_free() const { return longest == Duration::max() && from != TimePoint::max(); }
};

}  // namespace weft::schedule
