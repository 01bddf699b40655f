// SPDX-License-Identifier: Apache-2.0
// Describes a unit except for its samples. A source states these properties; rules derive those of
// other units.
#pragma once

#include <cstdint>
#include <memory>

#include "base/quantisers.h"

namespace weft::graph {

struct FrameInfo {
  // In the source's time unit; increasing. At most 62 bits, or 61 if a filter halves the time unit.
  int64_t pts = 0;
  int64_t duration = 1;          // in the source's time unit
  bool interlaced = false;       // flagged as interlaced
  bool top_field_first = false;  // field order of an interlaced frame
  bool repeats_field = false;    // soft telecine: one field is repeated on display
  // number of times that the whole frame is shown again (frame doubling, tripling); repeats_field
  // is then set too
  int repeated_frames = 0;
  bool discontinuity = false;  // the frame does not continue the previous one
  // A frame next to the requested ones, which only windows read; it has no output.
  bool context = false;
  std::shared_ptr<const void> side_data = {};  // data that is passed through, such as captions
  FrameQuantisers quantisers = {};             // quantisers of the coded picture, for nodes
};

// Times in the source's time unit, divided by Pipeline::time_divisor().
struct OutputTime {
  int64_t pts = 0;
  int64_t duration = 0;
};

// A unit of a clock.
struct UnitInfo {
  FrameInfo frame;  // times in the clock's time unit
  // Index of the source unit that this unit was made from, counted from the first pushed one.
  int64_t source_index = 0;
  int64_t run = 0;  // number of the unit's run, counted from the first pushed unit
  // True for the last unit of this clock that was made from the source unit.
  bool ends_source = false;
  int64_t parent = 0;  // index of the parent unit in the parent clock
  int32_t word = 0;    // ROW_WORD of the unit's row, which the node reads
};

}  // namespace weft::graph
