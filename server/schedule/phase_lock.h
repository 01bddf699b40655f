// SPDX-License-Identifier: Apache-2.0
// Predicts the device time of another program: the period, start and length of its frames, learnt
// from the duration of slices, and the gaps between the frames.
//
//   lock.report_presence(Presence{true, 0.4, now});  // another program has the device open
//   const ExternalLoadAdvice advice = lock.advise(now);
//   ... // run a slice of at most advice.longest from advice.from
//   lock.observe({start, end, predicted});  // the time of the slice
//
// Contexts of different programs alternate on the device: a slice launched while the other program
// has work waits for its time slice. A slice that takes longer than predicted therefore shows that
// the other program was at work. The end of such a slice minus its own duration is the end, or a
// pause, of the other program's work. A launch during a frame of the other program delays that
// frame by about 0.45 ms on an H200, however short the launch. Measurements must therefore be rare,
// and valid for many frames.
//
// The lock is learning until `learning_frames` frames lie on a line (burst_log.h, period_fit.h);
// short slices run one at a time. It is then locked, and slices run in the gaps between frames
// (frame_lock.h). When slow slices exceed undisturbed gaps by six, the lock learns again. If no
// period is found, short slices continue, and so does the search for a period.
#pragma once

#include <string>

#include "server/schedule/burst_log.h"
#include "server/schedule/external_load_advice.h"
#include "server/schedule/frame_lock.h"

namespace weft::schedule {

enum class LockState { kAbsent, kLearning, kLocked, kNoPeriod };
// Returns the name of a state: "absent", "learning", "locked" or "no_period".
const char* name_of(LockState state);

// Can be copied. The times of successive calls must not decrease.
class PhaseLock {
 public:
  PhaseLock() : PhaseLock(PhaseLockLimits()) {}
  explicit PhaseLock(const PhaseLockLimits& limits)
      : limits_(limits), bursts_(limits.learning_frames), frames_(limits) {}

  void report_presence(const Presence& presence);
  // Adds a slice. Returns true if the other program delayed the slice. The duration of a delayed
  // slice does not measure its cost.
  bool observe(const Observation& slice);
  // Returns the time window for slices. It is valid until the next call of report_presence or
  // observe, and at most until its `until`.
  ExternalLoadAdvice advise(TimePoint now) const;

  LockState state() const { return state_; }
  // Returns whether another program is active and its frames are protected.
  bool protects() const { return active() && limits_.mode == ExternalLoadMode::kYield; }
  // Returns the reason for the state as a sentence; while locked, the properties of the frames.
  std::string reason() const;
  // Properties of the lock; zero while not locked.
  Duration period() const;
  Duration busy() const;   // protected part of a period, guards included
  Duration guard() const;  // guard before a frame
  double utilisation() const { return utilisation_; }

 private:
  bool active() const { return state_ != LockState::kAbsent; }
  void leave(std::string why);
  void start_learning(double now, std::string why);
  void learn(const TimedSlice& slice, bool slow);
  void give_up(std::string why);
  bool is_slow(const Observation& slice) const;

  PhaseLockLimits limits_;
  LockState state_ = LockState::kAbsent;
  std::string why_ = "No other program has the device open.";
  bool present_ = false;
  double utilisation_ = 0;
  // Time at which the active state ends without a further sign of the program.
  double active_until_ = 0;
  double overhead_ = 0;     // mean duration of undisturbed slices minus their prediction
  double last_end_ = 0;     // end of the last slice
  double quiet_until_ = 0;  // end of the last slice that was not slow
  // Slow slices minus undisturbed ones, while no program seems active; at least 0.
  double odd_ = 0;
  double learning_since_ = 0;
  BurstLog bursts_;   // used while learning, or without a period
  FrameLock frames_;  // used while locked
};

}  // namespace weft::schedule
