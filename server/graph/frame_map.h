// SPDX-License-Identifier: Apache-2.0
// Defines maps between units. A FrameMap contains the input unit and the time of each output unit.
// A UnitMap contains the units that an edge reads from a port with another clock.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "server/graph/numbered.h"
#include "server/graph/port.h"

namespace weft::graph {

// Bounds of a map that receives entries while a pipeline runs (LiveDecision). When a unit is pushed
// to the pipeline, the entries of the unit and of Plan::window.before units after it exist.
struct MapGrowth {
  // Entries of n consecutive input units: at most n * FrameMap::rate, rounded up, plus this number.
  int more_entries = 0;
  // Input units from an entry to the n-th one after it: at most n * `units_each`, rounded up, plus
  // `more_units`.
  Rate units_each{};
  int more_units = 0;
};

// The output units of a filter, sorted by input unit.
struct FrameMap {
  struct Entry {
    int64_t unit = 0;  // number of the input unit, counted from the start of the whole input
    int64_t pts = 0;   // in the input's time unit divided by time_divisor
    int64_t duration = 0;
    int32_t word = 0;  // ROW_WORD of the unit's row (Step::rows), which the node reads
  };
  Numbered<Entry> entries;
  int time_divisor = 1;
  Rate rate{};  // output units for an input unit: the largest ratio, or the mean one if it varies
  // If positive, `entries` is empty, and the input units with a number divisible by `every` are
  // output until the input ends. The word of an output unit is the lowest bit of its number among
  // them.
  int every = 0;
  std::optional<MapGrowth> growth{};  // absent: `entries` are complete
};

// The units that an edge reads, one for each unit of its node. Both are numbered from the start of
// the whole input.
//
// A unit that the edge reads must belong to the same run as the node's unit. Its source unit must
// be at most `before` units earlier and `after` units later than the source unit of the node's
// unit.
struct UnitMap {
  Numbered<int64_t> units;  // unit to read, by unit of the node; non-decreasing
  // Whether the node reads the unit, by unit of the node; empty: it reads all. A unit that is not
  // read has a slot with undefined content.
  Numbered<bool> is_read{};
  int before = 0, after = 0;  // limits in source units
  // If positive, `units` is empty, and unit n of the node reads unit n / per: the frame of a field.
  int per = 0;
  bool grows = false;  // units are appended with the entries of a FrameMap that grows

  int64_t at(int64_t unit) const { return per > 0 ? unit / per : units[size_t(unit)]; }
  bool has(int64_t unit) const { return per > 0 || unit < int64_t(units.size()); }
};
using UnitMapPtr = std::shared_ptr<const UnitMap>;

inline std::shared_ptr<const FrameMap> map_of_every(int units) {
  auto map = std::make_shared<FrameMap>();
  map->rate = {1, units};
  map->every = units;
  return map;
}

}  // namespace weft::graph
