// SPDX-License-Identifier: Apache-2.0
// The table that a node's kernels read for each unit of a launch, as it lies in device memory: kernels/lang/units.h has the same
// numbers.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "kernels/lang/units.h"
#include "server/graph/port.h"

namespace weft::graph {

// A place is counted in so many bytes from the arena's begin.
inline constexpr size_t kPlaceBytes = SLOT_BYTES;

// Which number of a row says what.
struct RowShape {
  int ints = 0;              // of a row
  std::vector<int> targets;  // for each output: its first unit
  std::vector<int> units;    // for each output: how many places
  std::vector<int> inputs;   // for each input: the unit's own, in the middle of the window

  // `outputs`: places for units of each output, two of a deinterlacer's; `windows`: of each input, before and after.
  static RowShape of(std::span<const int> outputs, std::span<const std::pair<int, int>> windows) {
    RowShape shape;
    shape.ints = ROW_TARGET;
    for (const int units : outputs) {
      shape.targets.push_back(shape.ints);
      shape.units.push_back(units);
      shape.ints += units;
    }
    for (const auto& [before, after] : windows) {
      shape.inputs.push_back(shape.ints + before);
      shape.ints += before + 1 + after;
    }
    return shape;
  }
};

// A port as kernels see it: LAYOUT_INTS numbers.
void write_layout(const PortLayout& port, int32_t* words);

}  // namespace weft::graph
