// SPDX-License-Identifier: Apache-2.0
// Timelines by maps: the unit of a whole input that each unit of an output is made of, and its time. And the units that an edge reads of a
// port with another clock.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "server/graph/port.h"

namespace weft::graph {

// Pure data; entries are in order of their units.
struct FrameMap {
  struct Entry {
    int64_t unit = 0;  // of the input, counted from the beginning of the whole of it
    int64_t pts = 0;   // in the input's unit of time divided by time_divisor
    int64_t duration = 0;
    int32_t word = 0;  // for the node: Step::rows has it as ROW_WORD
  };
  std::vector<Entry> entries;
  int time_divisor = 1;
  Rate rate{};
  // Above 0 there are no entries: each unit of the input whose number is a multiple of this comes out, for as long as so many last. Its
  // word is its own number's lowest bit.
  int every = 0;
};

// The unit that an edge reads for each unit of its node. Units of both are counted from the beginning of the whole input. Pure data.
//
// The unit that is read must be of the same run as the node's, and come of a unit of the source that is at most `before` earlier and
// `after` later than the one that the node's unit comes of.
struct UnitMap {
  std::vector<int64_t> units;  // of each unit of the node; rising or equal
  int before = 0, after = 0;   // in units of the source
};
using UnitMapPtr = std::shared_ptr<const UnitMap>;

inline std::shared_ptr<const FrameMap> map_of_every(int units) {
  auto map = std::make_shared<FrameMap>();
  map->rate = {1, units};
  map->every = units;
  return map;
}

}  // namespace weft::graph
