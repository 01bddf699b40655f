// SPDX-License-Identifier: Apache-2.0
// A set of a clock's units, by their numbers in the whole input: those that are needed of a port. Pure data.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "server/graph/port.h"

namespace weft::graph {

class UnitSet {
 public:
  // Of a set that repeats; one with a longer period becomes all units.
  static constexpr int64_t kMostPeriod = 4096;

  UnitSet() = default;  // no unit
  static UnitSet all();
  // Units at multiples of `period`.
  static UnitSet of_every(int64_t period);

  bool is_all() const { return period_ == 1; }
  bool is_none() const { return period_ == 0 && ranges_.empty(); }
  bool has(int64_t unit) const;

  // Adds [begin, end). Calls are in order of `begin`; only to a set that does not repeat.
  void add(int64_t begin, int64_t end);
  void add(const UnitSet& other);
  // All units that a window looks at around the units of this set.
  UnitSet around(const Window& window) const;
  // Units that are numbered `factor` times as high.
  UnitSet scaled(int64_t factor) const;

 private:
  using Range = std::pair<int64_t, int64_t>;  // [first, second)

  void repeat(int64_t period);
  void sort();

  std::vector<Range> ranges_;  // in order, none touches another; of a set that repeats within [0, period_)
  int64_t period_ = 0;         // 0: the set does not repeat; 1: all units
};

}  // namespace weft::graph
