// SPDX-License-Identifier: Apache-2.0
// A timeline by a map: which unit of a whole input each unit that comes out is made of, and when it is shown. It was decided on, or keeps one
// unit of every so many.
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

inline std::shared_ptr<const FrameMap> map_of_every(int units) {
  auto map = std::make_shared<FrameMap>();
  map->rate = {1, units};
  map->every = units;
  return map;
}

}  // namespace weft::graph
