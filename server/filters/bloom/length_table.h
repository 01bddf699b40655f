// SPDX-License-Identifier: Apache-2.0
// What lines of each length take on a kind of device, as `bloom_bench --table lengths` measured it, and the lengths that are
// fastest by it. The tables are the texts in lengths/, built in; a device without one has its lengths chosen by the operations
// that they cost (fft_plan.h).
//
//   # measured on what, how
//   weft lengths 1
//   device cpu x86-64-v3        a kind of device, and words of its driver's or its own name
//   lengths 2                   how many follow
//   16 160 84                   points; ns a line of rows, there and back; ns a line of columns
//   18 203 101
//
// Pure functions, any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "server/device/device.h"
#include "server/filters/bloom/convolution.h"

namespace weft::filters::bloom {

struct LengthTable {
  struct Line {
    int points = 0;
    double row_ns = 0;     // forward and back, four channels
    double column_ns = 0;  // forward, multiplied and back
  };
  std::string kind;         // "cpu", "cuda", "vulkan"
  std::string mark;         // words of DeviceInfo::driver or name, of all devices that it is for
  std::vector<Line> lines;  // by their points
};

// INVALID_ARGUMENT naming the line that is wrong: points that do not rise, have another prime factor than 2, 3, 5 and 7 or are out of
// a transform's range, times that are not above 0, lines that are missing or too many.
StatusOr<LengthTable> parse_length_table(std::string_view text);
std::string to_text(const LengthTable& table);

// The first that is for the device. A GPU for which there is none has the first of its kind: which lengths have kernels of their own is
// the same there, and counted for most where it was measured. Null when there is none of that either.
const LengthTable* find_length_table(std::span<const LengthTable> tables, const device::DeviceInfo& device);
// How a table of the device's would be called: the kind, and what its speed goes by. The CPU's instruction set, CUDA's compute
// capability, the first word of a Vulkan driver's name.
LengthTable empty_length_table(const device::DeviceInfo& device);

// Those that are built in, as texts and as tables; a text that is not right is left out, with a warning in the log.
std::span<const std::string_view> length_table_texts();
std::span<const LengthTable> length_tables();

struct TransformSides {
  int x = 0;
  int y = 0;
  bool operator==(const TransformSides&) const = default;
};
// The sides that a shape's transform takes the least time with, of those in the table that are long enough: a row's time for each row
// that holds something, a column's for each point of a row. Shorter sides win ties. Nothing where the table has none, or the shape
// says something about its lines itself.
std::optional<TransformSides> fastest_sides(const LengthTable& table, const ConvolutionShape& shape);
// The shape with those of the built-in table for the device, where there are some.
ConvolutionShape with_fastest_sides(ConvolutionShape shape, const device::DeviceInfo& device);

}  // namespace weft::filters::bloom
