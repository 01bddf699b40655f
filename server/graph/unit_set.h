// SPDX-License-Identifier: Apache-2.0
// Represents a set of a clock's units by their numbers in the whole input: the demand on a port.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "server/graph/port.h"

namespace weft::graph {

class UnitSet {
 public:
  // Longest period of a repeating set. A set with a longer period becomes the set of all units.
  static constexpr int64_t kMostPeriod = 4096;

  UnitSet() = default;  // creates the empty set
  static UnitSet all();
  // Returns the set of the multiples of `period`.
  static UnitSet of_every(int64_t period);

  bool is_all() const { return period_ == 1; }
  bool is_none() const { return period_ == 0 && ranges_.empty(); }
  bool has(int64_t unit) const;

  // Adds the units from `begin` to `end` - 1. Calls must be in order of `begin`. The set must not
  // repeat.
  void add(int64_t begin, int64_t end);
  void add(const UnitSet& other);
  // Returns the set of all units in the windows around the units of this set.
  UnitSet around(const Window& window) const;
  // Returns the set with all numbers multiplied by `factor`.
  UnitSet scaled(int64_t factor) const;

 private:
  using Range = std::pair<int64_t, int64_t>;  // from first to second - 1

  void repeat(int64_t period);
  void sort();

  std::vector<Range> ranges_;  // sorted and disjoint; for a repeating set, within one period from 0
  int64_t period_ = 0;         // 0: the set does not repeat; 1: all units
};

}  // namespace weft::graph
