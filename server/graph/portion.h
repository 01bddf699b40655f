// SPDX-License-Identifier: Apache-2.0
// Divides the work of a unit into portions, for units that would occupy the device for too long. A
// portion is the work between two points from 0 to 1. All portions in order are all of the work.
//
//   const Portion mine = portion_of(2, 5);              // the third of five
//   const Portion of_rows = of_step(mine, 0.1, 0.4);    // its part of a step from 0.1 to 0.4
//   const Items rows = items_of(of_rows, 1080);         // rows.count rows from rows.first
//
// All functions are pure and may be called on any thread.
#pragma once

namespace weft::graph {

struct Portion {
  double from = 0;
  double to = 1;
};

// Returns the portion that consists of `count` of `all` equal items, beginning with item `first`.
constexpr Portion portions_of(int first, int count, int all) {
  return {double(first) / all, double(first + count) / all};
}
constexpr Portion portion_of(int number, int all) { return portions_of(number, 1, all); }

// Returns the part of a step that `portion` contains, from 0 to 1 of the step. The step spans
// `begin` to `end` of the work.
constexpr Portion of_step(const Portion& portion, double begin, double end) {
  // Tolerance at the ends of steps, since these are rounded sums. A portion that ends at 1 also
  // contains an empty step.
  constexpr double kNear = 1e-9;
  const auto share = [&](double at) {
    if (at >= 1 - kNear) return 1.0;
    if (at <= begin + kNear) return 0.0;
    return at >= end - kNear ? 1.0 : (at - begin) / (end - begin);
  };
  return {share(portion.from), share(portion.to)};
}

// Return whether the portion contains the beginning, or the end, of the step. The portion with the
// beginning (or the end) executes a step that cannot be divided.
constexpr bool has_begin(const Portion& of_step) { return of_step.from <= 0 && of_step.to > 0; }
constexpr bool has_end(const Portion& of_step) { return of_step.from < 1 && of_step.to >= 1; }

struct Items {
  int first = 0;
  int count = 0;
};
constexpr Items items_of(const Portion& of_step, int items) {
  const auto at = [&](double share) { return share >= 1 ? items : int(share * items); };
  return {at(of_step.from), at(of_step.to) - at(of_step.from)};
}

}  // namespace weft::graph
