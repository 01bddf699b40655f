// SPDX-License-Identifier: Apache-2.0
// The line start = phase + frame * period that another program's frames begin on, fitted again with each start that is seen; older
// starts count less. Frames are counted from the first one of the fit.
#pragma once

#include <deque>
#include <span>

#include "server/schedule/period_fit.h"

namespace weft::schedule {

// Seconds throughout.
class FrameLine {
 public:
  // Begins with a fit of these times. `every`: frames between two starts that are seen, for the weight of old ones.
  void begin(const PeriodFit& fit, std::span<const double> times, int every);

  // A start that was seen.
  struct SeenStart {
    double off = 0;       // its distance from the line, late above 0
    double usual = 0;     // a distance that says nothing
    bool jumped = false;  // it is far off
  };
  SeenStart add(double frame, double start, int every);

  double start_of(double frame) const { return phase_ + frame * period_; }
  double frame_begun_at(double time) const;  // the last one that had begun
  double newest_frame() const { return starts_.back().frame; }
  double period() const { return period_; }
  double spread() const { return spread_; }              // of the starts around the line
  double period_error() const { return period_error_; }  // that the period may have
  // Frames for which the period is known well enough.
  double frames_known() const;

 private:
  void refit(int every);

  struct Start {
    double frame, time;
  };
  std::deque<Start> starts_;
  double phase_ = 0, period_ = 0;
  double spread_ = 0;
  double noise_ = 0;  // the median distance from the line, while learning
  double period_error_ = 0;
  int one_sided_ = 0;  // starts in a row that were late, or early if below 0
};

}  // namespace weft::schedule
