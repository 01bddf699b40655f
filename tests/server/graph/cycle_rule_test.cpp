// SPDX-License-Identifier: Apache-2.0
// Tests the rule that drops one unit of each cycle: its units, times, cuts, segments and bounds.
#include "server/graph/cycle_rule.h"

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include <gmock/gmock.h>

#include "server/graph/timeline.h"

namespace weft::graph {
namespace {

using testing::ElementsAre;

constexpr int64_t kFramePeriod = 12;

FrameInfo frame_in_cycle(int64_t number, bool discontinuity = false) {
  return {.pts = kFramePeriod * number, .duration = kFramePeriod, .discontinuity = discontinuity};
}

Timeline cycle_timeline(int cycle, std::string_view state = {}) {
  return Timeline::make({ClockRule(), {0, by_cycle(cycle)}}, state).value();
}

std::vector<int64_t> parents_of(const Timeline& timeline) {
  std::vector<int64_t> parents;
  for (int64_t i = 0; i < timeline.known(1); i++) parents.push_back(timeline.unit(1, i).parent);
  return parents;
}
std::vector<int> words_of(const Timeline& timeline) {
  std::vector<int> words;
  for (int64_t i = 0; i < timeline.known(1); i++) words.push_back(timeline.unit(1, i).word);
  return words;
}

TEST(CycleRule, MakesOneUnitLessPerCycleAtAConstantRate) {
  Timeline timeline = cycle_timeline(5);
  for (int i = 0; i < 13; i++) timeline.push(frame_in_cycle(i));
  ASSERT_EQ(timeline.known(1), 11) << "known before the end of the input";
  timeline.finish();
  ASSERT_EQ(timeline.known(1), 11) << "the last cycle of three units keeps all of them";
  EXPECT_EQ(timeline.time_divisor(1), 4);
  EXPECT_THAT(parents_of(timeline), ElementsAre(0, 1, 2, 3, 5, 6, 7, 8, 10, 11, 12));
  EXPECT_THAT(words_of(timeline), ElementsAre(0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2));
  for (int64_t i = 0; i < 11; i++) {
    EXPECT_EQ(timeline.unit(1, i).frame.pts, 5 * kFramePeriod * i) << "in quarters of the source's unit";
    EXPECT_EQ(timeline.unit(1, i).frame.duration, 5 * kFramePeriod);
    EXPECT_EQ(timeline.unit(1, i).source_index, timeline.unit(1, i).parent);
    EXPECT_TRUE(timeline.unit(1, i).ends_source);
  }
}

TEST(CycleRule, TimesIncreaseAcrossAGap) {
  Timeline timeline = cycle_timeline(5);
  constexpr int64_t kTimes[] = {0, 10, 20, 500, 510, 520};
  for (int i = 0; i < 5; i++) timeline.push({.pts = kTimes[i], .duration = kTimes[i + 1] - kTimes[i]});
  timeline.push({.pts = 520, .duration = 10});
  timeline.finish();
  std::vector<int64_t> times;
  for (int64_t i = 0; i < timeline.known(1); i++) times.push_back(timeline.unit(1, i).frame.pts);
  EXPECT_THAT(times, ElementsAre(0, 50, 80 + 2 * 480, 2030, 2080));
}

TEST(CycleRule, ACycleBeginsAtEachCut) {
  Timeline timeline = cycle_timeline(3);
  for (int i = 0; i < 9; i++) timeline.push(frame_in_cycle(i, i == 2 || i == 6));
  timeline.finish();
  // Runs of 2, 4 and 3 units.
  EXPECT_THAT(parents_of(timeline), ElementsAre(0, 1, 2, 3, 5, 6, 7));
  EXPECT_THAT(words_of(timeline), ElementsAre(0, 1, 0, 1, 0, 0, 1));
  EXPECT_TRUE(timeline.unit(1, 2).frame.discontinuity);
  EXPECT_TRUE(timeline.unit(1, 5).frame.discontinuity);
  EXPECT_EQ(timeline.run_end(1, 0), 2);
  EXPECT_EQ(timeline.run_end(1, 2), 5);
}

// A segment continues the cycle of the whole input, from any frame.
TEST(CycleRule, ASegmentGoesOnInTheMiddleOfACycle) {
  for (const int cycle : {2, 3, 5, 25}) {
    Timeline whole = cycle_timeline(cycle);
    for (int i = 0; i < 60; i++) whole.push(frame_in_cycle(i, i == 31));
    whole.finish();
    for (int first = 1; first < 59; first++) {
      Timeline segment = cycle_timeline(cycle, whole.state_after(first));
      for (int i = first; i < 60; i++) {
        FrameInfo frame = frame_in_cycle(i, i == 31);
        frame.context = i == first;
        segment.push(frame);
      }
      segment.finish();
      const int64_t units = segment.known(1), before = whole.known(1) - units;
      for (int64_t i = 0; i < units; i++) {
        const UnitInfo &own = segment.unit(1, i), &expected = whole.unit(1, before + i);
        ASSERT_EQ(own.parent + first, expected.parent) << cycle << " from " << first;
        ASSERT_EQ(own.word, expected.word) << cycle << " from " << first;
        ASSERT_EQ(own.frame.pts, expected.frame.pts);
        ASSERT_EQ(own.frame.context, own.parent == 0);
      }
      ASSERT_EQ(segment.state_after(59 - first), whole.state_after(59)) << cycle << " from " << first;
    }
  }
}

// A map drops the unit with the cut, and the state carries the cut to the next unit.
TEST(CycleRule, ACutOnADroppedUnitBeginsACycleInASegmentToo) {
  const std::vector<ClockRule> clocks = {ClockRule(), {0, by_map(map_of_every(2))}, {1, by_cycle(4)}};
  const auto frame = [](int i) { return frame_in_cycle(i, i == 11); };
  Timeline whole = Timeline::make(clocks, {}).value();
  for (int i = 0; i < 40; i++) whole.push(frame(i));
  whole.finish();
  EXPECT_EQ(whole.unit(2, 5).parent, 6);
  EXPECT_EQ(whole.unit(2, 5).word, 0);
  for (int first = 1; first < 39; first++) {
    Timeline segment = Timeline::make(clocks, whole.state_after(first)).value();
    for (int i = first; i < 40; i++) {
      FrameInfo info = frame(i);
      info.context = i == first;
      segment.push(info);
    }
    segment.finish();
    const int64_t units = segment.known(2), before = whole.known(2) - units;
    for (int64_t i = 0; i < units; i++) {
      if (segment.unit(2, i).frame.context) continue;
      ASSERT_EQ(segment.unit(2, i).word, whole.unit(2, before + i).word) << "from " << first;
    }
  }
}

// The bounds on which plans rely, counted in random runs.
TEST(CycleRule, BoundsHold) {
  std::mt19937 random(5);
  for (int round = 0; round < 40; round++) {
    const int cycle = 2 + int(random() % 8), one_cut_in = 2 + int(random() % 30);
    const TimeRulePtr rule = by_cycle(cycle);
    Timeline timeline = cycle_timeline(cycle);
    for (int i = 0; i < 100; i++)
      timeline.push(frame_in_cycle(i, i > 0 && random() % uint32_t(one_cut_in) == 0));
    timeline.finish();
    const std::vector<int64_t> parents = parents_of(timeline);
    const auto before = [&](int64_t unit) {
      return std::ranges::lower_bound(parents, unit) - parents.begin();
    };
    for (int count = 0; count < 30; count++)
      for (int64_t from = 0; from + count <= 100; from++) {
        const int units = int(before(from + count) - before(from));
        ASSERT_LE(units, rule->most_units(count));
        ASSERT_GE(units, rule->fewest_units(count));
      }
    for (size_t from = 0; from < parents.size(); from++)
      for (size_t to = from; to < parents.size(); to++)
        ASSERT_LE(parents[to] - parents[from], rule->most_parents(int(to - from)));
  }
}

TEST(CycleRule, RulesOfOneLengthShareAClock) {
  EXPECT_TRUE(equal_rules(by_cycle(5), by_cycle(5)));
  EXPECT_FALSE(equal_rules(by_cycle(5), by_cycle(4)));
  EXPECT_FALSE(equal_rules(by_cycle(5), by_map(map_of_every(5))));
  EXPECT_EQ(by_cycle(5)->rate(), (Rate{4, 5}));
}

TEST(CycleRule, TimesBeyondTheirRangeAreTheLargest) {
  Timeline timeline = cycle_timeline(5);
  timeline.push({.pts = int64_t{1} << 62, .duration = int64_t{1} << 62});
  timeline.finish();
  EXPECT_EQ(timeline.unit(1, 0).frame.pts, std::numeric_limits<int64_t>::max());
  EXPECT_EQ(timeline.unit(1, 0).frame.duration, std::numeric_limits<int64_t>::max());
}

}  // namespace
}  // namespace weft::graph
