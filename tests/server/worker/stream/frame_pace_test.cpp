// SPDX-License-Identifier: Apache-2.0
#include "server/worker/stream/frame_pace.h"

#include <random>

#include <gtest/gtest.h>

namespace weft::worker {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kPeriod = milliseconds(20);
constexpr TimePoint kBegin{seconds(100)};

TEST(FramePace, AFileIsPacedByItsRate) {
  FramePace pace(kPeriod);
  for (int i = 0; i < 1000; i++) {
    const Duration due = pace.due(kBegin) - kBegin;
    EXPECT_LE(due, i * kPeriod) << i;
    EXPECT_GE(due, i * kPeriod * 99 / 100 - 2 * kPeriod) << i;
  }
}

TEST(FramePace, WhatKeepsToItsRateIsDueWhenItComes) {
  FramePace pace(kPeriod);
  std::mt19937 random(1);
  std::uniform_int_distribution<int64_t> jitter(-10'000'000, 10'000'000);
  for (int i = 0; i < 10'000; i++) {
    // The frames arrive half a percent faster than declared, with a jitter of 10 ms.
    const TimePoint came = kBegin + i * kPeriod * 995 / 1000 + Duration(jitter(random));
    EXPECT_EQ(pace.due(came), came) << i;
  }
}

TEST(FramePace, ASourceThatFellBehindCatchesUpAtOnce) {
  FramePace pace(kPeriod);
  for (int i = 0; i < 10; i++) pace.due(kBegin + i * kPeriod);
  const TimePoint late = kBegin + milliseconds(900);
  for (int i = 10; i < 45; i++) EXPECT_EQ(pace.due(late), late) << i;
}

TEST(FramePace, AShortPauseIsMadeGoodAndNoLongerOne) {
  FramePace pace(kPeriod);
  pace.due(kBegin);
  const TimePoint back = kBegin + seconds(60);
  int at_once = 0;
  while (pace.due(back) == back) at_once++;
  EXPECT_NEAR(at_once, FramePace::kCatchesUp / kPeriod, 4);
}

TEST(FramePace, ALongPeriodIsKeptToWithinATenthOfASecond) {
  FramePace pace(seconds(2));
  EXPECT_EQ(pace.due(kBegin), kBegin);
  EXPECT_EQ(pace.due(kBegin), kBegin + milliseconds(1980) - FramePace::kMostAhead);
}

}  // namespace
}  // namespace weft::worker
