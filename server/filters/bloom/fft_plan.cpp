// SPDX-License-Identifier: Apache-2.0
#include "server/filters/bloom/fft_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

namespace weft::filters::bloom {
namespace {

struct Radix {
  int points;
  // Operations per point: sums and products of the DFT as written in kernels/bloom/dft.h, with
  // twiddles.
  double operations;
};
constexpr Radix kRadices[] = {{16, 17.0}, {10, 17.0}, {9, 17.5}, {8, 12.5}, {7, 20.0},
                              {6, 13.0},  {5, 14.0},  {4, 9.0},  {3, 10.5}, {2, 5.0}};
constexpr size_t kMostPasses = 8;  // limited by the bits of a word in the kernels' parameters
// per point: accesses to shared memory and the computation of indices
constexpr double kPassCost = 14;

double cost_of(int radix) {
  return kPassCost + std::ranges::find(kRadices, radix, &Radix::points)->operations;
}

bool has_radix(RadixSet set, int radix) { return set == RadixSet::kAll || (radix <= 9 && radix != 6); }
bool may_end(RadixSet set, int radix) {
  return set == RadixSet::kAll ? radix <= 9 : radix <= 5 || radix == 7;
}

// Tries every product of radices, the largest radix first. The smallest radix that the last pass
// can have is moved to the end.
struct Search {
  RadixSet set;
  std::vector<int> radices = {};
  std::optional<FftPlan> best = {};
  double best_cost = std::numeric_limits<double>::infinity();

  void end(double cost) {
    if (radices.size() < 2 || cost >= best_cost) return;
    for (size_t last = radices.size(); last-- > 0;) {
      if (!may_end(set, radices[last])) continue;
      best_cost = cost;
      best = FftPlan{0, radices};
      const auto padded_index = best->radices.begin() + static_cast<ptrdiff_t>(last);
      std::rotate(padded_index, padded_index + 1, best->radices.end());
      return;
    }
  }

  void go_on(int rest, size_t from, double cost) {
    if (rest == 1) return end(cost);
    for (size_t i = from; i < std::size(kRadices) && radices.size() < kMostPasses; i++) {
      const int radix = kRadices[i].points;
      if (rest % radix != 0 || !has_radix(set, radix)) continue;
      radices.push_back(radix);
      go_on(rest / radix, i, cost + cost_of(radix));
      radices.pop_back();
    }
  }
};

std::optional<FftPlan> find_plan(int points, RadixSet set) {
  int rest = points;
  for (const int prime : {2, 3, 5, 7})
    while (rest % prime == 0) rest /= prime;
  if (rest != 1) return std::nullopt;
  Search search{.set = set};
  search.go_on(points, 0, 0);
  if (search.best) search.best->points = points;
  return search.best;
}

}  // namespace

uint32_t FftPlan::packed_radices() const {
  uint32_t packed = 0;
  for (size_t i = 0; i < radices.size(); i++) packed |= static_cast<uint32_t>(radices[i] - 1) << (4 * i);
  return packed;
}

StatusOr<FftPlan> plan_line(int points, RadixSet set) {
  if (points < kShortestLine || points > kLongestLine)
    return invalid_argument("A transform's length is out of range ({}, from {} to {}).", points,
                            kShortestLine, kLongestLine);
  std::optional<FftPlan> plan = find_plan(points, set);
  if (!plan)
    return invalid_argument(
        "A transform's length has a prime factor above 7 ({}); take a product of 2, 3, 5 and 7.", points);
  return *std::move(plan);
}

StatusOr<FftPlan> plan_of(const std::vector<int>& radices, RadixSet set) {
  if (radices.size() < 2 || radices.size() > kMostPasses)
    return invalid_argument("A transform's radices are too few or too many ({}, from 2 to {}).",
                            radices.size(), kMostPasses);
  int points = 1;
  for (const int radix : radices) {
    const bool is_known = std::ranges::find(kRadices, radix, &Radix::points) != std::end(kRadices);
    if (!is_known || !has_radix(set, radix))
      return invalid_argument("There is no pass of radix {} on this device.", radix);
    points *= radix;
  }
  if (!may_end(set, radices.back()))
    return invalid_argument("Radix {} cannot be a transform's last on this device.", radices.back());
  if (points < kShortestLine || points > kLongestLine)
    return invalid_argument("A transform's length is out of range ({}, from {} to {}).", points,
                            kShortestLine, kLongestLine);
  return FftPlan{points, radices};
}

std::vector<float> twiddles(const FftPlan& plan) {
  std::vector<float> table;
  table.reserve(2 * first_twiddle(plan, plan.radices.size() - 1));
  int length = plan.points;
  for (size_t pass = 0; pass + 1 < plan.radices.size(); pass++) {
    const int stride = length / plan.radices[pass];
    for (int q = 1; q < plan.radices[pass]; q++)
      for (int t = 0; t < stride; t++) {
        const double angle = -2 * std::numbers::pi * double(q * t) / length;
        table.push_back(static_cast<float>(std::cos(angle)));
        table.push_back(static_cast<float>(std::sin(angle)));
      }
    length = stride;
  }
  return table;
}

size_t first_twiddle(const FftPlan& plan, size_t pass) {
  size_t pairs = 0, length = size_t(plan.points);
  for (size_t i = 0; i < pass; i++) {
    length /= size_t(plan.radices[i]);
    pairs += length * size_t(plan.radices[i] - 1);
  }
  return pairs;
}

namespace {

// Returns the number of bank accesses for the lanes' points, over all accesses of the passes to
// shared memory.
size_t bank_turns(const FftPlan& plan, int together, const std::vector<int>& order, Skews skews) {
  constexpr int kLanesSeen = 256;  // examined lanes of an access; later lanes are similar
  size_t turns = 0;
  int length = plan.points;
  for (size_t pass = 0; pass < plan.radices.size(); pass++) {
    const int radix = plan.radices[pass], stride = length / radix;
    // the first pass only writes shared memory, the last one only reads it
    const bool is_end = pass == 0 || pass + 1 == plan.radices.size();
    const bool by_order = pass + 1 == plan.radices.size() && !order.empty();
    const int lanes = std::min(plan.points / radix, kLanesSeen);
    for (int q = 0; q < radix; q++)
      for (int first = 0; first < lanes; first += together) {
        std::array<size_t, 32> uses{};
        for (int lane = first; lane < std::min(first + together, lanes); lane++) {
          const int item = by_order ? order[size_t(lane)] : lane;
          uses[skews.padded_index(item / stride * length + item % stride + q * stride) % size_t(together)]++;
        }
        turns += *std::ranges::max_element(uses) * (is_end ? 1 : 2);
      }
    length = stride;
  }
  return turns;
}

}  // namespace

Skews best_skews(const FftPlan& plan, int together, bool in_order) {
  const std::vector<int> order = in_order ? block_order(plan) : std::vector<int>();
  Skews best;
  size_t fewest = bank_turns(plan, together, order, best);
  for (int first = 1; first <= 5; first++)
    for (const int second : {Skews::kNone, first + 1, first + 2, first + 3, first + 4, first + 5}) {
      const size_t turns = bank_turns(plan, together, order, {first, second});
      if (turns >= fewest) continue;
      fewest = turns;
      best = {first, second};
    }
  return best;
}

std::vector<int> block_order(const FftPlan& plan) {
  const int blocks = plan.points / plan.radices.back();
  std::vector<int> order(static_cast<size_t>(blocks));
  for (int block = 0; block < blocks; block++) {
    // The first radix is the highest digit of the block and the lowest digit of its frequency.
    int frequency = 0, padded_index = 1, rest = block, size = blocks;
    for (size_t i = 0; i + 1 < plan.radices.size(); i++) {
      size /= plan.radices[i];
      frequency += rest / size * padded_index;
      rest %= size;
      padded_index *= plan.radices[i];
    }
    order[static_cast<size_t>(frequency)] = block;
  }
  return order;
}

double cost_per_point(const FftPlan& plan) {
  double cost = 0;
  for (const int radix : plan.radices) cost += cost_of(radix);
  return cost;
}

StatusOr<int> cheapest_length(int at_least, RadixSet set) {
  // operations that cost as much time as reading and writing a point
  constexpr double kMemoryCost = 60;
  const int first = std::max(at_least, kShortestLine);
  int best = 0;
  double best_cost = std::numeric_limits<double>::infinity();
  for (int points = first; points <= std::min(kLongestLine, 2 * first); points++) {
    if (points * kMemoryCost >= best_cost) break;
    const std::optional<FftPlan> plan = find_plan(points, set);
    if (!plan) continue;
    const double cost = points * (kMemoryCost + cost_per_point(*plan));
    if (cost >= best_cost) continue;
    best = points;
    best_cost = cost;
  }
  if (best == 0)
    return invalid_argument(
        "An image with its kernel's reach is too long for a transform ({} samples, at most {}); make the "
        "image or the kernel smaller.",
        at_least, kLongestLine);
  return best;
}

}  // namespace weft::filters::bloom
