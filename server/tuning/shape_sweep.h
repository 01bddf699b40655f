// SPDX-License-Identifier: Apache-2.0
// Finds the fastest of some shapes by runs that somebody else times: pure, and all that it knows is what it was told.
//
//   ShapeSweep sweep(shapes.size());
//   while (!sweep.is_done())
//     for (int shape : sweep.round()) sweep.add(shape, seconds of a run), or sweep.fail(shape, why)
//     sweep.end_round();
//   sweep.result();
//
// A round runs each shape that is left once, right after each other, so that what slows a round down slows all of its runs. The order
// turns by one with each round. A shape is dropped once its fastest run is slower than the best shape's by more than the noise
// explains, or the noise does not explain that it is not least_gain faster than the default. After most_rounds, or most_seconds, the candidate is the shape with the lowest median. It replaces the default if it is faster by least_gain,
// and if the paired runs say so with enough confidence, by the sign test (W. J. Conover, Practical Nonparametric Statistics, 3rd
// edition, 1999, section 3.4): of n rounds that differ k are the candidate's, p = sum from k to n of C(n, i) / 2^n. The candidate was
// picked out of m shapes by the same runs, so p counts m times (Bonferroni's inequality); the confidence is 1 - m p.
#pragma once

#include <string>
#include <vector>

namespace weft::tuning {

struct SweepRules {
  int probe_rounds = 4;        // before any shape is dropped
  int most_rounds = 24;        // of the shapes that are left
  double most_seconds = 60;    // of all runs; no round begins after
  double least_margin = 0.02;  // a shape stays while its fastest run is within this part of the best's
  double least_doubt = 0.005;  // and while it is within this part of what it must be to replace the default
  double noise_factor = 3;     // or, of both, within so many spreads of the runs it is compared with
  double least_gain = 0.02;    // of the default's time
  double confidence = 0.95;
};

// Shapes go by their number; 0 is the default.
struct SweepResult {
  int chosen = 0;
  int worst = 0;       // by the median, of those that ran
  double seconds = 0;  // medians of a run
  double default_seconds = 0;
  double worst_seconds = 0;
  double confidence = 0;  // that the candidate is faster than the default
  int runs = 0;           // of the chosen shape
  double gain = 0;        // of the chosen shape, as a part of the default's time
};

class ShapeSweep {
 public:
  explicit ShapeSweep(int shapes, SweepRules rules = {});

  // What is to run now, in this order. Empty once it is done.
  std::vector<int> round() const;
  // Of the round at hand. A run of 0 seconds or less is as one of the shortest time there is.
  void add(int shape, double seconds);
  // The shape is left out from now on; the default's failure ends the sweep.
  void fail(int shape, std::string why);
  void end_round();
  bool is_done() const;

  SweepResult result() const;
  // Why it was chosen, in a sentence. `names`: of the shapes.
  std::string reason(const std::vector<std::string>& names) const;
  double median(int shape) const;  // of its runs; 0: there were none
  const std::string& fault(int shape) const { return shapes_[size_t(shape)].fault; }

 private:
  struct Shape {
    std::vector<double> seconds;  // [round]
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
  double spent_ = 0;  // seconds, of all runs
};

// P(at least k of n) where both outcomes are as likely.
double sign_test(int k, int n);

}  // namespace weft::tuning
