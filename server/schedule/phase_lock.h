// SPDX-License-Identifier: Apache-2.0
// The device time of a program that knows nothing of us: its frames' period, start and length, learnt from the time that our own
// slices take, and the gaps that are left.
//
//   lock.tell(Presence{true, 0.4, now});           // somebody else is there
//   const ForeignAdvice advice = lock.advise(now);  // run a slice of at most advice.longest from advice.from on ...
//   lock.observe({start, end, predicted});          // ... and say how long it took
//
// Contexts of different programs take turns on the device: a slice of ours that is launched while the other one has work
// waits for its turn, so a slice that took longer than predicted means that the other one was at work, and the end of such
// a slice less its own time is when the other one's work ended or paused. The converse is the price: a launch of ours into
// its frame delays that frame by some 0.45 ms on an H200 however short it is, so asking is not free, and an answer has to
// last for many frames.
//
// Learning: short slices, one at a time, until `learning_frames` of its frames lie on a line (burst_log.h, period_fit.h).
// Locked: slices in the gaps between its frames (frame_lock.h). At six more slow slices than clean gaps it learns again.
// Without a period it goes on with short slices, and looks for a period all the time.
#pragma once

#include <string>

#include "server/schedule/burst_log.h"
#include "server/schedule/foreign_advice.h"
#include "server/schedule/frame_lock.h"

namespace weft::schedule {

enum class LockState { kAbsent, kLearning, kLocked, kNoPeriod };
const char* name_of(LockState state);  // "absent", "learning", "locked", "no_period"

// A value. Times may not go back.
class PhaseLock {
 public:
  PhaseLock() : PhaseLock(PhaseLockLimits()) {}
  explicit PhaseLock(const PhaseLockLimits& limits)
      : limits_(limits), bursts_(limits.learning_frames), frames_(limits) {}

  void tell(const Presence& presence);
  // True: the slice was slowed; nothing is to be learnt of its cost.
  bool observe(const Observation& slice);
  // Holds until the next tell or observe, and at most until `until`.
  ForeignAdvice advise(TimePoint now) const;

  LockState state() const { return state_; }
  // Another program is at work, and its frames are kept free.
  bool protects() const { return active() && limits_.mode == ForeignMode::kYield; }
  // Why it is not locked, or how well it is: a sentence.
  std::string reason() const;
  // Of the lock; zero while there is none.
  Duration period() const;
  Duration busy() const;   // of a period: what is kept free for the other program, guards included
  Duration guard() const;  // before a frame
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
  double active_until_ = 0;  // stays active without a sign until then
  double overhead_ = 0;      // of slices alone, beyond their prediction
  double last_end_ = 0;      // of the last slice
  double quiet_until_ = 0;   // the end of the last one that was not slow
  double odd_ = 0;           // slow slices more than others, while nobody seems to be at work
  double learning_since_ = 0;
  BurstLog bursts_;   // while it learns, or has found no period
  FrameLock frames_;  // while it is locked
};

}  // namespace weft::schedule
