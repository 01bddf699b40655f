// SPDX-License-Identifier: Apache-2.0
#include "server/filters/kfm/patterns.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace weft::filters::kfm {
namespace {

constexpr int kLongWindow = 16;  // number of fields with the ends of a cycle's film frames

struct PatternField {
  bool ends_frame = false;
  // the last field of a film frame that is displayed until the frame after the next one begins
  bool is_delayed = false;
};
using Pattern = std::array<PatternField, kLongWindow>;

// Returns the window of a sequence of four lengths with a sum of 10, or of the length 2 alone.
constexpr Pattern pattern_of(const std::array<int, 4>& lengths, int shift) {
  std::array<PatternField, 60> sequence{};
  size_t at = 0;
  for (size_t frame = 0; at + 4 < sequence.size(); frame++) {
    at += size_t(lengths[frame % lengths.size()]);
    sequence[at - 1] = {true, lengths[0] == 4 && frame % lengths.size() < 2};
  }
  Pattern pattern;
  for (size_t i = 0; i < pattern.size(); i++)
    pattern[i] = sequence[size_t(kCycleFields + shift - kWindowBefore) + i];
  return pattern;
}

constexpr std::array<Pattern, kPatterns> patterns() {
  std::array<Pattern, kPatterns> all{};
  size_t number = 0;
  for (int shift = 0; shift < 5; shift++) all[number++] = pattern_of({2, 3, 2, 3}, shift);
  for (int shift = 0; shift < 10; shift++) all[number++] = pattern_of({2, 2, 3, 3}, shift);
  for (int shift = 0; shift < 10; shift += 2) all[number++] = pattern_of({4, 2, 2, 2}, shift);
  all[number] = pattern_of({2, 2, 2, 2}, 0);
  return all;
}

constexpr std::array<Pattern, kPatterns> kAllPatterns = patterns();

}  // namespace

bool ends_film_frame(int pattern, int window_field) {
  return kAllPatterns[size_t(pattern)][size_t(window_field)].ends_frame;
}

FilmFrame film_frame(int pattern, int index) {
  const int wanted = pattern == kPattern30p && index >= 2 ? index + 1 : index;
  int begin = 0, number = 0;
  for (int i = 0; i < kLongWindow; i++) {
    if (!ends_film_frame(pattern, i)) continue;
    // A film frame that begins before the window counts as one of the cycle before.
    if (begin >= 1 && number++ == wanted) return {begin - kWindowBefore, i + 1 - begin};
    begin = i + 1;
  }
  return {0, 2};  // not reached: each window has five film frames
}

int displayed_frame(int pattern, int field) {
  int begin = 0, number = -1;
  for (int i = 0; i < kLongWindow; i++) {
    if (!ends_film_frame(pattern, i)) continue;
    if (begin >= 1) number++;
    begin = i + 1;
    if (field < begin - kWindowBefore)
      return number + (kAllPatterns[size_t(pattern)][size_t(field + kWindowBefore)].is_delayed ? 1 : 0);
  }
  return number;
}

}  // namespace weft::filters::kfm
