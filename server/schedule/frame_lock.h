// SPDX-License-Identifier: Apache-2.0
// A lock on another program's frames: the gaps between them, and the probes that keep it true.
//
// Slices run only between the end of one frame and the start of the next, less a guard as wide as the starts were off the line and
// as the period is uncertain so far ahead. Every `watch_every`-th frame is watched, its start and, in another frame, its end, and
// the line is fitted again; while starts come as predicted the watches draw apart, up to `watch_every_at_most`, since each costs
// its frame as much as any launch. A slice that is slow in a gap weighs against the lock, a gap without one for it.
//
// Learning disturbs, so that frames look longer than they are: after the lock, pairs of probes feel their way back to the true end.
// (Pairs: a turn of the other program that has lasted for 2 ms ends as soon as we come, so one probe finds nobody.)
#pragma once

#include <deque>

#include "server/schedule/burst_log.h"
#include "server/schedule/frame_line.h"

namespace weft::schedule {

// Seconds throughout.
class FrameLock {
 public:
  explicit FrameLock(const PhaseLockLimits& limits) : limits_(limits) {}

  // Locks on these bursts at `now`. False: they have no period, or leave no gap; the lock is as it was.
  bool lock_onto(const std::deque<Burst>& bursts, double now);
  // Takes in a slice. `slow`: it met the other program; `quiet_until`: the end of the last one that did not. False: the lock is lost.
  bool check(const TimedSlice& slice, bool slow, double quiet_until);
  // `last_end`: of the last slice.
  ForeignAdvice advise(TimePoint time, double last_end) const;

  double period() const { return line_.period(); }
  double spread() const { return line_.spread(); }
  double length() const { return length_; }                         // of a frame
  double guard() const { return before(gap_frame_ + 1); }           // before the next frame
  double busy() const { return length_ + before(gap_frame_ + 1); }  // of a period: frame and guard

 private:
  void see_watched(double frame, double start, bool slow, double quiet_until);
  void see_watched_start(double frame, double start, bool slow, double quiet_until);
  void settled(double frame);
  void see_start(double frame, double start);
  void see_gap(double frame, double start, double end, bool slow);
  void look_again(double frame, double times);

  double frame_at(double time) const;     // of the guard, work or gap that the time lies in
  double before(double frame) const;      // seconds of guard before a frame
  double free_after(double frame) const;  // seconds from a frame's start until its gap is used
  bool watches_start(double frame) const { return frame >= next_start_; }
  bool watches_end(double frame) const { return frame >= next_end_ && !watches_start(frame); }

  PhaseLockLimits limits_;
  FrameLine line_;
  double length_ = 0;   // from a frame's start until the device is free
  double widened_ = 0;  // of the guard, after slices that met a frame
  double learnt_length_ = 0;
  double step_ = 0;                       // of the way back to the true end
  bool settling_ = false;                 // on that way for the first time
  double next_start_ = 0, next_end_ = 0;  // frames to be watched
  int start_every_ = 0, end_every_ = 0;
  double odd_ = 0;  // slow slices more than clean gaps
  double second_probe_ = -1,
         first_probe_ = 0;  // the frame with one probe of its end, and the time of that probe
  double hit_frame_ = -1;   // that a probe met, and so is longer
  double gap_frame_ = -1;   // of the gap with the last slice
  bool gap_slow_ = false;
};

}  // namespace weft::schedule
