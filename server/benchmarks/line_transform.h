// SPDX-License-Identifier: Apache-2.0
// Strategies of a transform in shared memory, for comparison: sequences of radices, where points lie, in place or not. A line a block,
// two complex numbers a point.
#pragma once

#include <array>
#include <complex>
#include <memory>
#include <span>
#include <vector>

#include "server/device/device.h"
#include "server/filters/bloom/fft_plan.h"

namespace weft::benchmarks {

// The sequences of radices that are compared; those that a device lacks are left out.
inline const std::vector<std::vector<int>> kSequences = {
    {8, 8, 8},    {16, 8, 4},   {4, 4, 4, 4, 2}, {9, 9, 9},          {9, 9, 3, 3}, {3, 3, 3, 3, 3, 3},
    {9, 3, 6, 6}, {6, 6, 9, 3}, {9, 9, 4, 3},    {4, 9, 9, 3},       {16, 16, 4},  {16, 8, 8},
    {8, 16, 8},   {8, 8, 4, 4}, {4, 4, 4, 4, 4}, {4, 2, 4, 2, 4, 4}, {9, 9, 4, 4}, {16, 9, 9},
    {9, 16, 9},   {9, 6, 6, 4}, {6, 6, 6, 6},    {4, 4, 9, 9},       {9, 9, 5, 4}, {10, 9, 9, 2},
    {8, 8, 8, 4}, {16, 16, 8},
};

// Where a line's points lie in shared memory: point i at j + (j >> spare_log2), with j = i ^ ((i >> permutation) & 7).
struct LineLayout {
  const char* name;
  int spare_log2 = 31, permutation = 31;
};
inline constexpr std::array kLayouts = {LineLayout{"as they are"},
                                        LineLayout{"1 spare after 8", 3},
                                        LineLayout{"1 spare after 16", 4},
                                        LineLayout{"1 spare after 32", 5},
                                        LineLayout{"permuted by i / 8", 31, 3},
                                        LineLayout{"permuted by i / 16", 31, 4},
                                        LineLayout{"permuted by i / 64", 31, 6}};

struct LineStrategy {
  std::vector<int> radices;
  LineLayout layout = kLayouts[0];
  bool is_in_place = true;  // in shared memory
};

using LinePoint = std::array<std::complex<float>, 2>;

// One thread at a time.
class LineTransform {
 public:
  // INVALID_ARGUMENT: a sequence that the device has no passes for; FAILED_PRECONDITION: lines that do not fit in its shared
  // memory (twice, out of place).
  static StatusOr<std::unique_ptr<LineTransform>> make(device::Device& device, const LineStrategy& strategy,
                                                       int lines);

  int points() const { return plan_.points; }
  int lines() const { return lines_; }
  size_t bytes() const { return sizeof(LinePoint) * size_t(points()) * size_t(lines_); }
  // From LinePoints [line][point] to frequencies of each line, in the order of frequency_of(). Both may be the same place.
  void enqueue(device::Stream& stream, const device::Buffer& from, size_t from_offset,
               const device::Buffer& to, size_t to_offset) const;
  // Which frequency lies at place i of a line.
  int frequency_of(int place) const;

 private:
  LineTransform(filters::bloom::FftPlan plan, int lines) : plan_(std::move(plan)), lines_(lines) {}

  const filters::bloom::FftPlan plan_;
  const int lines_;
  LineLayout layout_ = kLayouts[0];
  int other_line_ = 0;
  const device::Kernel* kernel_ = nullptr;
  std::unique_ptr<device::Buffer> twiddles_;
};

// Points of so many lines that look random, -1 to 1.
std::vector<LinePoint> random_lines(const LineTransform& transform);
// The largest difference of what a transform made of `given` from the sums in float64, of each line of `stride`, over the largest.
double worst_error(const LineTransform& transform, std::span<const LinePoint> given,
                   std::span<const LinePoint> got, int stride);
// The same of random lines, transformed on the device, of a line in sixteen.
StatusOr<double> worst_error(device::Device& device, const LineTransform& transform);

}  // namespace weft::benchmarks
