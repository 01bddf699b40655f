// SPDX-License-Identifier: Apache-2.0
// Drops one picture of each cycle on the device, with the measure and the rule of FFmpeg's
// decimate. Nothing is read back: the clock does not depend on the choice (by_cycle).
#pragma once

#include "server/filters/filter.h"

namespace weft::filters {

struct CycleDrop {
  int cycle = 5;           // pictures of a cycle, at least 2; one is dropped
  double duplicate = 1.1;  // largest difference of a block of a duplicate, in % of the range
  double scene = 15;       // difference of a picture after a scene change, in % of the range
  int block_width = 32;    // of luma; powers of 2
  int block_height = 32;
  bool has_chroma = true;
};

// Returns the remaining pictures. The duration of each of `pictures` must be the time to the next
// one. With chroma, a block must have at least two columns and two rows of chroma samples.
StatusOr<Port> add_cycle_drop(const FilterContext& context, Network& network, Port pictures,
                              const CycleDrop& options);

}  // namespace weft::filters
