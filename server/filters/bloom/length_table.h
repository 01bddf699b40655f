// SPDX-License-Identifier: Apache-2.0
// Contains measured times of lines of each length on a kind of device, from `bloom_bench --table
// lengths` (lengths.cpp), and selects the fastest lengths. Only GPUs have tables, because some
// lengths have specialised kernels there: with the tables, frames take 0.33 to 0.92 of the time
// (docs/lab/convolution.md). On other devices the number of operations determines the length
// (fft_plan.h).
//
// The functions are pure; any thread may call them.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "server/device/device.h"
#include "server/filters/bloom/convolution_plan.h"

namespace weft::filters::bloom {

struct LengthTable {
  struct Line {
    int points = 0;
    double row_ns = 0;     // transformed forward and back, four channels
    double column_ns = 0;  // transformed forward, multiplied and transformed back
  };
  device::BackendKind kind;
  // words in DeviceInfo::driver or name of all devices that the table applies to
  std::string_view mark;
  std::span<const Line> lines;  // sorted by points
};

// Returns the built-in tables.
std::span<const LengthTable> length_tables();

// Returns the first table for the device. A GPU without a table gets the first table of its kind,
// because the same lengths have specialised kernels there, which mattered most in measurements.
// Returns null if its kind has no table, or for a software device.
const LengthTable* find_length_table(std::span<const LengthTable> tables, const device::DeviceInfo& device);

// Returns the sides with the fastest transform of a shape, or nothing if the table has none.
// Candidates are the sides in the table from the needed length to `longest`. The time is that of a
// row for each row with content plus that of a column for each point of a row. Shorter sides win
// ties.
std::optional<TransformSides> fastest_sides(const LengthTable& table, const ConvolutionShape& shape,
                                            int longest);
// Returns the fastest sides by the device's built-in table, for lines in one part, or nothing if
// there are none.
std::optional<TransformSides> fastest_sides(const ConvolutionShape& shape, const device::DeviceInfo& device);

}  // namespace weft::filters::bloom
