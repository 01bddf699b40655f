// SPDX-License-Identifier: Apache-2.0
// A unit's work in portions, where all of it at once would hold the device for too long: each does what lies between two
// points of it, from 0 to 1, and all together do everything once, in order.
//
//   const Portion mine = portion_of(2, 5);                     the third of five
//   const Portion of_rows = of_step(mine, 0.1, 0.4);           what of it are rows, if these are 0.1 to 0.4 of everything
//   const Items rows = items_of(of_rows, 1080);                from row rows.first, rows.count of them
//
// Pure functions, any thread.
#pragma once

namespace weft::graph {

struct Portion {
  double from = 0;
  double to = 1;
};

// `count` of `all` that are alike, from number `first` on.
constexpr Portion portions_of(int first, int count, int all) {
  return {double(first) / all, double(first + count) / all};
}
constexpr Portion portion_of(int number, int all) { return portions_of(number, 1, all); }

// From 0 to 1 of a step that is `begin` to `end` of everything.
constexpr Portion of_step(const Portion& portion, double begin, double end) {
  // The ends of steps are sums: what is this near is meant to be there. At 1 even a step is done that takes nothing.
  constexpr double kNear = 1e-9;
  const auto share = [&](double at) {
    if (at >= 1 - kNear) return 1.0;
    if (at <= begin + kNear) return 0.0;
    return at >= end - kNear ? 1.0 : (at - begin) / (end - begin);
  };
  return {share(portion.from), share(portion.to)};
}

// Of a step that is done all at once: whether this is the portion that does it.
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
