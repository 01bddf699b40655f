// SPDX-License-Identifier: Apache-2.0
// A timeline that was decided on: which unit of a whole input each unit that comes out is made of, and when it is shown.
#pragma once

#include <cstdint>
#include <vector>

#include "server/filters/port.h"

namespace weft::filters {

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
};

}  // namespace weft::filters
