// SPDX-License-Identifier: Apache-2.0
// Sizes of KFM's cells (kernels/telecine/cells.h), and the parts of nodes that work on them.
#pragma once

#include <cstring>

#include "server/filters/kfm/nodes.h"
#include "server/filters/nodes/node_of.h"
#include "server/filters/nodes/picture_node.h"

namespace weft::filters::kfm {

// Returns the binary logarithm of 1, 2 or 4.
inline int log2_of(int samples) { return samples / 2; }

// Sizes of the planes of cells, of pictures extended to multiples of 8.
struct CellSizes {
  int columns, rows, chroma_columns, chroma_rows;
  int planes;
  int grid_columns, grid_rows;

  static CellSizes of(const VideoFormat& format) {
    const int columns = (format.width + 7) / 8, rows = (format.height + 7) / 8;
    const bool has_chroma = format.planes() > 1;
    return {2 * columns,
            2 * rows,
            has_chroma
                ? (2 * columns + columns_of_chroma(format.chroma) - 1) / columns_of_chroma(format.chroma)
                : 0,
            has_chroma ? (2 * rows + rows_of_chroma(format.chroma) - 1) / rows_of_chroma(format.chroma) : 0,
            format.planes(),
            columns,
            rows};
  }
  size_t bytes() const { return size_t(columns * rows + (planes - 1) * chroma_columns * chroma_rows); }

  template <class Params>
  void set(Params& params) const {
    params.columns = columns;
    params.rows = rows;
    params.chroma_columns = chroma_columns;
    params.chroma_rows = chroma_rows;
  }
  device::Grid grid(int units, int run) const {
    return {uint32_t((columns + run - 1) / run), uint32_t(rows), uint32_t(units * planes)};
  }
  device::Grid reduced_grid(int units, int run, int parts) const {
    return {uint32_t((grid_columns + run - 1) / run), uint32_t(grid_rows), uint32_t(units * parts)};
  }
};

struct CellParts {
  NodeDescriptor descriptor;
  const device::Kernel* kernel;
  CellSizes sizes;
  int run;
};

// Samples of a row that a lane of a GPU processes.
inline constexpr int kSamplesOfLane = 4;

// Returns parts without a descriptor and a kernel. `run` as in run_of().
inline CellParts cell_parts(const FilterContext& context, const VideoFormat& format, int run = 1) {
  return {.descriptor = {}, .kernel = nullptr, .sizes = CellSizes::of(format), .run = run_of(context, run)};
}

// Returns a number of a record.
inline int32_t number_of(const graph::Records& records, size_t unit, size_t index) {
  int32_t number = 0;
  std::memcpy(&number, records.measured(unit).data() + index * sizeof(number), sizeof(number));
  return number;
}

}  // namespace weft::filters::kfm
