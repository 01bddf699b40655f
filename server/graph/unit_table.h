// SPDX-License-Identifier: Apache-2.0
// Defines the table of units that a node's kernels read, with the numbers of kernels/lang/units.h.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "kernels/lang/units.h"
#include "server/graph/port.h"

namespace weft::graph {

// Bytes per unit of the arena offsets in the table.
inline constexpr size_t kSlotUnitBytes = SLOT_BYTES;

// Positions of the values in a row of the table.
struct RowShape {
  int ints = 0;              // number of values in a row
  std::vector<int> targets;  // by output: position of its first unit
  std::vector<int> units;    // by output: number of units
  std::vector<int> inputs;   // by input: position of the current unit, in the middle of its window

  // Returns the shape of a row. `outputs` contains the number of units of each output, such as two
  // for a deinterlacer. `windows` contains the number of units before and after the current one of
  // each input.
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

// Writes the layout of a port as LAYOUT_INTS numbers for kernels.
void write_layout(const PortLayout& port, int32_t* words);

}  // namespace weft::graph
