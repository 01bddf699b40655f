// SPDX-License-Identifier: Apache-2.0
#include "server/worker/job/bounded_queue.h"

#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace weft::worker {
namespace {

TEST(BoundedQueue, GivesItemsInOrderAndNeverHoldsMoreThanItsCapacity) {
  BoundedQueue<int> queue(3);
  std::atomic<int> pushed{0};
  std::thread producer([&] {
    for (int i = 0; i < 1000; i++) {
      EXPECT_TRUE(queue.push(i));
      pushed++;
    }
    queue.close();
  });
  int popped = 0;
  while (const std::optional<int> item = queue.pop()) {
    EXPECT_EQ(*item, popped++);
    EXPECT_LE(pushed - popped, 3);
  }
  producer.join();
  EXPECT_EQ(popped, 1000);
}

TEST(BoundedQueue, ClosedGivesWhatItHoldsAndTakesNoMore) {
  BoundedQueue<int> queue(3);
  EXPECT_TRUE(queue.push(1));
  queue.close();
  EXPECT_FALSE(queue.push(2));
  EXPECT_EQ(queue.pop(), 1);
  EXPECT_EQ(queue.pop(), std::nullopt);
}

TEST(BoundedQueue, AbandonedWakesBothSidesAndDropsItems) {
  BoundedQueue<std::shared_ptr<int>> full(1), empty(1);
  const auto item = std::make_shared<int>(7);
  EXPECT_TRUE(full.push(item));
  std::thread producer([&] { EXPECT_FALSE(full.push(item)); });
  std::thread consumer([&] { EXPECT_EQ(empty.pop(), std::nullopt); });
  full.abandon();
  empty.abandon();
  producer.join();
  consumer.join();
  EXPECT_EQ(item.use_count(), 1);
}

}  // namespace
}  // namespace weft::worker
