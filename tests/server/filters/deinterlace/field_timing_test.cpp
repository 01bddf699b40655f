// SPDX-License-Identifier: Apache-2.0
#include "server/filters/deinterlace/field_timing.h"

#include <limits>
#include <random>
#include <vector>

#include <gmock/gmock.h>

namespace weft::filters {
namespace {

v1::Bwdif options_of(v1::OutputRate rate, v1::FrameSelection frames, v1::Parity parity = v1::PARITY_AUTO) {
  v1::Bwdif options;
  options.set_rate(rate);
  options.set_frames(frames);
  options.set_parity(parity);
  return options;
}

FrameInfo interlaced_at(int64_t pts) {
  return {.pts = pts, .duration = 3, .interlaced = true, .top_field_first = true};
}

std::vector<PlannedFrame> plan(const v1::Bwdif& options, const std::vector<FrameInfo>& frames,
                               PlannerState state = {}) {
  FieldPlanner planner(field_rule_of(options));
  planner.set_state(state);
  std::vector<PlannedFrame> planned;
  for (const FrameInfo& frame : frames) {
    planner.push(frame);
    while (const auto next = planner.next()) planned.push_back(*next);
  }
  planner.finish();
  while (const auto next = planner.next()) planned.push_back(*next);
  return planned;
}

TEST(FieldPlanner, WaitsForTheNextFrame) {
  FieldPlanner planner(field_rule_of(options_of(v1::OUTPUT_RATE_FIELD, v1::FRAME_SELECTION_ALL)));
  EXPECT_FALSE(planner.next().has_value());
  planner.push(interlaced_at(0));
  EXPECT_FALSE(planner.next().has_value());
  planner.push(interlaced_at(2));
  EXPECT_TRUE(planner.next().has_value());
  EXPECT_FALSE(planner.next().has_value());
  planner.finish();
  EXPECT_TRUE(planner.next().has_value());
  EXPECT_FALSE(planner.next().has_value());
}

TEST(FieldPlanner, WaitsForNoFrameThatItDoesNotLookAt) {
  for (const auto rate : {v1::OUTPUT_RATE_FIELD, v1::OUTPUT_RATE_FRAME}) {
    const FieldRule rule = field_rule_of(options_of(rate, v1::FRAME_SELECTION_ALL));
    FieldPlanner alone(rule, false);
    FieldPlanner waits(rule);
    EXPECT_FALSE(alone.next().has_value());
    constexpr int kFrames = 5;
    for (int i = 0; i < kFrames; i++) {
      const FrameInfo frame{.pts = 3 * i, .duration = 3, .interlaced = true, .discontinuity = i == 2};
      alone.push(frame);
      waits.push(frame);
      if (i + 1 == kFrames) waits.finish();
    }
    for (int i = 0; i < kFrames; i++) {
      const auto frame = alone.next(), same = waits.next();
      ASSERT_TRUE(frame.has_value() && same.has_value()) << i;
      EXPECT_EQ(frame->index, i);
      EXPECT_EQ(frame->next, i) << "itself";
      EXPECT_EQ(frame->outputs, same->outputs);
      for (int k = 0; k < frame->outputs; k++) {
        EXPECT_EQ(frame->output[k].pts, same->output[k].pts) << i;
        EXPECT_EQ(frame->output[k].duration, same->output[k].duration) << i;
      }
    }
    EXPECT_FALSE(alone.next().has_value());
  }
}

TEST(FieldPlanner, FieldsLieHalfWayAndTheLastDistanceRepeats) {
  const auto frames = plan(options_of(v1::OUTPUT_RATE_FIELD, v1::FRAME_SELECTION_ALL),
                           {interlaced_at(10), interlaced_at(14), interlaced_at(17)});
  ASSERT_EQ(frames.size(), 3u);
  const int64_t expected[3][2] = {{20, 24}, {28, 31}, {34, 37}};
  const int64_t durations[3] = {4, 3, 3};
  for (size_t i = 0; i < 3; i++)
    for (size_t k = 0; k < 2; k++) {
      EXPECT_EQ(frames[i].output[k].pts, expected[i][k]);
      EXPECT_EQ(frames[i].output[k].duration, durations[i]);
    }
}

TEST(FieldPlanner, OnePictureAFrameLastsUntilTheNext) {
  const auto frames = plan(options_of(v1::OUTPUT_RATE_FRAME, v1::FRAME_SELECTION_ALL),
                           {interlaced_at(10), interlaced_at(14)});
  EXPECT_EQ(frames[0].outputs, 1);
  EXPECT_EQ(frames[0].output[0].pts, 20);
  EXPECT_EQ(frames[0].output[0].duration, 8);
  EXPECT_EQ(frames[1].output[0].duration, 8);
}

TEST(FieldPlanner, ASingleFrameLastsItsDuration) {
  const auto frames = plan(options_of(v1::OUTPUT_RATE_FIELD, v1::FRAME_SELECTION_ALL), {interlaced_at(10)});
  EXPECT_EQ(frames[0].output[0].pts, 20);
  EXPECT_EQ(frames[0].output[1].pts, 23);
  EXPECT_EQ(frames[0].previous, 0);
  EXPECT_EQ(frames[0].next, 0);
}

TEST(FieldPlanner, UnflaggedFramesPassOnce) {
  std::vector<FrameInfo> clip = {interlaced_at(0), interlaced_at(2), interlaced_at(4)};
  clip[1].interlaced = false;
  const auto frames = plan(options_of(v1::OUTPUT_RATE_FIELD, v1::FRAME_SELECTION_FLAGGED), clip);
  EXPECT_FALSE(frames[0].copies);
  EXPECT_TRUE(frames[1].copies);
  EXPECT_EQ(frames[1].outputs, 1);
  EXPECT_EQ(frames[1].output[0].duration, 4);
  EXPECT_EQ(frames[2].outputs, 2);
}

TEST(FieldPlanner, FlaggedFramesBesideSoftTelecinePassToo) {
  std::vector<FrameInfo> clip = {interlaced_at(0), interlaced_at(2), interlaced_at(4), interlaced_at(6)};
  clip[2].interlaced = false;
  clip[2].repeats_field = true;
  const auto flagged = plan(options_of(v1::OUTPUT_RATE_FIELD, v1::FRAME_SELECTION_FLAGGED), clip);
  EXPECT_FALSE(flagged[0].copies);
  EXPECT_TRUE(flagged[1].copies);
  EXPECT_TRUE(flagged[3].copies);
  EXPECT_FALSE(plan(options_of(v1::OUTPUT_RATE_FIELD, v1::FRAME_SELECTION_ALL), clip)[2].copies);
}

TEST(FieldPlanner, ParityIsTheStreamsTopOrForced) {
  std::vector<FrameInfo> clip = {interlaced_at(0), interlaced_at(2), interlaced_at(4)};
  clip[1].top_field_first = false;
  clip[2].interlaced = clip[2].top_field_first = false;
  const auto bottoms = [&](v1::Parity parity) {
    std::vector<bool> result;
    for (const auto& frame : plan(options_of(v1::OUTPUT_RATE_FIELD, v1::FRAME_SELECTION_ALL, parity), clip))
      result.push_back(frame.bottom_first);
    return result;
  };
  EXPECT_THAT(bottoms(v1::PARITY_AUTO), testing::ElementsAre(false, true, false));
  EXPECT_THAT(bottoms(v1::PARITY_TOP), testing::ElementsAre(false, false, false));
  EXPECT_THAT(bottoms(v1::PARITY_BOTTOM), testing::ElementsAre(true, true, true));
}

TEST(FieldPlanner, OnlyTheEndsAreSpatial) {
  std::vector<FrameInfo> clip = {interlaced_at(0), interlaced_at(2), interlaced_at(4), interlaced_at(6)};
  clip[0].interlaced = false;
  const auto frames = plan(options_of(v1::OUTPUT_RATE_FIELD, v1::FRAME_SELECTION_FLAGGED), clip);
  EXPECT_FALSE(frames[0].is_spatial[0]);
  EXPECT_TRUE(frames[1].is_spatial[0]);  // the first deinterlaced frame
  EXPECT_FALSE(frames[1].is_spatial[1]);
  EXPECT_FALSE(frames[2].is_spatial[0]);
  EXPECT_FALSE(frames[3].is_spatial[0]);
  EXPECT_TRUE(frames[3].is_spatial[1]);
}

TEST(FieldPlanner, ADiscontinuityIsAnEndAndABeginning) {
  std::vector<FrameInfo> clip = {interlaced_at(0), interlaced_at(2), interlaced_at(100), interlaced_at(102)};
  clip[2].discontinuity = true;
  const auto frames = plan(options_of(v1::OUTPUT_RATE_FIELD, v1::FRAME_SELECTION_ALL), clip);
  EXPECT_EQ(frames[1].next, 1);
  EXPECT_TRUE(frames[1].is_spatial[1]);
  EXPECT_EQ(frames[1].output[1].pts, 6);
  EXPECT_EQ(frames[2].previous, 2);
  EXPECT_TRUE(frames[2].is_spatial[0]);
  EXPECT_TRUE(frames[3].is_spatial[1]);
}

TEST(FieldPlanner, ContextGivesNeighboursAndTimesAndNothingElse) {
  std::vector<FrameInfo> clip = {interlaced_at(4), interlaced_at(6), interlaced_at(8)};
  clip[0].context = clip[2].context = true;
  const auto frames =
      plan(options_of(v1::OUTPUT_RATE_FIELD, v1::FRAME_SELECTION_ALL), clip, {.started = true});
  EXPECT_TRUE(frames[0].context);
  EXPECT_EQ(frames[1].previous, 0);
  EXPECT_EQ(frames[1].next, 2);
  EXPECT_FALSE(frames[1].is_spatial[0] || frames[1].is_spatial[1]);
  EXPECT_EQ(frames[1].output[1].pts, 14);
}

// A shift of the clock shifts all output times by the same amount.
TEST(FieldPlanner, AShiftOfTheClockShiftsTheTimesAlone) {
  constexpr int64_t kMost = int64_t{1} << 61;
  for (uint32_t seed = 0; seed < 200; seed++) {
    std::mt19937 random(seed);
    std::vector<FrameInfo> clip(1 + random() % 6);
    int64_t time = 0;
    for (FrameInfo& frame : clip) {
      const int64_t step = random() % 8 == 0 ? 1'000'000'000 : 1 + int64_t(random() % 5);
      time += step;
      frame = {.pts = time, .duration = 1 + int64_t(random() % 5), .interlaced = random() % 2 == 0};
      frame.discontinuity = random() % 6 == 0;
    }
    const auto options =
        options_of(random() % 2 == 0 ? v1::OUTPUT_RATE_FIELD : v1::OUTPUT_RATE_FRAME,
                   random() % 2 == 0 ? v1::FRAME_SELECTION_ALL : v1::FRAME_SELECTION_FLAGGED);
    const auto expected = plan(options, clip);
    for (const int64_t shift : {-kMost, -time, -time - 1, int64_t{-514592}, int64_t{-1}, kMost - time - 10}) {
      std::vector<FrameInfo> shifted = clip;
      for (FrameInfo& frame : shifted) frame.pts += shift;
      const auto planned = plan(options, shifted);
      ASSERT_EQ(planned.size(), expected.size());
      for (size_t i = 0; i < planned.size(); i++)
        for (int k = 0; k < expected[i].outputs; k++) {
          ASSERT_EQ(planned[i].output[k].pts, expected[i].output[k].pts + 2 * shift) << seed << " " << shift;
          ASSERT_EQ(planned[i].output[k].duration, expected[i].output[k].duration) << seed << " " << shift;
        }
    }
  }
}

// The distances of the frames are up to the largest possible.
TEST(FieldPlanner, TimesRiseWhereverTheyLie) {
  constexpr int64_t kMost = int64_t{1} << 61;
  for (const auto rate : {v1::OUTPUT_RATE_FIELD, v1::OUTPUT_RATE_FRAME}) {
    for (const bool cut : {false, true}) {
      std::vector<FrameInfo> clip = {interlaced_at(-kMost), interlaced_at(-1), interlaced_at(kMost)};
      clip[2].discontinuity = cut;
      int64_t last = std::numeric_limits<int64_t>::min();
      for (const PlannedFrame& frame : plan(options_of(rate, v1::FRAME_SELECTION_ALL), clip))
        for (int k = 0; k < frame.outputs; k++) {
          EXPECT_GT(frame.output[k].pts, last);
          EXPECT_GT(frame.output[k].duration, 0);
          last = frame.output[k].pts;
        }
    }
  }
}

}  // namespace
}  // namespace weft::filters
