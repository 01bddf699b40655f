// SPDX-License-Identifier: Apache-2.0
#include "server/worker/stream/latency.h"

#include <gtest/gtest.h>

namespace weft::worker {
namespace {

using std::chrono::microseconds;

TEST(LatencyTest, QuantilesAreRightToOnePartInSixteen) {
  LatencyHistogram histogram;
  EXPECT_EQ(histogram.quantile(0.5), Duration(0));
  for (int i = 1; i <= 1000; i++) histogram.add(microseconds(i));
  const auto near = [&](double share, Duration wanted) {
    const double ratio = double(histogram.quantile(share).count()) / double(wanted.count());
    EXPECT_GE(ratio, 1.0);
    EXPECT_LE(ratio, 1.0 + 1.0 / 16);
  };
  near(0.5, microseconds(500));
  near(0.99, microseconds(990));
  EXPECT_EQ(histogram.quantile(1), microseconds(1000));
  EXPECT_EQ(histogram.max(), microseconds(1000));
  EXPECT_EQ(histogram.count(), 1000);
}

TEST(LatencyTest, TakesTheShortestAndTheLongest) {
  LatencyHistogram histogram;
  histogram.add(Duration(-5));
  histogram.add(Duration(0));
  histogram.add(Duration(7));
  EXPECT_EQ(histogram.quantile(0.5), Duration(0));
  EXPECT_EQ(histogram.quantile(1), Duration(7));
  histogram.add(Duration::max());
  EXPECT_EQ(histogram.quantile(1), Duration::max());
}

}  // namespace
}  // namespace weft::worker
