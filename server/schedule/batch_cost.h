// SPDX-License-Identifier: Apache-2.0
// What a batch of n units costs on a device, learnt from the batches that ran: a + b*n.
//
// a is what every batch pays (launches, transfers starting), b what every unit adds. Both come from a weighted
// least-squares line through the measured (n, time), where a measurement counts 0.85 of the one after it: the clock
// that changed is forgotten within some twenty batches, and the first batch, which loads kernels, by the first that takes
// less than half as long. A line that falls, or one
// that starts below zero, is no cost; then one term alone is fitted. A single batch far above its prediction (another
// program's turn, a page fault) counts as kMostSurprise times the prediction: a lasting change is learnt within a few more.
//
// How far predictions lie off is learnt beside it: the errors of the newest kErrorsKept batches.
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

  // A batch of `units` (at least 1) took `time`.
  void learn(int units, Duration time);

  int measured() const { return measured_; }  // batches
  bool known() const { return largest_seen_ > 0; }
  int largest_measured() const { return largest_seen_; }  // batch, in units
  // Of a batch of n units; zero while nothing is known.
  Duration predict(int units) const;
  // The largest n whose predicted cost fits `time`: at least 1, at most `limit` (at least 1), and at most twice the
  // largest batch measured, so that a wrong line is noticed before it costs much. 1 while nothing is known.
  int largest_within(Duration time, int limit) const;

  // What to add to a prediction, as a part of it, so that all but 3% of the batches end within; 0.25 until eight
  // predictions were compared.
  double margin() const { return margin_; }

 private:
  static constexpr double kMarginUnmeasured = 0.25;
  void measure_margin();
  struct Line {
    double per_batch = 0;  // a, in seconds
    double per_unit = 0;   // b
  };
  Line line() const;

  // Weighted sums over the measurements: weight, n, n*n, t, n*t.
  double weight_ = 0, n_ = 0, nn_ = 0, t_ = 0, nt_ = 0;
  int largest_seen_ = 0;
  int measured_ = 0;
  double margin_ = kMarginUnmeasured;
  std::vector<float> errors_;  // (real - predicted) / predicted; a ring once it is full
};

// The costs that a worker has learnt, kept from job to job. The key names filter, format and device.
using CostBook = std::map<std::string, BatchCost, std::less<>>;

}  // namespace weft::schedule
