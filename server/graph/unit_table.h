// SPDX-License-Identifier: Apache-2.0
// Defines the table of units that a node's kernels read, with the numbers of kernels/lang/units.h.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/quantisers.h"
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
  int quantisers = 0;        // position of the quantisers; 0: the row has none

  // Returns the shape of a row. `outputs` contains the number of units of each output, such as two
  // for a deinterlacer. `windows` contains the number of units before and after the current one of
  // each input, and `quantiser_ints` the number of ints of the quantisers.
  static RowShape of(std::span<const int> outputs, std::span<const std::pair<int, int>> windows,
                     int quantiser_ints = 0) {
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
    if (quantiser_ints > 0) shape.quantisers = shape.ints;
    shape.ints += quantiser_ints;
    return shape;
  }
};

// Writes the layout of a port as LAYOUT_INTS numbers for kernels.
void write_layout(const PortLayout& port, int32_t* words);

// Returns the number of ints that the quantisers of a picture of this format take in a row
// (kernels/lang/units.h).
int quantiser_ints(const VideoFormat& format);
// Writes the quantisers of a unit. Macroblocks beyond the tables have the value of the nearest one.
// A missing table of the reference is replaced by the own table.
void write_quantisers(const FrameQuantisers& quantisers, const VideoFormat& format, int32_t* words);

}  // namespace weft::graph
