// SPDX-License-Identifier: Apache-2.0
#include "server/filters/kfm/matcher.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace weft::filters::kfm {
namespace {

// The window with two more fields on each side, which the measures of its fields include.
constexpr int kMeasured = kWindowFields + 4;

// Measures of the window's fields: the ratio of a field's difference to that of its neighbours, and
// the amount of motion.
struct Measures {
  std::array<double, kWindowFields> ratio, motion;
};

FieldCounts counts_at(std::span<const FieldCounts> fields, int64_t field) {
  const int64_t frames = int64_t(fields.size()) / 2;
  const int64_t frame = std::clamp<int64_t>(field >= 0 ? field / 2 : (field - 1) / 2, 0, frames - 1);
  return fields[size_t(2 * frame + (field & 1))];
}

Measures measured(std::span<const FieldCounts> fields, int cycle, int64_t pixels, double lscale) {
  const int64_t first = int64_t{kCycleFields} * cycle - kWindowBefore - 2;
  // A thousandth of the blocks of 4x4 samples.
  const auto base = double(std::max<int64_t>(int64_t(double(pixels) * 0.001) >> 4, 1));
  std::array<double, kMeasured> difference{};
  for (int j = 1; j < kMeasured - 1; j++) {
    const FieldCounts before = counts_at(fields, first + j - 1), here = counts_at(fields, first + j);
    difference[size_t(j)] =
        std::min(before.move, here.move) + here.combs + std::floor(here.large_combs * lscale);
  }
  Measures measures;
  for (size_t i = 0; i < kWindowFields; i++) {
    const size_t j = i + 2;
    const double around = difference[j - 1] + difference[j + 1];
    measures.ratio[i] = 2 * (difference[j] + base) / (around + 2 * base) - 1;
    measures.motion[i] = around / base;
  }
  return measures;
}

CycleMatch match(const Measures& measures, int pattern, const MatchOptions& options) {
  CycleMatch result{.pattern = pattern};
  int boundaries = 0;
  for (int i = 0; i < kWindowFields; i++) {
    const double ratio = measures.ratio[size_t(i)];
    if (!ends_film_frame(pattern, i)) {
      result.score -= ratio;
      continue;
    }
    result.score += ratio;
    boundaries++;
    const double deficit = std::max(options.costth - ratio, 0.0);
    result.cost += deficit * std::log2(measures.motion[size_t(i)] + 1);
    result.reliability += deficit;
  }
  result.cost /= boundaries;
  result.reliability /= boundaries;
  if (pattern == kPattern30p)
    result.score -= options.adj30;
  else if (pattern >= kPattern4222)
    result.score -= options.adj2224;
  return result;
}

// Follows the current pattern from cycle to cycle.
class Follower {
 public:
  explicit Follower(const MatchOptions& options) : options_(options) {}

  void push(std::vector<CycleMatch> matches) {
    results_.push_back(matches[size_t(current_)]);
    best_.push_back(*std::ranges::max_element(matches, {}, &CycleMatch::score));
    if (best_.back().pattern == current_) return;
    const size_t count = std::min(size_t(options_.range), best_.size());
    double deficit = 0;
    for (size_t i = best_.size() - count; i < best_.size(); i++)
      deficit += best_[i].score - results_[i].score;
    if (deficit <= options_.thresh * options_.range) return;
    current_ = best_.back().pattern;
    const size_t oldest = best_.size() - std::min(best_.size(), size_t(options_.past) + 1);
    for (size_t i = best_.size(); i > oldest && best_[i - 1].pattern == current_; i--)
      results_[i - 1] = best_[i - 1];
  }

  std::vector<CycleMatch>& results() { return results_; }

 private:
  const MatchOptions& options_;
  int current_ = 0;
  std::vector<CycleMatch> results_, best_;  // by cycle
};

}  // namespace

std::vector<CycleMatch> match_all(std::span<const FieldCounts> fields, int cycle, int64_t pixels,
                                  const MatchOptions& options) {
  const Measures measures = measured(fields, cycle, pixels, options.lscale);
  std::vector<CycleMatch> matches;
  for (int pattern = 0; pattern < kPatterns; pattern++) matches.push_back(match(measures, pattern, options));
  return matches;
}

std::vector<CycleMatch> match_cycles(std::span<const FieldCounts> fields, int64_t pixels,
                                     const MatchOptions& options) {
  const int cycles = cycles_of(int(fields.size() / 2));
  Follower follower(options);
  for (int cycle = 0; cycle < cycles; cycle++) follower.push(match_all(fields, cycle, pixels, options));
  // The pattern of the last cycles may still change.
  for (int i = 0; i < options.range && cycles > 0; i++)
    follower.push(match_all(fields, cycles - 1, pixels, options));
  follower.results().resize(size_t(cycles));
  mark_60p(follower.results(), options);
  return std::move(follower.results());
}

void mark_60p(std::span<CycleMatch> cycles, const MatchOptions& options) {
  bool is_60p = true;
  const auto is_film = [&](const CycleMatch& cycle) { return cycle.cost < options.th24; };
  for (size_t i = 0; i < cycles.size(); i++) {
    if (is_60p) {
      cycles[i].is_60p = !is_film(cycles[i]);
      is_60p = cycles[i].is_60p || cycles[i].reliability >= options.rel24;
      continue;
    }
    if (cycles[i].cost < options.th60) continue;
    is_60p = true;
    // The section began at the last cycle that is certainly film.
    for (size_t j = i + 1; j-- > 0;) {
      if (!is_film(cycles[j]))
        cycles[j].is_60p = true;
      else if (cycles[j].reliability < options.rel24)
        break;
    }
  }
}

}  // namespace weft::filters::kfm
