// SPDX-License-Identifier: Apache-2.0
// Follows another program's frames: determines the gaps between them, and the probes that keep the
// prediction of the gaps accurate.
//
// Slices run only between the end of a frame and the start of the next, minus a guard. The guard
// covers the distance of starts from the line and the uncertainty of the period. Every
// `watch_every`-th frame, a probe watches the start of a frame, and in another frame the end; the
// line is then refitted. While starts arrive as predicted, the number of frames between watches
// grows up to `watch_every_at_most`, since each watch delays its frame as much as any launch. A
// slow slice in a gap counts against the lock, an undisturbed gap for it.
//
// Learning disturbs the frames, so that they seem longer than they are. After locking, pairs of
// probes approach the true end. Pairs are required because a time slice of the other program that
// has lasted 2 ms ends at the first probe, which is then not delayed.
#pragma once

#include <deque>

#include "server/schedule/burst_log.h"
#include "server/schedule/frame_line.h"

namespace weft::schedule {

// All times are in seconds.
class FrameLock {
 public:
  explicit FrameLock(const PhaseLockLimits& limits) : limits_(limits) {}

  // Locks onto the bursts at `now`. Returns false and leaves the lock unchanged if the bursts have
  // no period or leave no gap.
  bool lock_onto(const std::deque<Burst>& bursts, double now);
  // Adds a slice. `slow`: the slice met work of the other program. `quiet_until`: end of the last
  // slice that did not. Returns false if the lock is lost.
  bool check(const TimedSlice& slice, bool slow, double quiet_until);
  // Returns the time window for the next slice. `last_end` is the end of the last slice.
  ExternalLoadAdvice advise(TimePoint time, double last_end) const;

  double period() const { return line_.period(); }
  double spread() const { return line_.spread(); }
  double length() const { return length_; }                // length of a frame
  double guard() const { return before(gap_frame_ + 1); }  // guard before the next frame
  // Length of a frame and its guard.
  double busy() const { return length_ + before(gap_frame_ + 1); }

 private:
  void see_watched(double frame, double start, bool slow, double quiet_until);
  void see_watched_start(double frame, double start, bool slow, double quiet_until);
  void settled(double frame);
  void see_start(double frame, double start);
  void see_gap(double frame, double start, double end, bool slow);
  void schedule_check(double frame, double times);

  // Returns the number of the period at `time`. A period begins with the guard before its frame and
  // ends with the gap after it.
  double frame_at(double time) const;
  double before(double frame) const;      // length of the guard before `frame`
  double free_after(double frame) const;  // time from the start of `frame` to the usable gap
  bool watches_start(double frame) const { return frame >= next_start_; }
  bool watches_end(double frame) const { return frame >= next_end_ && !watches_start(frame); }

  PhaseLockLimits limits_;
  FrameLine line_;
  double length_ = 0;   // time from a frame's start until the device is free
  double widened_ = 0;  // extension of the guard after slices that met a frame
  double learnt_length_ = 0;
  // Distance of the next probe from the assumed end of a frame.
  double step_ = 0;
  bool settling_ = false;                 // probes approach the true end for the first time
  double next_start_ = 0, next_end_ = 0;  // next frames with a watched start and a watched end
  int start_every_ = 0, end_every_ = 0;
  double odd_ = 0;  // number of slow slices minus undisturbed gaps; at least 0
  double second_probe_ = -1,
         first_probe_ = 0;  // frame with one probe of its end, and the time of that probe
  double hit_frame_ = -1;   // frame that a probe lengthened
  double gap_frame_ = -1;   // frame before the gap of the last slice
  bool gap_slow_ = false;
};

}  // namespace weft::schedule
