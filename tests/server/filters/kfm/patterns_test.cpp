// SPDX-License-Identifier: Apache-2.0
// Tests the telecine patterns: examples with known film frames, and properties of all patterns.
#include "server/filters/kfm/patterns.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

namespace weft::filters::kfm {
namespace {

using Frames = std::vector<std::pair<int, int>>;

Frames film_frames(int pattern) {
  Frames frames;
  for (int i = 0; i < kFilmFrames; i++)
    frames.emplace_back(film_frame(pattern, i).first_field, film_frame(pattern, i).fields);
  return frames;
}

std::string displayed(int pattern) {
  std::string text;
  for (int field = 0; field < kCycleFields; field++) text += std::to_string(displayed_frame(pattern, field));
  return text;
}

TEST(Patterns, KnownOnesHaveTheirFrames) {
  EXPECT_EQ(film_frames(0), (Frames{{0, 2}, {2, 3}, {5, 2}, {7, 3}}));
  EXPECT_EQ(displayed(0), "0011122333");
  EXPECT_EQ(film_frames(3), (Frames{{-1, 3}, {2, 2}, {4, 3}, {7, 2}}));
  EXPECT_EQ(displayed(3), "0011222334");
  EXPECT_EQ(film_frames(5), (Frames{{0, 2}, {2, 2}, {4, 3}, {7, 3}}));
  EXPECT_EQ(displayed(5), "0011222333");
  EXPECT_EQ(film_frames(15), (Frames{{0, 4}, {4, 2}, {6, 2}, {8, 2}}));
  EXPECT_EQ(displayed(15), "0001122233");
  EXPECT_EQ(film_frames(20), (Frames{{0, 2}, {2, 2}, {6, 2}, {8, 2}}));
  EXPECT_EQ(displayed(20), "0011223344");
}

TEST(Patterns, EachIsDifferent) {
  for (int a = 0; a < kPatterns; a++)
    for (int b = 0; b < a; b++) {
      bool is_different = false;
      for (int i = 0; i < kWindowFields; i++)
        is_different = is_different || ends_film_frame(a, i) != ends_film_frame(b, i);
      EXPECT_TRUE(is_different) << a << " and " << b;
    }
}

TEST(Patterns, FilmFramesFollowEachOther) {
  for (int pattern = 0; pattern < kPattern30p; pattern++)
    for (int i = 0; i < kFilmFrames; i++) {
      const FilmFrame frame = film_frame(pattern, i);
      EXPECT_GE(frame.fields, 2);
      EXPECT_LE(frame.fields, 4);
      EXPECT_GE(frame.first_field, -1);
      if (i > 0) {
        EXPECT_EQ(frame.first_field,
                  film_frame(pattern, i - 1).first_field + film_frame(pattern, i - 1).fields);
      }
      EXPECT_TRUE(ends_film_frame(pattern, frame.first_field + frame.fields - 1 + kWindowBefore));
    }
}

TEST(Patterns, DisplayedFramesNeverGoBack) {
  for (int pattern = 0; pattern < kPatterns; pattern++)
    for (int field = 0; field < kCycleFields; field++) {
      EXPECT_GE(displayed_frame(pattern, field), field == 0 ? -1 : displayed_frame(pattern, field - 1));
      EXPECT_LE(displayed_frame(pattern, field), kFilmFrames);
    }
}

}  // namespace
}  // namespace weft::filters::kfm
