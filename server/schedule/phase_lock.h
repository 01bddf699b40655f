// SPDX-License-Identifier: Apache-2.0
// When a program that knows nothing of us uses the device, and when it does not: its frames' period, start and length,
// learnt from the time that our own slices take.
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
// Learning: short slices, one at a time. From `learning_frames` of its frames comes a line start = phase + k * period by
// least squares (period_fit.h), and how long after the start the device is free again. Learning disturbs, which makes the
// frames look longer than they are: after the lock, pairs of probes feel their way back to the true end.
// (Pairs: a turn of the other program that has lasted for 2 ms ends as soon as we come, so one probe finds nobody.)
// Locked: slices only between the end of one frame and the start of the next, less a guard as wide as the starts were off the
// line and as the period is uncertain so far ahead. Every `watch_every`-th frame is watched, its start and, in another frame,
// its end, and the line is fitted again, older starts counting less; while starts come as predicted the watches draw apart, up
// to `watch_every_at_most`, since each costs its frame what any launch does. A slice that is slow in a gap weighs against the
// lock, a gap without one for it: at six more slow than clean, it learns again.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "base/clock.h"

namespace weft::schedule {

// The regard for another program.
enum class ForeignMode {
  kYield,  // its frames are learnt and only its gaps are used; short slices, one at a time, while no period is found
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

enum class LockState { kAbsent, kLearning, kLocked, kNoPeriod };
const char* name_of(LockState state);  // "absent", "learning", "locked", "no_period"

// What the driver tells of other programs, some ten times a second.
struct Presence {
  bool present = false;    // another program has the device open
  double utilisation = 0;  // the part of the last second or so in which it was at work, 0 to 1
  TimePoint time{};
};

// A slice or a probe that ran.
struct Observation {
  TimePoint start{};      // the later of its launch and the end of the one before it
  TimePoint end{};        // as the host saw it
  Duration predicted{0};  // what it takes alone
};

// What may run. Nothing before `from`, which may lie in the past; all of it ends by `until`.
struct ForeignAdvice {
  TimePoint from{};
  TimePoint until = TimePoint::max();
  TimePoint gap_start{};               // of the gap that ends at `until`
  Duration longest = Duration::max();  // of one slice
  bool one_at_a_time = false;
  bool probe = false;  // run the least that there is, alone, at `from`: how long it takes is wanted
  bool watched =
      false;  // the other program's frames are learnt or followed: with nothing to run, something is to look at them, ...
  bool look = false;  // ... now

  // Nobody is there, or is to be protected.
  bool is_free() const { return longest == Duration::max() && from != TimePoint::max(); }
};

// A value. Times may not go back.
class PhaseLock {
 public:
  PhaseLock() = default;
  explicit PhaseLock(const PhaseLockLimits& limits) : limits_(limits) {}

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
  static constexpr double kProbeDistance = 20e-6;  // s, between probes that wait for a start

  struct Burst {  // a time in which the other program was at work, in seconds
    double start = 0, end = 0;
    bool start_known = false;  // we were on the device just before
  };

  bool active() const { return state_ != LockState::kAbsent; }
  void start_learning(double now, std::string why);
  void learn(const Observation& slice, bool slow);
  void end_burst(double now);
  void give_up(std::string why);
  bool try_lock();
  void check(const Observation& slice, bool slow);
  void see_watched(double frame, double start, bool slow);
  void settled(double frame);
  void see_start(double frame, double start);
  void see_gap(double frame, double start, double end, bool slow);
  void refit();
  void look_again(double frame, double times);

  double start_of(double frame) const { return phase_ + frame * period_; }
  double frame_at(double time) const;     // whose guard, work or gap the time lies in
  double before(double frame) const;      // seconds of guard before a frame
  double free_after(double frame) const;  // seconds from a frame's start until its gap is used
  bool watches_start(double frame) const { return frame >= next_start_; }
  bool watches_end(double frame) const { return frame >= next_end_ && !watches_start(frame); }
  bool is_slow(const Observation& slice) const;

  PhaseLockLimits limits_;
  LockState state_ = LockState::kAbsent;
  std::string why_ = "No other program has the device open.";
  bool present_ = false;
  double utilisation_ = 0;
  double active_until_ = 0;  // stays active without a sign until then
  double overhead_ = 0;      // that slices alone take beside their prediction
  double last_end_ = 0;      // of the last slice
  double quiet_until_ = 0;   // the end of the last one that was not slow

  // Learning.
  std::deque<Burst> bursts_;
  bool in_burst_ = false;
  Burst burst_;
  int tried_ = 0;  // bursts since learning began
  double learning_since_ = 0;

  // Locked. Frames are counted from the first one of the fit.
  struct Start {
    double frame, time;
  };
  std::deque<Start> starts_;
  double phase_ = 0, period_ = 0;
  double length_ = 0;        // from a frame's start until the device is free
  double spread_ = 0;        // of the starts around the line
  double noise_ = 0;         // their median distance from it, while learning
  double period_error_ = 0;  // that the period may have
  double widened_ = 0;       // of the guard, after slices that met a frame
  double learnt_length_ = 0;
  double step_ = 0;                       // of the way back to the true end
  bool settling_ = false;                 // on that way for the first time
  double next_start_ = 0, next_end_ = 0;  // frames to be watched
  int start_every_ = 0, end_every_ = 0;
  int one_sided_ = 0;                           // watched starts in a row that were late, or early if below 0
  double odd_ = 0;                              // slow slices more than clean gaps
  double second_probe_ = -1, first_probe_ = 0;  // frame whose end was probed once, and when
  double hit_frame_ = -1;                       // that a probe met, and so is longer
  double gap_frame_ = -1;                       // whose gap saw a slice last
  bool gap_slow_ = false;
};

}  // namespace weft::schedule
