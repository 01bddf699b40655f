// SPDX-License-Identifier: Apache-2.0
#include "server/graph/portion.h"

#include <numeric>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::graph {
namespace {

using testing::Each;

TEST(Portion, AllTogetherDoEveryItemOfEveryStepOnceAndInOrder) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; round++) {
    // Steps with random shares of the work, one of them possibly zero, and the number of items of
    // each.
    std::vector<double> ends(1 + random() % 5);
    std::vector<int> items(ends.size());
    double sum = 0;
    for (double& end : ends) end = sum += double(random() % 5);
    if (sum == 0) continue;
    for (double& end : ends) end /= sum;
    for (int& count : items) count = int(random() % 40);
    const int portions = 1 + int(random() % 70);
    std::vector<int> done(ends.size()), begins(ends.size()), finishes(ends.size());
    size_t newest = 0;  // newest begun step; all steps before it are finished
    for (int i = 0; i < portions; i++) {
      double begin = 0;
      for (size_t step = 0; step < ends.size(); begin = ends[step++]) {
        const Portion mine = of_step(portion_of(i, portions), begin, ends[step]);
        const Items run = items_of(mine, items[step]);
        ASSERT_EQ(run.first, done[step]) << "step " << step << ", portion " << i << " of " << portions;
        ASSERT_GE(run.count, 0);
        done[step] += run.count;
        begins[step] += has_begin(mine);
        finishes[step] += has_end(mine);
        if (run.count == 0) continue;
        ASSERT_GE(step, newest);
        newest = step;
      }
    }
    EXPECT_EQ(done, items);
    EXPECT_THAT(begins, Each(1));
    EXPECT_THAT(finishes, Each(1));
  }
}

TEST(Portion, PortionsOfAStepAreAlikeInSize) {
  for (int i = 0; i < 8; i++) {
    const Items run = items_of(portion_of(i, 8), 1000);
    EXPECT_EQ(run.first, i * 125);
    EXPECT_EQ(run.count, 125);
  }
}

}  // namespace
}  // namespace weft::graph
