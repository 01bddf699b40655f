// SPDX-License-Identifier: Apache-2.0
#include "server/schedule/batch_cost.h"

#include <random>

#include <gtest/gtest.h>

namespace weft::schedule {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

double ms(Duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

TEST(BatchCost, NothingKnownMeansOneUnit) {
  const BatchCost cost;
  EXPECT_FALSE(cost.known());
  EXPECT_EQ(cost.predict(10), Duration(0));
  EXPECT_EQ(cost.largest_within(std::chrono::hours(1), 1000), 1);
}

TEST(BatchCost, FindsTheLineThroughWhatItSaw) {
  BatchCost cost;
  for (const int n : {1, 2, 4, 8}) cost.learn(n, microseconds(300 + 50 * n));
  EXPECT_NEAR(ms(cost.predict(0)), 0.3, 0.001);
  EXPECT_NEAR(ms(cost.predict(16)), 0.3 + 0.8, 0.001);
  EXPECT_EQ(cost.largest_within(microseconds(1'000), 1000), 14);  // 0.3 + 14 * 0.05
}

TEST(BatchCost, GrowsAtMostToTwiceWhatWasMeasured) {
  BatchCost cost;
  cost.learn(1, microseconds(1));
  EXPECT_EQ(cost.largest_within(milliseconds(20), 1000), 2);
  cost.learn(2, microseconds(2));
  EXPECT_EQ(cost.largest_within(milliseconds(20), 1000), 4);
  EXPECT_EQ(cost.largest_within(milliseconds(20), 3), 3);
}

TEST(BatchCost, OneSizeAloneGivesAProportion) {
  BatchCost cost;
  for (int i = 0; i < 5; i++) cost.learn(4, milliseconds(8));
  EXPECT_NEAR(ms(cost.predict(1)), 2, 0.01);
  EXPECT_NEAR(ms(cost.predict(8)), 16, 0.01);
}

TEST(BatchCost, AFallingLineIsACostPerBatch) {
  BatchCost cost;
  cost.learn(1, milliseconds(10));
  cost.learn(4, milliseconds(2));
  EXPECT_GT(cost.predict(4), Duration(0));
  EXPECT_GE(cost.predict(8), cost.predict(4));
}

TEST(BatchCost, ALineFromBelowZeroIsACostPerUnit) {
  BatchCost cost;
  cost.learn(10, milliseconds(1));
  cost.learn(20, milliseconds(10));
  EXPECT_GE(cost.predict(1), Duration(0));
  EXPECT_GT(cost.predict(20), cost.predict(10));
}

TEST(BatchCost, ForgetsASlowFirstBatchAndAClockThatChanged) {
  BatchCost cost;
  std::mt19937 random(7);
  const auto run = [&](int batches, int per_unit_us) {
    for (int i = 0; i < batches; i++) {
      const int n = 1 + int(random() % 8);
      cost.learn(n, microseconds(200 + per_unit_us * n));
    }
  };
  cost.learn(1, milliseconds(500));
  run(60, 1000);
  EXPECT_NEAR(ms(cost.predict(4)), 4.2, 0.1);
  run(60, 3000);
  EXPECT_NEAR(ms(cost.predict(4)), 12.2, 0.2);
}

TEST(BatchCost, LargestWithinNeverPromisesMoreThanFits) {
  std::mt19937 random(3);
  for (int round = 0; round < 2000; round++) {
    BatchCost cost;
    const int samples = 1 + int(random() % 10);
    for (int i = 0; i < samples; i++) cost.learn(1 + int(random() % 32), microseconds(random() % 30'000));
    const int limit = 1 + int(random() % 64);
    const Duration time = microseconds(random() % 50'000);
    const int n = cost.largest_within(time, limit);
    ASSERT_GE(n, 1);
    ASSERT_LE(n, limit);
    ASSERT_TRUE(n == 1 || cost.predict(n) <= time + microseconds(1));
  }
}

}  // namespace
}  // namespace weft::schedule
