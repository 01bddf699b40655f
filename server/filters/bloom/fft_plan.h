// SPDX-License-Identifier: Apache-2.0
// Plans the transform of a line by kernels/bloom/fft_*.kernel: its radices, their tables, and cheap
// lengths.
//
// The functions are pure; any thread may call them. Formulas: Cooley and Tukey 1965 (mixed radix),
// Gentleman and Sande 1966 (in frequency).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/status.h"

namespace weft::filters::bloom {

inline constexpr int kShortestLine = 16;  // two passes at least
inline constexpr int kLongestLine = 16384;
inline constexpr size_t kComplexBytes = 2 * sizeof(float);

// Radices that the kernels of a device have. Vulkan has few, because each radix costs its driver's
// compiler seconds. The last pass has fewer still, because a lane then holds the points of two
// lines.
enum class RadixSet {
  kAll,  // 2 to 10 and 16; up to 9 in the last pass
  kFew,  // 2 to 5 and 7 to 9; up to 5, and 7, in the last pass
};

struct FftPlan {
  int points = 0;
  std::vector<int> radices;  // radices of the passes in forward order; 2 to 8 radices

  uint32_t packed_radices() const;  // format of the kernels: radix - 1, four bits each
};

// Returns the plan with the fewest operations. INVALID_ARGUMENT: `points` is not from kShortestLine
// to kLongestLine, or has a prime factor above 7.
StatusOr<FftPlan> plan_line(int points, RadixSet set = RadixSet::kAll);

// Returns the plan with these radices, in this order. INVALID_ARGUMENT: a radix that the set does
// not have, or not as the last one; too few or too many radices; a product out of range.
StatusOr<FftPlan> plan_of(const std::vector<int>& radices, RadixSet set = RadixSet::kAll);

// Returns the twiddle factors of a line's points between passes, as pairs of floats, each rounded
// once. For each pass but the last, with L the length of its blocks and R its radix, they are
// w(L)^(q t) for q = 1 ... R - 1, each for t < L / R.
std::vector<float> twiddles(const FftPlan& plan);
// Returns the number of pairs of twiddle factors before those of pass `pass`.
size_t first_twiddle(const FftPlan& plan, size_t pass);

// The padding of a line in shared memory: point i has the index i + (i >> first) + (i >> second),
// so that lanes that work at the same time access different banks.
struct Skews {
  static constexpr int kNone = 31;
  int first = kNone;
  int second = kNone;
  size_t padded_index(int i) const { return size_t(i) + size_t(i >> first) + size_t(i >> second); }
  size_t padded_points(int points) const { return padded_index(points - 1) + 1; }
  int packed() const { return first | second << 5; }  // format of the kernels
};
// Returns the skews with the fewest bank conflicts. `together` consecutive lanes access memory at
// the same time; a bank is as wide as a point. `in_order`: the last pass processes its blocks in
// block_order().
Skews best_skews(const FftPlan& plan, int together, bool in_order);

// Returns the blocks of the last pass, in the order of the frequencies that they produce: block
// order[i] produces i, i + points / R, i + 2 points / R ... with R the last radix.
std::vector<int> block_order(const FftPlan& plan);

// Returns the cost per point of a line, from operations and memory accesses, in an arbitrary unit.
double cost_per_point(const FftPlan& plan);

// Returns the cheapest length of at least `at_least` points, from kShortestLine on, for devices
// without measured lines (length_table.h). INVALID_ARGUMENT: `at_least` is above kLongestLine.
StatusOr<int> cheapest_length(int at_least, RadixSet set = RadixSet::kAll);

}  // namespace weft::filters::bloom
