// SPDX-License-Identifier: Apache-2.0
// Selects the fastest of several shapes from runs that the caller times. Pure.
//
//   ShapeSweep sweep(shapes.size());
//   while (!sweep.is_done())
//     for (int shape : sweep.round()) sweep.add(shape, seconds of a run), or sweep.fail(shape, why)
//     sweep.end_round();
//   sweep.result();
//
// A round runs each remaining shape once, one directly after the other, so that a disturbance
// affects all runs of the round. The order rotates by one with each round. A shape is dropped when
// its fastest run is slower than the best shape's by more than the noise, or when the noise cannot
// hide a gain of least_gain over the default. After most_rounds or most_seconds, the candidate is
// the shape with the lowest median. The candidate replaces the default if it is faster by
// least_gain and if the paired runs confirm that with enough confidence, by the sign test (W. J.
// Conover, Practical Nonparametric Statistics, 3rd edition, 1999, section 3.4): if the candidate
// wins k of the n rounds with a difference, p = sum from k to n of C(n, i) / 2^n. The candidate was
// selected from m shapes by the same runs, so p counts m times (Bonferroni's inequality); the
// confidence is 1 - m p.
#pragma once

#include <string>
#include <vector>

namespace weft::tuning {

struct SweepRules {
  int probe_rounds = 4;      // rounds before the first shape is dropped
  int most_rounds = 24;      // limit of rounds for the remaining shapes
  double most_seconds = 60;  // limit for the sum of all runs; no round starts after it
  // Least margin over the best shape's shortest time, as a fraction: a shape with a longer shortest
  // time is dropped. Noise widens the margin.
  double least_margin = 0.02;
  // Least margin over the time required to replace the default, as a fraction, used likewise.
  double least_doubt = 0.005;
  // noise of a shape, as a multiple of the spread of its runs (median / shortest - 1)
  double noise_factor = 3;
  double least_gain = 0.02;  // fraction of the default's time
  double confidence = 0.95;
};

// Shapes are identified by their index; 0 is the default.
struct SweepResult {
  int chosen = 0;
  int worst = 0;  // shape with the highest median of those that ran
  // median time of a run of the chosen shape, as the two fields below for their shapes
  double seconds = 0;
  double default_seconds = 0;
  double worst_seconds = 0;
  double confidence = 0;  // probability that the candidate is faster than the default
  int runs = 0;           // number of runs of the chosen shape
  double gain = 0;        // gain of the chosen shape, as a fraction of the default's time
};

class ShapeSweep {
 public:
  explicit ShapeSweep(int shapes, SweepRules rules = {});

  // Returns the shapes to run now, in order, or an empty list once the sweep is done.
  std::vector<int> round() const;
  // Adds a run of the current round. A time of 0 or less counts as the shortest time.
  void add(int shape, double seconds);
  // Excludes a shape; a failure of the default ends the sweep.
  void fail(int shape, std::string why);
  void end_round();
  bool is_done() const;

  SweepResult result() const;
  // Returns the reason of the selection as a sentence. `names` contains the names of the shapes.
  std::string reason(const std::vector<std::string>& names) const;
  // Returns the median of the shape's runs in seconds, or 0 if it has no runs.
  double median(int shape) const;
  const std::string& fault(int shape) const { return shapes_[size_t(shape)].fault; }

 private:
  struct Shape {
    std::vector<double> seconds;  // by round
    bool is_dropped = false;
    std::string fault;
  };
  bool is_left(const Shape& shape) const { return !shape.is_dropped && shape.fault.empty(); }
  int candidate() const;
  double confidence_of(int shape) const;
  void drop_slow_ones();

  const SweepRules rules_;
  std::vector<Shape> shapes_;
  int rounds_ = 0;
  double spent_ = 0;  // sum of all runs in seconds
};

// Returns P(at least k of n) for two equally likely outcomes.
double sign_test(int k, int n);

}  // namespace weft::tuning
