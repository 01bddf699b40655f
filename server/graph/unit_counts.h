// SPDX-License-Identifier: Apache-2.0
// Converts numbers of units between clocks: the most and the fewest units that a number of units of
// another clock makes.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "server/graph/timeline.h"

namespace weft::graph {

// Not thread-safe.
class UnitCounts {
 public:
  static constexpr int64_t kMost = 1 << 20;  // units; more than any pipeline needs

  // `clocks` must outlive the object; they may be added later.
  explicit UnitCounts(const std::vector<ClockRule>& clocks) : clocks_(clocks) {}

  // Returns the nearest clock from which both clocks are made; it may be one of them. Distances of
  // their units are compared in its units, since each conversion to another clock rounds up.
  int shared_clock(int a, int b) const;
  // Returns the most units of `origin` that make `units` consecutive units of a clock.
  int in_clock(int origin, int clock, int64_t units) const;
  // Returns the largest distance of two units of a clock that are `sources` source units apart.
  int reach(int clock, int sources) const { return most_units(clock, sources + 1) - 1; }

  // Returns the most units made from `units` consecutive units of `origin`, the source by default;
  // maps space them unevenly.
  int most_units(int clock, int units, int origin = 0) const;
  // Returns the fewest units made from `units` consecutive source units.
  int fewest_units(int clock, int units) const;
  // Returns the most units made from `parents` consecutive units of the parent clock.
  int most_children(int clock, int parents) const;

 private:
  const std::vector<ClockRule>& clocks_;
  mutable std::map<std::pair<int, int>, int> most_children_;  // by clock and number of parent units
};

}  // namespace weft::graph
