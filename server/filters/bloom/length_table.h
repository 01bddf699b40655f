// SPDX-License-Identifier: Apache-2.0
// Times of lines of each length on a kind of device, as `bloom_bench --table lengths` measured them (lengths.cpp), and the lengths that
// are fastest by them. Only GPUs have tables, where some lengths have kernels of their own: by them frames take 0.33 to 0.92 of the time
// (docs/lab/convolution.md). Else lengths are chosen by the operations that they cost (fft_plan.h).
//
// Pure functions, any thread.
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
    double row_ns = 0;     // forward and back, four channels
    double column_ns = 0;  // forward, multiplied and back
  };
  device::BackendKind kind;
  std::string_view mark;        // words of DeviceInfo::driver or name, of all devices that it is for
  std::span<const Line> lines;  // by their points
};

// The tables that are built in.
std::span<const LengthTable> length_tables();

// The first that is for the device. A GPU for which there is none has the first of its kind: which lengths have kernels of their own is
// the same there, and counted for most where it was measured. Null when there is none of that either.
const LengthTable* find_length_table(std::span<const LengthTable> tables, const device::DeviceInfo& device);

// The sides that a shape's transform takes the least time with, of those in the table that are from what is needed to `longest`: a
// row's time for each row that holds something, a column's for each point of a row. Shorter sides win ties. Nothing where the table has
// none.
std::optional<TransformSides> fastest_sides(const LengthTable& table, const ConvolutionShape& shape,
                                            int longest);
// Those of the built-in table for the device, of lines that it transforms in one part; nothing where there are none.
std::optional<TransformSides> fastest_sides(const ConvolutionShape& shape, const device::DeviceInfo& device);

}  // namespace weft::filters::bloom
