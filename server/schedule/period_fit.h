// SPDX-License-Identifier: Apache-2.0
// Determines the period of a repeated event from the observed times of its starts.
//
// The median distance of neighbouring times assigns a turn number to each time; turns that were not
// observed are counted. Then time = phase + turn * period is fitted by least squares. A few
// outliers (at most one in four) are excluded.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace weft::schedule {

// A fitted period; times in seconds.
struct PeriodFit {
  double period = 0;
  double phase = 0;           // time of turn 0 on the line; turn 0 is that of the first time
  double spread = 0;          // largest distance of a time from the line, without outliers
  double noise = 0;           // median distance of all times from the line
  std::vector<double> turns;  // turn numbers of all times, outliers included
  std::vector<bool> counts;   // for each time: true if the fit uses it, false for an outlier

  double at(double turn) const { return phase + turn * period; }
};

// Fits a period to `times`, which are ascending and at least 4. Returns an empty result if no
// period of at least `least_period` fits.
std::optional<PeriodFit> fit_period(std::span<const double> times, double least_period);

// Fits time = phase + turn * period by weighted least squares. Returns an empty result if fewer
// than two turns differ.
struct WeightedTime {
  double turn, time, weight;
};
struct FittedLine {
  double phase, period;
  // Sum of weight * (turn - mean)^2; the variance of the period is the variance of a time divided
  // by it.
  double turns_spread;
};
std::optional<FittedLine> fit_line(std::span<const WeightedTime> points);

}  // namespace weft::schedule
