// SPDX-License-Identifier: Apache-2.0
#include "server/worker/device/spin_margin.h"

#include <gtest/gtest.h>

namespace weft::worker {
namespace {

using std::chrono::microseconds;

TEST(SpinMarginTest, IsTwiceTheLongestLatenessWithinItsLimits) {
  SpinMargin margin;
  EXPECT_EQ(margin.margin(), SpinMargin::kLeast);
  margin.slept(microseconds(70));
  EXPECT_EQ(margin.margin(), SpinMargin::kLeast);
  margin.slept(microseconds(250));
  EXPECT_EQ(margin.margin(), microseconds(500));
  margin.slept(microseconds(70));
  EXPECT_GT(margin.margin(), microseconds(490));
  margin.slept(std::chrono::seconds(1));
  EXPECT_EQ(margin.margin(), SpinMargin::kMost);
}

TEST(SpinMarginTest, ForgetsWhatDoesNotComeBack) {
  SpinMargin margin;
  margin.slept(microseconds(400));
  for (int i = 0; i < 600; i++) margin.slept(microseconds(50));
  EXPECT_EQ(margin.margin(), SpinMargin::kLeast);
  margin.slept(std::chrono::minutes(5));
  for (int i = 0; i < 600; i++) margin.slept(microseconds(50));
  EXPECT_EQ(margin.margin(), SpinMargin::kLeast) << "however late it was";
}

TEST(SpinMarginTest, OneLateSleepInAHundredAndFiftyIsAlwaysCovered) {
  SpinMargin margin;
  margin.slept(microseconds(300));
  for (int i = 0; i < 1000; i++) {
    const microseconds late(i % 150 == 149 ? 300 : 60);
    EXPECT_GT(margin.margin(), late);
    margin.slept(late);
  }
}

}  // namespace
}  // namespace weft::worker
