// SPDX-License-Identifier: Apache-2.0
#include "server/graph/timeline.h"

#include <limits>

#include <gmock/gmock.h>

#include "server/filters/deinterlace/field_timing.h"

namespace weft::graph {
namespace {

FrameInfo frame_at(int64_t pts) {
  return {.pts = pts, .duration = 2, .interlaced = true, .top_field_first = true};
}

Timeline timeline_of(std::vector<ClockRule> clocks, std::string_view state = {}) {
  clocks.insert(clocks.begin(), ClockRule());
  return Timeline::make(std::move(clocks), state).value();
}
using filters::by_fields;
const TimeRulePtr kDoubles = by_fields({.per_field = true});

// Returns a rule that keeps every second unit, at twice the interval.
TimeRulePtr halves(int64_t units) {
  auto map = std::make_shared<FrameMap>();
  map->rate = {1, 2};
  for (int64_t unit = 0; unit < units; unit += 2) map->entries.push_back({unit, unit, 2, int32_t(unit)});
  return by_map(map);
}

TEST(Timeline, FieldsHalveTheUnitOfTimeOnlyWhereTheyBecomePictures) {
  const Timeline timeline = timeline_of({{0, kDoubles}, {1, by_fields({})}, {1, kDoubles}});
  EXPECT_EQ(timeline.time_divisor(0), 1);
  EXPECT_EQ(timeline.time_divisor(1), 2);
  EXPECT_EQ(timeline.time_divisor(2), 2);
  EXPECT_EQ(timeline.time_divisor(3), 4);
}

TEST(Timeline, TimesGoOnThroughClocks) {
  Timeline timeline = timeline_of({{0, kDoubles}, {1, kDoubles}});
  for (int i = 0; i < 3; i++) timeline.push(frame_at(2 * i));
  timeline.finish();
  ASSERT_EQ(timeline.known(2), 12);
  EXPECT_TRUE(timeline.ended(2));
  for (int64_t i = 0; i < 12; i++) {
    EXPECT_EQ(timeline.unit(2, i).frame.pts, 2 * i);
    EXPECT_EQ(timeline.unit(2, i).frame.duration, 2);
    EXPECT_EQ(timeline.unit(2, i).source_index, i / 4);
    EXPECT_EQ(timeline.unit(2, i).ends_source, i % 4 == 3);
    EXPECT_FALSE(timeline.unit(2, i).frame.interlaced);
  }
}

TEST(Timeline, ManyChangesOfRateHaveADivisorOfALargestNumber) {
  std::vector<ClockRule> clocks;
  for (int i = 0; i < 70; i++) clocks.push_back({i, kDoubles});
  const Timeline timeline = timeline_of(clocks);
  EXPECT_EQ(timeline.time_divisor(62), int64_t{1} << 62);
  for (const int clock : {63, 64, 70})
    EXPECT_EQ(timeline.time_divisor(clock), std::numeric_limits<int64_t>::max());
}

TEST(Timeline, ManyUnitsThatLastLongHaveALargestDuration) {
  Timeline timeline = timeline_of({{0, by_map(map_of_every(1000))}});
  FrameInfo frame = frame_at(0);
  frame.duration = int64_t{1} << 60;
  timeline.push(frame);
  timeline.finish();
  EXPECT_EQ(timeline.unit(1, 0).frame.duration, std::numeric_limits<int64_t>::max());
}

TEST(Timeline, AFrameThatPassesGivesOneUnitAndStaysAsItIs) {
  Timeline timeline = timeline_of({{0, by_fields({.per_field = true, .only_flagged = true})}});
  FrameInfo plain = frame_at(0);
  plain.interlaced = false;
  timeline.push(plain);
  timeline.push(frame_at(2));
  timeline.push(frame_at(4));
  timeline.finish();
  EXPECT_EQ(timeline.known(1), 5);
  EXPECT_EQ(timeline.plan(1, 1).first_child, 1);
  EXPECT_EQ(timeline.unit(1, 0).frame.duration, 4) << "in halves";
}

TEST(Timeline, CutsGoOnThroughClocks) {
  Timeline timeline = timeline_of({{0, kDoubles}, {1, halves(20)}});
  for (int i = 0; i < 4; i++) {
    FrameInfo frame = frame_at(2 * i);
    frame.discontinuity = i == 2;
    timeline.push(frame);
  }
  EXPECT_EQ(timeline.run_end(0, 0), 2);
  EXPECT_EQ(timeline.run_end(0, 3), std::nullopt) << "nobody knows yet";
  EXPECT_EQ(timeline.run_begin(0, 3), 2);
  timeline.finish();
  EXPECT_EQ(timeline.run_end(0, 3), 4);
  EXPECT_EQ(timeline.run_end(1, 1), 4);
  EXPECT_TRUE(timeline.unit(1, 4).frame.discontinuity);
  EXPECT_FALSE(timeline.unit(1, 5).frame.discontinuity);
  EXPECT_EQ(timeline.run_end(2, 0), 2);
  EXPECT_TRUE(timeline.unit(2, 2).frame.discontinuity);
}

TEST(Timeline, AMapSaysWhichUnitsStayAndWhen) {
  Timeline timeline = timeline_of({{0, halves(6)}});
  for (int i = 0; i < 6; i++) timeline.push({.pts = 10 * i, .duration = 10});
  timeline.finish();
  ASSERT_EQ(timeline.known(1), 3);
  for (int64_t i = 0; i < 3; i++) {
    EXPECT_EQ(timeline.unit(1, i).parent, 2 * i);
    EXPECT_EQ(timeline.unit(1, i).word, 2 * i);
    EXPECT_EQ(timeline.unit(1, i).frame.pts, 2 * i);
    EXPECT_EQ(timeline.unit(1, i).source_index, 2 * i);
  }
}

TEST(Timeline, AMapOfEveryThirdUnitNeedsNoEnd) {
  Timeline timeline = timeline_of({{0, by_map(map_of_every(3))}});
  for (int i = 0; i < 7; i++) timeline.push({.pts = 10 * i, .duration = 10});
  ASSERT_EQ(timeline.known(1), 3) << "before it is known how many there are";
  for (int64_t i = 0; i < 3; i++) {
    EXPECT_EQ(timeline.unit(1, i).parent, 3 * i);
    EXPECT_EQ(timeline.unit(1, i).word, i % 2);
    EXPECT_EQ(timeline.unit(1, i).frame.pts, 30 * i);
    EXPECT_EQ(timeline.unit(1, i).frame.duration, 30);
  }
}

// A map counts units from the begin of the whole input, so a segment that begins in the middle
// needs the number of earlier units.
TEST(Timeline, ASegmentGoesOnWithTheStateAfterItsFirstContext) {
  const std::vector<ClockRule> clocks = {{0, kDoubles}, {1, halves(40)}};
  Timeline whole = timeline_of(clocks);
  for (int i = 0; i < 10; i++) whole.push(frame_at(2 * i));
  whole.finish();
  // The segment consists of the frames from 5 on; 4 is context.
  Timeline segment = timeline_of(clocks, whole.state_after(4));
  for (int i = 4; i < 10; i++) {
    FrameInfo frame = frame_at(2 * i);
    frame.context = i < 5;
    segment.push(frame);
  }
  segment.finish();
  ASSERT_EQ(segment.known(2), 6);
  for (int64_t i = 0; i < 6; i++) {
    EXPECT_EQ(segment.unit(2, i).frame.pts, whole.unit(2, i + 4).frame.pts);
    EXPECT_EQ(segment.unit(2, i).frame.context, i < 1);
  }
  EXPECT_EQ(segment.state_after(0), whole.state_after(4));
  EXPECT_EQ(segment.state_after(3), whole.state_after(7));
}

// Units of a segment begin the runs of the whole input, also if a map drops the unit with the cut.
TEST(Timeline, ACutOnADroppedUnitIsInTheState) {
  const std::vector<ClockRule> clocks = {{0, halves(40)}};
  const auto frame = [](int i) {
    FrameInfo info = frame_at(2 * i);
    info.discontinuity = i == 5 || i == 12;
    return info;
  };
  Timeline whole = timeline_of(clocks);
  for (int i = 0; i < 20; i++) whole.push(frame(i));
  whole.finish();
  EXPECT_TRUE(whole.unit(1, 3).frame.discontinuity);
  EXPECT_TRUE(whole.unit(1, 6).frame.discontinuity);
  for (int first = 1; first < 19; first++) {
    Timeline segment = timeline_of(clocks, whole.state_after(first));
    for (int i = first; i < 20; i++) {
      FrameInfo info = frame(i);
      info.context = i == first;
      segment.push(info);
    }
    segment.finish();
    const int64_t units = segment.known(1), before = whole.known(1) - units;
    for (int64_t i = 0; i < units; i++) {
      if (segment.unit(1, i).frame.context) continue;
      EXPECT_EQ(segment.unit(1, i).frame.discontinuity, whole.unit(1, before + i).frame.discontinuity)
          << "from " << first << ", unit " << before + i;
    }
  }
}

// The result of a unit is known as soon as in a run from the start, so that it is retained for
// later readers.
TEST(Timeline, AfterAStateNothingIsKnownLaterThanWithout) {
  const std::vector<std::vector<ClockRule>> chains = {
      {{0, kDoubles}, {1, halves(80)}},
      {{0, halves(40)}, {1, kDoubles}, {2, halves(40)}},
      {{0, kDoubles}, {1, halves(80)}, {2, halves(40)}},
      {{0, kDoubles}, {1, by_map(map_of_every(3))}, {2, by_map(map_of_every(1))}}};
  for (const std::vector<ClockRule>& clocks : chains) {
    const int last = int(clocks.size());
    Timeline whole = timeline_of(clocks);
    for (int i = 0; i < 20; i++) whole.push(frame_at(2 * i));
    for (int first = 1; first < 9; first++) {
      Timeline segment = timeline_of(clocks, whole.state_after(first)), fresh = timeline_of(clocks);
      for (int i = 0; i < first; i++) fresh.push(frame_at(2 * i));
      for (int i = first; i < 20; i++) {
        FrameInfo frame = frame_at(2 * i);
        fresh.push(frame);
        frame.context = i == first;
        segment.push(frame);
        const auto newest = [&](const Timeline& timeline) {
          const int64_t known = timeline.known(last);
          return known == 0 ? -1 : timeline.unit(last, known - 1).source_index;
        };
        const int64_t expected = newest(fresh);
        if (expected >= first) {
          EXPECT_EQ(newest(segment) + first, expected) << last << " clocks from " << first << " at " << i;
        }
      }
    }
  }
}

TEST(Timeline, StatesOfOtherChainsAreRefused) {
  EXPECT_THAT(Timeline::make({ClockRule(), ClockRule{0, kDoubles}}, "four").status(),
              StatusIs(StatusCode::kInvalidArgument, "has 4 bytes, and this chain of filters keeps 24"));
}

TEST(Timeline, WhatIsForgottenIsOld) {
  Timeline timeline = timeline_of({{0, kDoubles}});
  for (int i = 0; i < 100; i++) {
    timeline.push(frame_at(2 * i));
    timeline.forget(0, i - 3);
    timeline.forget(1, 2 * i - 6);
    timeline.forget_plans(1, i - 3);
  }
  timeline.finish();
  EXPECT_EQ(timeline.known(1), 200);
  EXPECT_EQ(timeline.unit(1, 199).frame.pts, 2 * 198 + 2);
  EXPECT_EQ(timeline.run_begin(1, 199), 0);
}

}  // namespace
}  // namespace weft::graph
