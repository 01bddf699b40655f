// SPDX-License-Identifier: Apache-2.0
#include "server/filters/kfm/clean_fields.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

namespace weft::filters::kfm {
namespace {

using By = Replacement::By;

// Thresholds by the least noise: y1 to y5 at x1 to x5, linear between them.
struct ThresholdRow {
  std::array<double, 5> y, x;
};
constexpr ThresholdRow kThresholds[] = {
    {{13, 17, 17, 20, 50}, {20, 28, 32, 37, 50}}, {{14, 18, 20, 40, 50}, {19, 28, 36, 42, 50}},
    {{15, 19, 21, 43, 63}, {20, 28, 36, 41, 53}}, {{15, 20, 23, 43, 63}, {20, 28, 36, 41, 53}},
    {{15, 20, 23, 45, 63}, {20, 28, 36, 41, 50}}, {{15, 21, 23, 45, 63}, {20, 28, 36, 41, 50}},
    {{15, 22, 24, 45, 63}, {20, 28, 35, 41, 50}}, {{17, 25, 28, 47, 64}, {20, 28, 33, 41, 48}},
    {{20, 32, 38, 52, 66}, {21, 30, 36, 40, 48}}, {{22, 37, 44, 52, 66}, {22, 32, 35, 40, 48}},
};
constexpr int kDefaultRow = 5;

double amplified(double difference) {
  const double magnitude = std::abs(difference), sign = difference < 0 ? -1 : 1;
  if (magnitude < 1.8) return 10 * difference;
  if (magnitude < 5) return 5 * difference + 9 * sign;
  if (magnitude < 10) return 2 * difference + 24 * sign;
  return difference + 34 * sign;
}

std::string_view name_of(By by) {
  return by == By::kWeave ? "weave" : by == By::kBefore ? "before" : "after";
}

// The measures and kinds of pairs of a run, with fields counted from the start of the run. Beyond
// the ends of the run the nearest frame is used.
class Pairs {
 public:
  // The measured fields of the run around those from `begin` to `end` - 1 are read.
  Pairs(const graph::Numbered<FieldNoise>& noise, const FrameRun& run, int64_t begin, int64_t end,
        const CleanOptions& options)
      : noise_(noise), first_(2 * run.first_frame), options_(options) {
    size_ = run.is_open ? int64_t(noise.size()) - first_ : 2 * run.frames;
    begin_ = std::max<int64_t>(begin - kReach, 0);
    for (int64_t k = begin_; k < std::min(end + kReach, size_); k++)
      kinds_.push_back(kind_of(at(k), at(std::min(k + 1, size_ - 1)), options));
  }
  int64_t size() const { return size_; }
  PairKind kind(int64_t k) const { return kinds_[size_t(inside(k) - begin_)]; }
  double comb(int64_t k) const { return at(inside(k)).comb; }

 private:
  // Pairs before and after a field that its replacement depends on.
  static constexpr int kReach = 4;

  const FieldNoise& at(int64_t k) const { return noise_[size_t(first_ + k)]; }
  int64_t inside(int64_t k) const { return 2 * std::clamp<int64_t>(k >> 1, 0, size_ / 2 - 1) + (k & 1); }

  const graph::Numbered<FieldNoise>& noise_;
  const int64_t first_;
  const CleanOptions& options_;
  int64_t size_ = 0, begin_ = 0;
  std::vector<PairKind> kinds_;  // from the field `begin_` on
};

// Returns the replacement of a film frame, with fields counted from the start of the run.
const Replacement* film_replacement(const Pairs& pairs, int64_t first, int count, Replacement& found) {
  std::vector<bool> is_clean(size_t(count), true);
  for (int i = 0; i + 1 < count; i++) {
    const PairKind kind = pairs.kind(first + i);
    if (kind == PairKind::kFirstClean || kind == PairKind::kNoisy) is_clean[size_t(i) + 1] = false;
    if (kind == PairKind::kSecondClean || kind == PairKind::kNoisy) is_clean[size_t(i)] = false;
  }
  if (std::ranges::find(is_clean, false) == is_clean.end()) return nullptr;
  for (int i = 0; i + 1 < count; i++)
    if (is_clean[size_t(i)] && is_clean[size_t(i) + 1]) {
      found = {.by = By::kWeave, .field = first + i};
      return &found;
    }
  if (count > 2 || (!is_clean[0] && !is_clean[1])) return nullptr;
  found = is_clean[0] ? Replacement{.by = By::kBefore, .field = first}
                      : Replacement{.by = By::kAfter, .field = first + 1};
  return &found;
}

enum class FieldState { kKept, kNoisy, kDuplicateOfPrevious, kDuplicateOfNext };

FieldState field_state(const Pairs& pairs, int64_t k, const CleanOptions& options) {
  constexpr double kLeast = 1e-4;
  const auto stands_out = [&](int64_t pair, int64_t a, int64_t b) {
    return pairs.comb(pair) > options.dup_factor * (std::max(pairs.comb(a), pairs.comb(b)) + kLeast) &&
           pairs.comb(pair) > options.sc_thresh;
  };
  if (pairs.kind(k - 1) == PairKind::kFirstClean && stands_out(k, k - 3, k - 2))
    return FieldState::kDuplicateOfPrevious;
  if (pairs.kind(k) == PairKind::kSecondClean && stands_out(k - 1, k + 1, k + 2))
    return FieldState::kDuplicateOfNext;
  const bool is_noisy = pairs.kind(k - 1) == PairKind::kNoisy || pairs.kind(k) == PairKind::kNoisy;
  return is_noisy ? FieldState::kNoisy : FieldState::kKept;
}

// Adds the replacements of the 60p frames from `begin` to `end` - 1. `first`: number of the run's
// first field.
void add_fields(const Pairs& pairs, int64_t first, int64_t begin, int64_t end, const CleanOptions& options,
                CleanFields& clean) {
  const auto state = [&](int64_t k) {
    return field_state(pairs, std::clamp<int64_t>(k, 0, pairs.size() - 1), options);
  };
  const auto is_duplicate = [](FieldState each) {
    return each == FieldState::kDuplicateOfPrevious || each == FieldState::kDuplicateOfNext;
  };
  for (int64_t k = begin; k < end; k++) {
    const FieldState before = state(k - 1), here = state(k), after = state(k + 1);
    const auto add = [&](By by, int64_t field, bool is_masked) {
      const int64_t inside = std::clamp<int64_t>(field, 0, pairs.size() - 1);
      clean.fields[first + k] = {.by = by, .field = first + inside, .is_masked = is_masked};
    };
    if (here == FieldState::kDuplicateOfPrevious)
      add(By::kBefore, k - 1, true);
    else if (here == FieldState::kDuplicateOfNext)
      add(By::kAfter, k + 1, true);
    else if (here == FieldState::kNoisy || before == FieldState::kNoisy || after == FieldState::kNoisy)
      continue;
    else if (is_duplicate(after))
      add(By::kBefore, k, false);
    else if (is_duplicate(before))
      add(By::kAfter, k, false);
  }
}

// Reads the line of a replacement.
bool add_line(std::istringstream& words, const std::string& what, const Cadence& cadence,
              CleanFields& clean) {
  int64_t number = 0;
  std::string by, masked, rest;
  Replacement replacement;
  if (what != "film" && what != "frame" && what != "field") return false;
  if (!(words >> number >> by >> replacement.field)) return false;
  replacement.is_masked = bool(words >> masked);
  const bool is_film = what == "film", is_frame = what == "frame";
  const int64_t count = is_film ? cadence.film_frames() : is_frame ? cadence.frames() : 2 * cadence.frames();
  if (number < 0 || number >= count || replacement.field < 0 || replacement.field >= 2 * cadence.frames())
    return false;
  if ((by != "weave" || !is_film) && by != "before" && by != "after") return false;
  if (replacement.is_masked && (masked != "masked" || is_film || is_frame || words >> rest)) return false;
  replacement.by = by == "weave" ? By::kWeave : by == "before" ? By::kBefore : By::kAfter;
  (is_film ? clean.film : is_frame ? clean.frames : clean.fields)[number] = replacement;
  return true;
}

}  // namespace

double noise_threshold(int th_mode, double least_noise) {
  const ThresholdRow& row = kThresholds[size_t(th_mode == 0 ? kDefaultRow : th_mode) - 1];
  if (least_noise < row.x[0]) return row.y[0];
  for (size_t i = 0; i + 1 < row.x.size(); i++)
    if (least_noise < row.x[i + 1])
      return row.y[i] + (row.y[i + 1] - row.y[i]) * (least_noise - row.x[i]) / (row.x[i + 1] - row.x[i]);
  return row.y.back();
}

PairKind kind_of(const FieldNoise& first, const FieldNoise& second, const CleanOptions& options) {
  if (first.comb < options.fd_thresh) return PairKind::kClean;
  const auto chosen = [&](double luma, double chroma) {
    return options.chroma == 0 ? luma : options.chroma == 1 ? chroma : (luma + chroma) / 2;
  };
  const double top = chosen(first.luma, first.chroma), bottom = chosen(second.luma, second.chroma);
  const double difference = top - bottom, mean = (top + bottom) / 2;
  const double change = chosen(first.luma_change, first.chroma_change) / 2;
  // With chroma alone the reversed rule for very noisy fields is not used.
  const bool is_very_noisy = options.chroma != 1 && mean >= options.namax_thresh;
  const double least = change - std::abs(difference) / 2, most = change + std::abs(difference) * options.nrw;
  const double offset = difference < 0 ? options.off_t : options.off_b;
  const double threshold =
      offset + (is_very_noisy ? options.namax_diff
                              : noise_threshold(options.th_mode, least < 7 ? 4 * least : least + 21));
  const double measure = amplified(difference);
  if (std::abs(measure) < threshold) {
    const bool is_clean = most < options.nrt1y || (mean > options.nrt2x && most < options.nrt2y);
    return is_clean ? PairKind::kClean : PairKind::kNoisy;
  }
  return (measure < 0) != is_very_noisy ? PairKind::kFirstClean : PairKind::kSecondClean;
}

std::string CleanFields::to_text() const {
  std::string text;
  const auto add = [&](std::string_view what, const std::map<int64_t, Replacement>& all) {
    for (const auto& [number, replacement] : all)
      text += fmt::format("{} {} {} {}{}\n", what, number, name_of(replacement.by), replacement.field,
                          replacement.is_masked ? " masked" : "");
  };
  add("film", film);
  add("frame", frames);
  add("field", fields);
  return text;
}

StatusOr<CleanFields> CleanFields::parse(std::string_view text, const Cadence& cadence) {
  CleanFields clean;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string what;
    words >> what;
    if (!what.starts_with("f")) continue;  // a line of the cadence
    if (!add_line(words, what, cadence, clean))
      return invalid_argument(
          "The line '{}' of the decision of kfm is not 'film|frame|field NUMBER weave|before|after FIELD "
          "[masked]'; measure again.",
          line);
  }
  return clean;
}

void CleanFields::discard(int64_t oldest_film, int64_t oldest_frame) {
  film.erase(film.begin(), film.lower_bound(oldest_film));
  frames.erase(frames.begin(), frames.lower_bound(oldest_frame));
  fields.erase(fields.begin(), fields.lower_bound(2 * oldest_frame));
}

void add_clean_fields(const graph::Numbered<FieldNoise>& noise, const Cadence& cadence, size_t number,
                      int64_t begin, int64_t end, const CleanOptions& options, CleanFields& clean) {
  const FrameRun& run = cadence.runs()[number];
  const int64_t first = 2 * run.first_frame, first_film = cadence.first_film(number);
  const int64_t begin_field = kCycleFields * begin, end_field = std::min(kCycleFields * end, 2 * run.frames);
  const Pairs pairs(noise, run, begin_field, end_field, options);
  for (int64_t n = kFilmFrames * begin; n < std::min(kFilmFrames * end, run.film_frames()); n++) {
    const FilmFields fields = cadence.film(first_film + n);
    Replacement found;
    if (film_replacement(pairs, fields.first_field - first, fields.fields, found) == nullptr) continue;
    found.field = std::clamp<int64_t>(first + found.field, first, first + pairs.size() - 1);
    clean.film[first_film + n] = found;
  }
  for (int64_t k = begin_field; k < end_field; k += 2) {
    const PairKind kind = pairs.kind(k);
    if (kind == PairKind::kFirstClean)
      clean.frames[(first + k) / 2] = {.by = By::kBefore, .field = first + k};
    if (kind == PairKind::kSecondClean)
      clean.frames[(first + k) / 2] = {.by = By::kAfter, .field = first + k + 1};
  }
  add_fields(pairs, first, begin_field, end_field, options, clean);
}

CleanFields find_clean_fields(const graph::Numbered<FieldNoise>& noise, const Cadence& cadence,
                              const CleanOptions& options) {
  CleanFields clean;
  for (size_t run = 0; run < cadence.runs().size(); run++)
    add_clean_fields(noise, cadence, run, 0, int64_t(cadence.runs()[run].cycles.size()), options, clean);
  return clean;
}

}  // namespace weft::filters::kfm
