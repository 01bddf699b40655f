// SPDX-License-Identifier: Apache-2.0
#include "server/filters/bloom/fft_plan.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <set>

#include <gmock/gmock.h>

namespace weft::filters::bloom {
namespace {

bool is_smooth(int n) {
  for (const int prime : {2, 3, 5, 7})
    while (n % prime == 0) n /= prime;
  return n == 1;
}

TEST(FftPlanTest, EverySmoothLengthHasAPlanAndNoOther) {
  const std::set<int> all = {2, 3, 4, 5, 6, 7, 8, 9, 10, 16}, few = {2, 3, 4, 5, 7, 8, 9};
  const std::set<int> all_last = {2, 3, 4, 5, 6, 7, 8, 9}, few_last = {2, 3, 4, 5, 7};
  for (const RadixSet set : {RadixSet::kAll, RadixSet::kFew}) {
    for (int n = kShortestLine; n <= kLongestLine; n++) {
      if (!is_smooth(n) && n % 64 != 1) continue;
      const auto plan = plan_line(n, set);
      if (!is_smooth(n)) {
        EXPECT_THAT(plan, StatusIs(StatusCode::kInvalidArgument, "prime factor above 7")) << n;
        continue;
      }
      ASSERT_THAT(plan, IsOk()) << n;
      EXPECT_EQ(std::accumulate(plan->radices.begin(), plan->radices.end(), 1, std::multiplies()), n);
      EXPECT_GE(plan->radices.size(), 2u) << n;
      EXPECT_LE(plan->radices.size(), 8u) << n;
      EXPECT_TRUE((set == RadixSet::kAll ? all_last : few_last).contains(plan->radices.back())) << n;
      for (const int radix : plan->radices)
        EXPECT_TRUE((set == RadixSet::kAll ? all : few).contains(radix)) << n;
    }
  }
}

TEST(FftPlanTest, LengthsOutOfRangeAreRefused) {
  EXPECT_THAT(plan_line(15), StatusIs(StatusCode::kInvalidArgument, "15, from 16 to 16384"));
  EXPECT_THAT(plan_line(16385), StatusIs(StatusCode::kInvalidArgument, "out of range"));
  EXPECT_THAT(cheapest_length(16385), StatusIs(StatusCode::kInvalidArgument, "at most 16384"));
}

TEST(FftPlanTest, RadicesMayBeGiven) {
  EXPECT_EQ(plan_of({16, 16, 4})->points, 1024);
  EXPECT_THAT(plan_of({4, 9, 8})->radices, testing::ElementsAre(4, 9, 8));
  EXPECT_THAT(plan_of({64}), StatusIs(StatusCode::kInvalidArgument, "1, from 2 to 8"));
  EXPECT_THAT(plan_of({11, 4}), StatusIs(StatusCode::kInvalidArgument, "no pass of radix 11"));
  EXPECT_THAT(plan_of({16, 4}, RadixSet::kFew), StatusIs(StatusCode::kInvalidArgument, "radix 16"));
  EXPECT_THAT(plan_of({4, 16}), StatusIs(StatusCode::kInvalidArgument, "16 cannot be a transform's last"));
  EXPECT_THAT(plan_of({2, 4}), StatusIs(StatusCode::kInvalidArgument, "8, from 16 to 16384"));
  EXPECT_THAT(plan_of({16, 16, 16, 8}), StatusIs(StatusCode::kInvalidArgument, "32768"));
}

TEST(FftPlanTest, TheCheapestLengthIsLongEnoughAndNotMuchLonger) {
  for (int n = 1; n <= kLongestLine; n += 131) {
    const auto points = cheapest_length(n);
    ASSERT_THAT(points, IsOk()) << n;
    EXPECT_TRUE(is_smooth(*points)) << n;
    EXPECT_GE(*points, std::max(n, kShortestLine));
    EXPECT_LE(*points, std::max(kShortestLine, n + n / 4));
  }
  EXPECT_EQ(cheapest_length(1024).value(), 1024);
}

TEST(FftPlanTest, TheOrderHasEveryBlockOnce) {
  for (const int n : {16, 21, 720, 729, 1350, 2430, 4096}) {
    const std::vector<int> order = block_order(plan_line(n).value());
    const std::set<int> blocks(order.begin(), order.end());
    EXPECT_EQ(blocks.size(), order.size()) << n;
    EXPECT_EQ(*blocks.begin(), 0);
    EXPECT_EQ(*blocks.rbegin(), static_cast<int>(order.size()) - 1);
  }
}

TEST(FftPlanTest, TwiddlesAreRoundedOnceAndLieInTheOrderInWhichTheyAreRead) {
  const FftPlan plan{4080, {16, 5, 3, 17}};  // The last radix has no twiddles.
  const std::vector<float> table = twiddles(plan);
  size_t pair = 0;
  int length = plan.points;
  for (size_t pass = 0; pass < 3; pass++) {
    EXPECT_EQ(first_twiddle(plan, pass), pair);
    const int radix = plan.radices[pass];
    for (int q = 1; q < radix; q++)
      for (int t = 0; t < length / radix; t++, pair++) {
        const long double angle = -2 * std::numbers::pi_v<long double> * q * t / length;
        ASSERT_LT(2 * pair + 1, table.size());
        EXPECT_NEAR(table[2 * pair], static_cast<double>(std::cos(angle)), 6.1e-8);
        EXPECT_NEAR(table[2 * pair + 1], static_cast<double>(std::sin(angle)), 6.1e-8);
      }
    length /= radix;
  }
  EXPECT_EQ(table.size(), 2 * pair);
}

TEST(FftPlanTest, SkewsKeepPlacesApartAndLanesInDifferentBanks) {
  for (const int n : {512, 729, 1024, 1296, 2048, 4096}) {
    const FftPlan plan = plan_line(n).value();
    for (const int together : {2, 8, 16}) {
      const Skews skews = best_skews(plan, together, true);
      std::set<size_t> padded_points;
      for (int i = 0; i < n; i++) padded_points.insert(skews.padded_index(i));
      EXPECT_EQ(padded_points.size(), static_cast<size_t>(n));
      EXPECT_EQ(*padded_points.rbegin() + 1, skews.padded_points(n));
      EXPECT_LE(skews.padded_points(n), static_cast<size_t>(n + n * 3 / 4));
    }
  }
  // Powers of three have no bank conflicts without skews.
  EXPECT_EQ(best_skews({729, {9, 9, 9}}, 8, true).packed(), Skews{}.packed());
}

TEST(FftPlanTest, RadicesArePackedFirstPassLowest) {
  EXPECT_EQ((FftPlan{1024, {16, 16, 4}}).packed_radices(), 0x3ffu);
}

}  // namespace
}  // namespace weft::filters::bloom
