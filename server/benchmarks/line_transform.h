// SPDX-License-Identifier: Apache-2.0
// Provides strategies of an FFT in shared memory for comparison: radix sequences, memory layouts,
// and transforms in place or out of place. A block transforms one line, with two complex numbers
// per point.
#pragma once

#include <array>
#include <complex>
#include <memory>
#include <span>
#include <vector>

#include "server/device/device.h"
#include "server/filters/bloom/fft_plan.h"

namespace weft::benchmarks {

// Radix sequences to compare. Sequences without passes on the device are omitted.
inline const std::vector<std::vector<int>> kSequences = {
    {8, 8, 8},    {16, 8, 4},   {4, 4, 4, 4, 2}, {9, 9, 9},          {9, 9, 3, 3}, {3, 3, 3, 3, 3, 3},
    {9, 3, 6, 6}, {6, 6, 9, 3}, {9, 9, 4, 3},    {4, 9, 9, 3},       {16, 16, 4},  {16, 8, 8},
    {8, 16, 8},   {8, 8, 4, 4}, {4, 4, 4, 4, 4}, {4, 2, 4, 2, 4, 4}, {9, 9, 4, 4}, {16, 9, 9},
    {9, 16, 9},   {9, 6, 6, 4}, {6, 6, 6, 6},    {4, 4, 9, 9},       {9, 9, 5, 4}, {10, 9, 9, 2},
    {8, 8, 8, 4}, {16, 16, 8},
};

// Layout of a line in shared memory: point i is at j + (j >> spare_log2), with j = i ^ ((i >>
// permutation) & 7).
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
  bool is_in_place = true;  // whether the passes work in place in shared memory
};

using LinePoint = std::array<std::complex<float>, 2>;

// Transforms lines on a device. Not thread-safe: one thread at a time may use it.
class LineTransform {
 public:
  // Creates a transform. INVALID_ARGUMENT: the device has no passes for the sequence.
  // FAILED_PRECONDITION: a line exceeds the device's shared memory (an out-of-place transform needs
  // twice the size).
  static StatusOr<std::unique_ptr<LineTransform>> make(device::Device& device, const LineStrategy& strategy,
                                                       int lines);

  int points() const { return plan_.points; }
  int lines() const { return lines_; }
  size_t bytes() const { return sizeof(LinePoint) * size_t(points()) * size_t(lines_); }
  // Transforms LinePoints [line][point] to the frequencies of each line, in the order of
  // frequency_of(). Both buffers may be the same.
  void enqueue(device::Stream& stream, const device::Buffer& from, size_t from_offset,
               const device::Buffer& to, size_t to_offset) const;
  // Returns the frequency at an index of a line.
  int frequency_of(int index) const;

 private:
  LineTransform(filters::bloom::FftPlan plan, int lines) : plan_(std::move(plan)), lines_(lines) {}

  const filters::bloom::FftPlan plan_;
  const int lines_;
  LineLayout layout_ = kLayouts[0];
  int other_line_ = 0;
  const device::Kernel* kernel_ = nullptr;
  std::unique_ptr<device::Buffer> twiddles_;
};

// Returns pseudorandom points, -1 to 1, for the lines of a transform.
std::vector<LinePoint> random_lines(const LineTransform& transform);
// Returns the largest error of the transform of `given`, relative to the largest frequency. The
// reference is a sum in float64 of every `stride`-th line.
double worst_error(const LineTransform& transform, std::span<const LinePoint> given,
                   std::span<const LinePoint> got, int stride);
// Returns the error for random lines that the device transforms, measured on every 16th line.
StatusOr<double> worst_error(device::Device& device, const LineTransform& transform);

}  // namespace weft::benchmarks
