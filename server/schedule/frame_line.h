// SPDX-License-Identifier: Apache-2.0
// Fits a line through the starts of another program's frames: start = phase + frame * period. Each
// observed start refits the line; older starts have less weight. Frames are numbered from the first
// one of the fit.
#pragma once

#include <deque>
#include <span>

#include "server/schedule/period_fit.h"

namespace weft::schedule {

// All times are in seconds.
class FrameLine {
 public:
  // Begins with the line of `fit`, which was made from `times`. `every` is the number of frames
  // between two observed starts; the weight of older starts depends on it.
  void begin(const PeriodFit& fit, std::span<const double> times, int every);

  // An observed start.
  struct SeenStart {
    double off = 0;       // observed minus predicted start; positive: late
    double usual = 0;     // largest distance without significance
    bool jumped = false;  // the start is far from the line
  };
  SeenStart add(double frame, double start, int every);

  double start_of(double frame) const { return phase_ + frame * period_; }
  // Number of the newest frame that had started at `time`.
  double frame_begun_at(double time) const;
  double newest_frame() const { return starts_.back().frame; }
  double period() const { return period_; }
  double spread() const { return spread_; }              // spread of the starts around the line
  double period_error() const { return period_error_; }  // uncertainty of the period
  // Returns the number of frames ahead for which the starts are predicted precisely enough.
  double frames_known() const;

 private:
  void refit(int every);

  struct Start {
    double frame, time;
  };
  std::deque<Start> starts_;
  double phase_ = 0, period_ = 0;
  double spread_ = 0;
  double noise_ = 0;  // median distance from the line, while learning
  double period_error_ = 0;
  int one_sided_ = 0;  // consecutive late starts; negative: early starts
};

}  // namespace weft::schedule
