// SPDX-License-Identifier: Apache-2.0
#include "server/graph/unit_counts.h"

#include <algorithm>

namespace weft::graph {

int UnitCounts::shared_clock(int a, int b) const {
  while (a != b) {
    int& newer = a > b ? a : b;
    newer = clocks_[size_t(newer)].parent;
  }
  return a;
}

int UnitCounts::in_clock(int origin, int clock, int64_t units) const {
  for (int at = clock; at != origin; at = clocks_[size_t(at)].parent)
    units = clocks_[size_t(at)].rule->most_parents(int(std::min(units, kMost)));
  return int(std::min(units, kMost));
}

int UnitCounts::most_units(int clock, int units, int origin) const {
  if (clock == origin) return units;
  return most_children(clock, most_units(clocks_[size_t(clock)].parent, units, origin));
}

int UnitCounts::fewest_units(int clock, int units) const {
  if (clock == 0) return units;
  const ClockRule& clock_rule = clocks_[size_t(clock)];
  return clock_rule.rule->fewest_units(fewest_units(clock_rule.parent, units));
}

int UnitCounts::most_children(int clock, int parents) const {
  const auto [found, is_new] = most_children_.try_emplace({clock, parents});
  if (is_new) found->second = clocks_[size_t(clock)].rule->most_units(parents);
  return found->second;
}

}  // namespace weft::graph
