// SPDX-License-Identifier: Apache-2.0
// How a line is transformed by kernels/bloom/fft_*.kernel: its radices, their tables, and which lengths are cheap.
//
// Pure functions, any thread. Formulas: Cooley and Tukey 1965 (mixed radix), Gentleman and Sande 1966 (in frequency).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/status.h"

namespace weft::filters::bloom {

inline constexpr int kShortestLine = 16;  // two passes at least
inline constexpr int kLongestLine = 16384;
inline constexpr size_t kComplexBytes = 2 * sizeof(float);

// Which radices the kernels of a device have: those for Vulkan few, since each costs seconds of its drivers' compilers.
// The last pass has fewer still, because a lane then holds two lines' points.
enum class RadixSet {
  kAll,  // 2 to 10 and 16; the last to 9
  kFew,  // 2 to 5 and 7 to 9; the last to 5, and 7
};

struct FftPlan {
  int points = 0;
  std::vector<int> radices;  // in the order of the passes forward; 2 to 8 of them

  uint32_t packed_radices() const;  // as the kernels take them: radix less one, four bits each
};

// The plan with the fewest operations. INVALID_ARGUMENT: not from kShortestLine to kLongestLine, or with a prime factor
// above 7.
StatusOr<FftPlan> plan_line(int points, RadixSet set = RadixSet::kAll);

// The plan with these radices, in this order. INVALID_ARGUMENT: a radix that the set lacks, or lacks as the last; too few
// or too many; their product out of range.
StatusOr<FftPlan> plan_of(const std::vector<int>& radices, RadixSet set = RadixSet::kAll);

// What a line's points are multiplied with between passes, pairs of floats, each rounded once: for each pass but the
// last, with L the length of its blocks and R its radix, w(L)^(q t) for q = 1 ... R - 1, each for t < L / R.
std::vector<float> twiddles(const FftPlan& plan);
// Pairs of it before those of pass `pass`.
size_t first_twiddle(const FftPlan& plan, size_t pass);

// Point i of a line lies at i + (i >> first) + (i >> second) in shared memory: lanes that work at the same time find
// theirs in different banks.
struct Skews {
  static constexpr int kNone = 31;
  int first = kNone;
  int second = kNone;
  size_t place(int i) const { return size_t(i) + size_t(i >> first) + size_t(i >> second); }
  size_t places(int points) const { return place(points - 1) + 1; }
  int packed() const { return first | second << 5; }  // as the kernels take them
};
// Those with the fewest bank conflicts where `together` consecutive lanes are served at once, by banks as wide as a point.
// `in_order`: the last pass goes through its blocks by block_order().
Skews best_skews(const FftPlan& plan, int together, bool in_order);

// The blocks of the last pass, in the order of the frequencies that they give: block order[i] gives i, i + points / R,
// i + 2 points / R ... with R the last radix.
std::vector<int> block_order(const FftPlan& plan);

// What a point of a line of this plan costs, in operations and accesses; the unit means nothing.
double cost_per_point(const FftPlan& plan);

// The length of at least so many points, from kShortestLine on, that costs the least: for devices whose lines were not measured
// (length_table.h). INVALID_ARGUMENT:
// there is none up to kLongestLine.
StatusOr<int> cheapest_length(int at_least, RadixSet set = RadixSet::kAll);

}  // namespace weft::filters::bloom
