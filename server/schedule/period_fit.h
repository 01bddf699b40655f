// SPDX-License-Identifier: Apache-2.0
// The period of something that begins again and again, from the times at which it was seen to begin.
//
// Which turn each time belongs to comes from the median distance of neighbours; turns that were missed count. Then
// time = phase + turn * period by least squares. A few times that belong to nothing (at most one in four) are left out.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace weft::schedule {

// Seconds throughout.
struct PeriodFit {
  double period = 0;
  double phase = 0;           // of turn 0, which is that of the first time
  double spread = 0;          // largest distance of a time that counts from the line
  double noise = 0;           // their median distance
  std::vector<double> turns;  // of each time; those left out too
  std::vector<bool> counts;   // false: left out

  double at(double turn) const { return phase + turn * period; }
};

// `times`: rising, at least 4. Nothing: they have no period of at least `least_period`.
std::optional<PeriodFit> fit_period(std::span<const double> times, double least_period);

// The line time = phase + turn * period by weighted least squares; nothing while there are fewer than two different turns.
struct WeightedTime {
  double turn, time, weight;
};
struct FittedLine {
  double phase, period;
  double turns_spread;  // sum of weight * (turn - mean)^2: the period's variance is that of a time over this
};
std::optional<FittedLine> fit_line(std::span<const WeightedTime> points);

}  // namespace weft::schedule
