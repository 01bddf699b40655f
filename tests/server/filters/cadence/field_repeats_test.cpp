// SPDX-License-Identifier: Apache-2.0
// Tests the times of soft telecine's display list: the cadence of film, bottom field first streams,
// frame doubling, irregular flags, and resumption.
#include "server/filters/cadence/field_repeats.h"

#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "kernels/video/repeat_fields.kernel"
#include "server/filters/cadence/repeat_fields.h"
#include "server/graph/timeline.h"

namespace weft::filters {
namespace {

using ::testing::ElementsAre;

struct Shown {
  int64_t source = 0;  // picture of the bottom field
  bool top_of_previous = false;
  int64_t pts = 0;  // in sixths
  int64_t duration = 0;
  bool operator==(const Shown&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Shown& shown) {
  return out << fmt::format("{{{}, {}, {}, {}}}", shown.source, shown.top_of_previous, shown.pts,
                            shown.duration);
}

// A progressive picture with these flags, whose duration is that of its fields.
graph::FrameInfo picture(int64_t pts, bool top_first, bool repeats, int64_t field) {
  graph::FrameInfo frame;
  frame.pts = pts;
  frame.duration = (repeats ? 3 : 2) * field;
  frame.top_field_first = top_first;
  frame.repeats_field = repeats;
  return frame;
}

std::vector<graph::ClockRule> clocks() {
  return {graph::ClockRule(), {.parent = 0, .rule = by_field_repeats()}};
}

std::vector<Shown> shown_of(graph::Timeline& timeline) {
  std::vector<Shown> shown;
  for (int64_t i = 0; i < timeline.known(1); i++) {
    const graph::UnitInfo& unit = timeline.unit(1, i);
    EXPECT_TRUE(unit.frame.top_field_first);
    EXPECT_FALSE(unit.frame.repeats_field);
    shown.push_back({unit.source_index, unit.word == TOP_OF_PREVIOUS, unit.frame.pts, unit.frame.duration});
  }
  return shown;
}

std::vector<Shown> shown(const std::vector<graph::FrameInfo>& frames) {
  graph::Timeline timeline = graph::Timeline::make(clocks(), {}).value();
  for (const graph::FrameInfo& frame : frames) timeline.push(frame);
  timeline.finish();
  return shown_of(timeline);
}

// Two fields of 1001/60000 s are 3003 units of 1/90000 s.
constexpr int64_t kFrame = 3003 * 6;

// The cadence T B T, B T, B T B, T B of film, in units of 1/180000 s: 5 frames at 30000/1001.
TEST(FieldRepeatsTest, FilmIsShownAtAConstantRate) {
  std::vector<graph::FrameInfo> film;
  constexpr int64_t kField = 3003;
  int64_t pts = 0;
  for (int i = 0; i < 8; i++) {
    const bool repeats = i % 2 == 0;
    film.push_back(picture(pts, i % 4 == 0 || i % 4 == 3, repeats, kField));
    pts += (repeats ? 3 : 2) * kField;
  }
  std::vector<Shown> expected;
  constexpr std::pair<int, bool> kCadence[] = {{0, false}, {1, true}, {2, true}, {2, false}, {3, false}};
  for (int i = 0; i < 10; i++)
    expected.push_back(
        {kCadence[i % 5].first + i / 5 * 4, kCadence[i % 5].second, 2 * kFrame * i, 2 * kFrame});
  EXPECT_EQ(shown(film), expected);
}

TEST(FieldRepeatsTest, BottomFieldFirstFramesMoveByHalfAPeriod) {
  std::vector<graph::FrameInfo> frames;
  for (int i = 0; i < 3; i++) {
    frames.push_back(picture(2 * i, false, false, 1));
    frames.back().interlaced = true;
  }
  // The first picture has no top field before it.
  EXPECT_THAT(shown(frames), ElementsAre(Shown{1, true, 6, 12}, Shown{2, true, 18, 12}));
}

TEST(FieldRepeatsTest, FramesWithoutAnOrderStayInPlace) {
  const std::vector<graph::FrameInfo> frames = {picture(0, false, false, 1), picture(2, false, false, 1)};
  EXPECT_THAT(shown(frames), ElementsAre(Shown{0, false, 0, 12}, Shown{1, false, 12, 12}));
}

TEST(FieldRepeatsTest, FramesAreDoubledAndTripled) {
  std::vector<graph::FrameInfo> frames = {picture(0, false, true, 1), picture(4, true, true, 1),
                                          picture(10, true, false, 1)};
  frames[0].repeated_frames = 1;
  frames[0].duration = 4;
  frames[1].repeated_frames = 2;
  frames[1].duration = 6;
  EXPECT_THAT(shown(frames),
              ElementsAre(Shown{0, false, 0, 12}, Shown{0, false, 12, 12}, Shown{1, false, 24, 12},
                          Shown{1, false, 36, 12}, Shown{1, false, 48, 12}, Shown{2, false, 60, 12}));
}

// T B T and then T B: the field that waits is dropped. B T after T B: the top field is used again.
TEST(FieldRepeatsTest, IrregularFlagsDropOrReuseAField) {
  std::vector<graph::FrameInfo> frames = {picture(0, true, true, 2), picture(6, true, false, 2),
                                          picture(10, false, true, 2)};
  EXPECT_THAT(shown(frames), ElementsAre(Shown{0, false, 0, 36}, Shown{1, false, 36, 12},
                                         Shown{2, true, 48, 24}, Shown{2, false, 72, 24}));
}

// Flags, durations and times at random: times increase, and each frame lasts to the next one.
TEST(FieldRepeatsTest, TimesIncreaseForAnyFlags) {
  for (uint32_t seed = 1; seed <= 300; seed++) {
    std::mt19937 random(seed);
    std::vector<graph::FrameInfo> frames;
    int64_t pts = -50;
    for (int i = 0; i < 40; i++) {
      graph::FrameInfo frame = picture(pts, random() % 2 == 0, random() % 2 == 0, 1 + int64_t(random() % 3));
      frame.interlaced = random() % 3 == 0;
      frame.duration = 1 + int64_t(random() % 6);
      frame.discontinuity = random() % 9 == 0;
      if (frame.repeats_field && random() % 5 == 0) frame.repeated_frames = 1 + int(random() % 2);
      frames.push_back(frame);
      pts += 1 + int64_t(random() % 5);
    }
    const std::vector<Shown> list = shown(frames);
    for (size_t i = 0; i + 1 < list.size(); i++) {
      ASSERT_GT(list[i + 1].pts, list[i].pts) << "seed " << seed;
      ASSERT_GT(list[i].duration, 0);
      const int64_t gap = list[i + 1].pts - list[i].pts;
      const bool is_cut =
          list[i + 1].source != list[i].source && frames[size_t(list[i].source) + 1].discontinuity;
      if (!is_cut) {
        ASSERT_EQ(list[i].duration, gap) << "seed " << seed << ", frame " << i;
      }
    }
  }
}

// A segment that begins with one picture of context and the state has the frames of the whole.
TEST(FieldRepeatsTest, AStateResumesTheList) {
  std::mt19937 random(7);
  std::vector<graph::FrameInfo> frames;
  for (int i = 0; i < 30; i++) {
    frames.push_back(picture(5 * i, random() % 2 == 0, random() % 2 == 0, 2));
    frames.back().discontinuity = random() % 5 == 0;
  }
  const std::vector<Shown> whole = shown(frames);
  graph::Timeline first = graph::Timeline::make(clocks(), {}).value();
  for (const graph::FrameInfo& frame : frames) first.push(frame);
  first.finish();
  for (size_t begin = 2; begin < frames.size(); begin++) {
    graph::Timeline rest = graph::Timeline::make(clocks(), first.state_after(int64_t(begin) - 1)).value();
    for (size_t i = begin - 1; i < frames.size(); i++) {
      graph::FrameInfo frame = frames[i];
      frame.context = i < begin;
      rest.push(frame);
    }
    rest.finish();
    std::vector<Shown> expected, actual;
    for (const Shown& one : whole)
      if (one.source >= int64_t(begin)) expected.push_back(one);
    for (Shown one : shown_of(rest)) {
      one.source += int64_t(begin) - 1;
      if (one.source >= int64_t(begin)) actual.push_back(one);
    }
    ASSERT_EQ(actual, expected) << "begin " << begin;
  }
}

TEST(FieldRepeatsTest, DisplayRatesAreThoseOfTelecine) {
  EXPECT_EQ(display_rate({24000, 1001}), (Rate{30000, 1001}));
  EXPECT_EQ(display_rate({27, 1}), (Rate{30000, 1001}));
  EXPECT_EQ(display_rate({30000, 1001}), (Rate{30000, 1001}));
  EXPECT_EQ(display_rate({24, 1}), (Rate{30, 1}));
  EXPECT_EQ(display_rate({25, 1}), (Rate{25, 1}));
  EXPECT_EQ(display_rate({30, 1}), (Rate{30, 1}));
  EXPECT_EQ(display_rate({60000, 1001}), (Rate{60000, 1001}));
  EXPECT_EQ(display_rate({0, 1}), (Rate{0, 1}));
}

}  // namespace
}  // namespace weft::filters
