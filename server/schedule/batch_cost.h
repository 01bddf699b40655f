// SPDX-License-Identifier: Apache-2.0
// Estimates the cost of a batch of n units on a device from measured batches: a + b * n.
//
// a is the fixed cost (launches, start of transfers), b the cost per unit. Both come from a
// weighted least-squares fit to the measured (n, time). A measurement has 0.85 of the weight of the
// next one, so a changed clock rate is forgotten within about twenty batches. The first batch loads
// kernels; all earlier measurements are dropped when one of the first batches takes less than half
// of its prediction. If the fit has a negative slope or intercept, only one term is fitted. A
// single batch far above its prediction (another program's time slice, a page fault) counts as
// kMostSurprise times the prediction, so that a lasting change is still learnt within a few
// batches.
//
// The margin of predictions is estimated from the errors of the newest kErrorsKept batches.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"

namespace weft::schedule {

class BatchCost {
 public:
  static constexpr double kMostSurprise = 4;
  static constexpr size_t kErrorsKept = 64;

  // Adds a measurement; `units` is at least 1.
  void learn(int units, Duration time);

  int measured() const { return measured_; }  // number of measured batches
  bool known() const { return largest_seen_ > 0; }
  int largest_measured() const { return largest_seen_; }  // units of the largest measured batch
  // Returns the predicted cost of a batch of `units` units, or zero if the cost is unknown.
  Duration predict(int units) const;
  // Returns the largest n with a predicted cost of at most `time`. The result is from 1 to `limit`
  // (at least 1), and at most twice the largest measured batch, so that a wrong fit is detected
  // early. Returns 1 if the cost is unknown.
  int largest_within(Duration time, int limit) const;

  // Returns the relative error of predictions that 97% of the batches stay below, or 0.25 if fewer
  // than eight predictions have been compared with measurements.
  double margin() const { return margin_; }

 private:
  static constexpr double kMarginUnmeasured = 0.25;
  void measure_margin();
  struct Line {
    double per_batch = 0;  // a, in seconds
    double per_unit = 0;   // b, in seconds
  };
  Line line() const;

  // Weighted sums of 1, n, n*n, t and n*t over the measurements.
  double weight_ = 0, n_ = 0, nn_ = 0, t_ = 0, nt_ = 0;
  int largest_seen_ = 0;
  int measured_ = 0;
  double margin_ = kMarginUnmeasured;
  std::vector<float> errors_;  // (real - predicted) / predicted; a ring buffer once it is full
};

// Measured costs of a worker by filter, format and device. They are retained across jobs.
using CostBook = std::map<std::string, BatchCost, std::less<>>;

}  // namespace weft::schedule
