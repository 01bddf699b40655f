// SPDX-License-Identifier: Apache-2.0
#include "server/filters/kfm/matcher.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "server/graph/numbered.h"

namespace weft::filters::kfm {
namespace {

// The window with two more fields on each side, which the measures of its fields include.
constexpr int kMeasured = kWindowFields + 4;

// Divisor of the ratio of combs alone. Coding removes more combs from within a frame than from
// between frames, so that in compressed video some fields have three times those of others.
constexpr double kCombsDivisor = 8;

// Measures of the window's fields: the ratio of a field's difference to that of its neighbours, and
// the amount of motion. The ratio is the more distinct one of two, with motion and of the combs
// alone (divided): fast motion hides combs where frames have two fields each.
// Fields at the ends of the clip, which lack a neighbour or its measures, count for no pattern.
struct Measures {
  std::array<double, kWindowFields> ratio{}, motion{};
  std::array<bool, kWindowFields> counts{};
};

// The fields of the frames around a cycle; the outermost frames stand in for those beyond them.
struct CountedFields {
  std::span<const FieldCounts> counts;  // two for each frame
  int64_t first = 0;                    // number of the first field

  int64_t end() const { return first + int64_t(counts.size()); }
  const FieldCounts& at(int64_t field) const {
    const int64_t frames = int64_t(counts.size()) / 2, in_counts = field - first;
    const int64_t frame = std::clamp<int64_t>(in_counts >> 1, 0, frames - 1);
    return counts[size_t(2 * frame + (field & 1))];
  }
};

Measures measured(const CountedFields& fields, int64_t cycle, int64_t pixels, double lscale) {
  const int64_t first = int64_t{kCycleFields} * cycle - kWindowBefore - 2;
  // A thousandth of the blocks of 4x4 samples.
  const auto base = double(std::max<int64_t>(int64_t(double(pixels) * 0.001) >> 4, 1));
  std::array<double, kMeasured> combs{}, difference{};
  for (int j = 1; j < kMeasured - 1; j++) {
    const FieldCounts &before = fields.at(first + j - 1), &here = fields.at(first + j);
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
    measures.counts[i] = field >= 2 && field + 4 <= fields.end();
    const double with_motion = ratio(difference, j), of_combs = ratio(combs, j) / kCombsDivisor;
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

std::vector<CycleMatch> match_all(const CountedFields& fields, int64_t cycle, int64_t pixels,
                                  const MatchOptions& options) {
  const Measures measures = measured(fields, cycle, pixels, options.lscale);
  std::vector<CycleMatch> matches;
  for (int pattern = 0; pattern < kPatterns; pattern++) matches.push_back(match(measures, pattern, options));
  return matches;
}

bool is_film(const CycleMatch& cycle, const MatchOptions& options) { return cycle.cost < options.th24; }

// Marks the cycles of 60p. `is_60p` is whether the section before them is one of 60p. Returns the
// same for the first cycle.
bool mark_section(std::span<CycleMatch> cycles, bool is_60p, const MatchOptions& options) {
  bool after_first = is_60p;
  for (size_t i = 0; i < cycles.size(); i++) {
    if (is_60p) {
      cycles[i].is_60p = !is_film(cycles[i], options);
      is_60p = cycles[i].is_60p || cycles[i].reliability >= options.rel24;
    } else if (cycles[i].cost >= options.th60) {
      is_60p = true;
      // The section began at the last cycle that is certainly film.
      for (size_t j = i + 1; j-- > 0;) {
        if (!is_film(cycles[j], options))
          cycles[j].is_60p = true;
        else if (cycles[j].reliability < options.rel24)
          break;
      }
    }
    if (i == 0) after_first = is_60p;
  }
  return after_first;
}

}  // namespace

// Follows the current pattern from cycle to cycle.
class CycleMatcher::State {
 public:
  State(int64_t pixels, const MatchOptions& options, int delay)
      : pixels_(pixels), options_(options), delay_(delay), past_(std::min(options.past, delay)) {}

  void push(const FieldCounts& first, const FieldCounts& second) {
    counts_.push_back(first);
    counts_.push_back(second);
    const int64_t frames = int64_t(counts_.size()) / 2;
    if (frames <= kCycleFrames * cycles_ + kLastMatchedFrame) return;
    add_cycle();
    counts_.discard(size_t(std::max<int64_t>(kCycleFields * (cycles_ - 2), 0)));
  }

  void finish() {
    while (cycles_ < cycles_of(int(counts_.size() / 2))) add_cycle();
    // The pattern of the last cycles may still change.
    for (int i = 0; i < options_.range && cycles_ > 0; i++) follow(matches_of(cycles_ - 1));
    is_finished_ = true;
  }

  std::optional<CycleMatch> next() {
    if (final_ == cycles_ || (!is_finished_ && cycles_ - final_ <= delay_)) return std::nullopt;
    if (!std::exchange(is_marked_, is_finished_)) mark();
    const CycleMatch result = results_[size_t(final_++)];
    const int64_t oldest = final_ - std::max<int64_t>(options_.range, 1);
    results_.discard(size_t(std::max<int64_t>(oldest, 0)));
    best_.discard(size_t(std::max<int64_t>(oldest, 0)));
    return result;
  }

 private:
  std::vector<CycleMatch> matches_of(int64_t cycle) const {
    return match_all(
        {{&counts_[counts_.first()], counts_.size() - counts_.first()}, int64_t(counts_.first())}, cycle,
        pixels_, options_);
  }
  void add_cycle() { follow(matches_of(cycles_++)); }

  void follow(const std::vector<CycleMatch>& matches) {
    results_.push_back(matches[size_t(current_)]);
    best_.push_back(*std::ranges::max_element(matches, {}, &CycleMatch::score));
    if (best_.back().pattern == current_) return;
    const size_t size = best_.size(), count = std::min(size_t(options_.range), size);
    double deficit = 0;
    for (size_t i = size - count; i < size; i++) deficit += best_[i].score - results_[i].score;
    if (deficit <= options_.thresh * options_.range) return;
    current_ = best_.back().pattern;
    const size_t oldest = size - std::min(size, size_t(past_) + 1);
    for (size_t i = size; i > oldest && best_[i - 1].pattern == current_; i--) results_[i - 1] = best_[i - 1];
  }

  // Marks the cycles that are not final.
  void mark() {
    std::vector<CycleMatch> open;
    for (int64_t i = final_; i < cycles_; i++) open.push_back(results_[size_t(i)]);
    for (CycleMatch& cycle : open) cycle.is_60p = false;
    is_60p_ = mark_section(open, is_60p_, options_);
    for (int64_t i = final_; i < cycles_; i++) results_[size_t(i)].is_60p = open[size_t(i - final_)].is_60p;
  }

  const int64_t pixels_;
  const MatchOptions options_;
  const int delay_, past_;
  graph::Numbered<FieldCounts> counts_;
  graph::Numbered<CycleMatch> results_, best_;  // by cycle
  int64_t cycles_ = 0;                          // matched cycles
  int64_t final_ = 0;                           // cycles that next() has returned
  int current_ = 0;
  bool is_60p_ = true;  // the last final cycle belongs to a section of 60p
  bool is_finished_ = false;
  bool is_marked_ = false;  // all marks are final
};

CycleMatcher::CycleMatcher(int64_t pixels, const MatchOptions& options, int delay)
    : state_(std::make_unique<State>(pixels, options, delay)) {}
CycleMatcher::~CycleMatcher() = default;
CycleMatcher::CycleMatcher(CycleMatcher&&) noexcept = default;
CycleMatcher& CycleMatcher::operator=(CycleMatcher&&) noexcept = default;
void CycleMatcher::push(const FieldCounts& first, const FieldCounts& second) { state_->push(first, second); }
void CycleMatcher::finish() { state_->finish(); }
std::optional<CycleMatch> CycleMatcher::next() { return state_->next(); }

std::vector<CycleMatch> match_all(std::span<const FieldCounts> fields, int cycle, int64_t pixels,
                                  const MatchOptions& options) {
  return match_all(CountedFields{fields}, cycle, pixels, options);
}

std::vector<CycleMatch> match_cycles(std::span<const FieldCounts> fields, int64_t pixels,
                                     const MatchOptions& options) {
  CycleMatcher matcher(pixels, options, CycleMatcher::kUnbounded);
  for (size_t i = 0; i + 1 < fields.size(); i += 2) matcher.push(fields[i], fields[i + 1]);
  matcher.finish();
  std::vector<CycleMatch> cycles;
  while (const std::optional<CycleMatch> cycle = matcher.next()) cycles.push_back(*cycle);
  return cycles;
}

void mark_60p(std::span<CycleMatch> cycles, const MatchOptions& options) {
  mark_section(cycles, true, options);
}

}  // namespace weft::filters::kfm
