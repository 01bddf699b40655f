// SPDX-License-Identifier: Apache-2.0
// The properties of a unit besides its samples, as a source states them and as rules derive them.
#pragma once

#include <cstdint>
#include <memory>

namespace weft::graph {

struct FrameInfo {
  int64_t pts = 0;          // in the source's unit; rising; of at most 62 bits, and 61 where it is halved
  int64_t duration = 1;     // in the same unit
  bool interlaced = false;  // flagged so
  bool top_field_first = false;  // of an interlaced frame
  bool repeats_field = false;    // soft telecine: a field of it is to be shown again
  bool discontinuity = false;    // unrelated to the frame before
  bool context = false;          // a neighbour of the frames that are wanted: no output is made of it
  std::shared_ptr<const void> side = {};  // side data such as captions, which the engine hands on unread
};

// Times in the source's unit, divided by a divisor that the provider states.
struct OutputTime {
  int64_t pts = 0;
  int64_t duration = 0;
};

// A unit of a clock.
struct UnitInfo {
  FrameInfo frame;           // times as the clock counts them
  int64_t source_index = 0;  // the source's unit that it comes of, counted as pushed
  int64_t run = 0;           // number of its run; runs are counted as pushed
  bool ends_source = false;  // the last unit of this clock that comes of that one
  int64_t parent = 0;        // the parent's unit that it comes of
  int32_t word = 0;          // for the node: ROW_WORD of its row
};

}  // namespace weft::graph
