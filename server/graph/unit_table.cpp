// SPDX-License-Identifier: Apache-2.0
#include "server/graph/unit_table.h"

#include <algorithm>
#include <cstring>

#include "server/graph/frame_layout.h"

namespace weft::graph {
namespace {

int macroblocks(int samples) { return int(divide_up(size_t(samples), QUANTISER_SIDE)); }

// Returns the number of ints of one table.
size_t table_ints(const VideoFormat& format) {
  const size_t count = size_t(macroblocks(format.width)) * size_t(macroblocks(format.height));
  return divide_up(count, sizeof(int32_t));
}

bool is_valid(const QuantisersPtr& table) {
  return table != nullptr && table->columns > 0 && table->rows > 0 &&
         table->values.size() == size_t(table->columns) * size_t(table->rows);
}

void write_table(const Quantisers& table, const VideoFormat& format, uint8_t* bytes) {
  const int columns = macroblocks(format.width), rows = macroblocks(format.height);
  const int known = std::min(columns, table.columns);
  for (int row = 0; row < rows; row++) {
    const uint8_t* from = &table.values[size_t(std::min(row, table.rows - 1)) * size_t(table.columns)];
    uint8_t* const to = bytes + size_t(row) * size_t(columns);
    std::copy_n(from, known, to);
    std::fill(to + known, to + columns, from[known - 1]);
  }
}

}  // namespace

int quantiser_ints(const VideoFormat& format) { return int(1 + 2 * table_ints(format)); }

void write_quantisers(const FrameQuantisers& quantisers, const VideoFormat& format, int32_t* words) {
  words[0] = is_valid(quantisers.own) ? 1 : 0;
  if (words[0] == 0) return;
  const Quantisers& reference = *(is_valid(quantisers.reference) ? quantisers.reference : quantisers.own);
  write_table(*quantisers.own, format, reinterpret_cast<uint8_t*>(words + 1));
  write_table(reference, format, reinterpret_cast<uint8_t*>(words + 1 + table_ints(format)));
}

}  // namespace weft::graph
