// SPDX-License-Identifier: Apache-2.0
#include "server/filters/bloom/length_table.h"

#include <algorithm>
#include <limits>

namespace weft::filters::bloom {

const LengthTable* find_length_table(std::span<const LengthTable> tables, const device::DeviceInfo& device) {
  const LengthTable* of_kind = nullptr;
  for (const LengthTable& table : tables) {
    if (table.kind != device.kind) continue;
    if (device.driver.find(table.mark) != std::string::npos ||
        device.name.find(table.mark) != std::string::npos)
      return &table;
    if (of_kind == nullptr) of_kind = &table;
  }
  return device.is_software ? nullptr : of_kind;
}

std::optional<TransformSides> fastest_sides(const LengthTable& table, const ConvolutionShape& shape,
                                            int longest) {
  const auto long_enough = [&](LineAxis axis) {
    const int least = needed_points(shape, axis);
    const auto first = std::ranges::lower_bound(table.lines, least, {}, &LengthTable::Line::points);
    const auto end = std::ranges::upper_bound(table.lines, longest, {}, &LengthTable::Line::points);
    return first < end ? std::span(first, end) : std::span<const LengthTable::Line>();
  };
  std::optional<TransformSides> best;
  double least_ns = std::numeric_limits<double>::infinity();
  for (const LengthTable::Line& y : long_enough(LineAxis::kColumns)) {
    // The continuation outside the image is transformed forward, but not back.
    const double rows = shape.padding == Padding::kZero ? shape.height : (y.points + shape.height) / 2.0;
    for (const LengthTable::Line& x : long_enough(LineAxis::kRows)) {
      const double ns = rows * x.row_ns + x.points * y.column_ns;
      if (ns >= least_ns) continue;
      least_ns = ns;
      best = {x.points, y.points};
    }
  }
  return best;
}

std::optional<TransformSides> fastest_sides(const ConvolutionShape& shape, const device::DeviceInfo& device) {
  const LengthTable* const table = find_length_table(length_tables(), device);
  return table == nullptr ? std::nullopt : fastest_sides(*table, shape, longest_line(device));
}

}  // namespace weft::filters::bloom
