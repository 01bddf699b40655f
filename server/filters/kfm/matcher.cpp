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
// the amount of motion. The ratio is the more distinct one of two, with motion and of the combs
// alone: fast motion hides combs where frames have two fields each.
// Fields at the ends of the clip, which lack a neighbour or its measures, count for no pattern.
struct Measures {
  std::array<double, kWindowFields> ratio{}, motion{};
  std::array<bool, kWindowFields> counts{};
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
  std::array<double, kMeasured> combs{}, difference{};
  for (int j = 1; j < kMeasured - 1; j++) {
    const FieldCounts before = counts_at(fields, first + j - 1), here = counts_at(fields, first + j);
    combs[size_t(j)] = here.combs + std::floor(here.large_combs * lscale);
    difference[size_t(j)] = std::min(before.move, here.move) + combs[size_t(j)];
  }
  const auto ratio = [&](const std::array<double, kMeasured>& measure, size_t j) {
    return 2 * (measure[j] + base) / (measure[j - 1] + measure[j + 1] + 2 * base) - 1;
  };
  Measures measures;
  for (size_t i = 0; i < kWindowFields; i++) {
    const size_t j = i + 2;
    // The measures of a field include the field before it and two after it.
    const int64_t field = first + int64_t(j);
    measures.counts[i] = field >= 2 && field + 4 <= int64_t(fields.size());
    const double with_motion = ratio(difference, j), of_combs = ratio(combs, j);
    measures.ratio[i] = std::abs(of_combs) > std::abs(with_motion) ? of_combs : with_motion;
    measures.motion[i] = (difference[j - 1] + difference[j + 1]) / base;
  }
  return measures;
}

CycleMatch match(const Measures& measures, int pattern, const MatchOptions& options) {
  CycleMatch result{.pattern = pattern};
  int boundaries = 0;
  for (int i = 0; i < kWindowFields; i++) {
    if (!measures.counts[size_t(i)]) continue;
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
  result.cost /= std::max(boundaries, 1);
  result.reliability /= std::max(boundaries, 1);
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
