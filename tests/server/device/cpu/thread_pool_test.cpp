// SPDX-License-Identifier: Apache-2.0
#include "server/device/cpu/thread_pool.h"

#include <atomic>
#include <latch>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::device::cpu {
namespace {

TEST(ThreadPoolTest, EveryPartRunsOnceWhateverTheNumberOfThreads) {
  for (const int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (const uint64_t parts : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> runs(parts);
      pool.run(StreamPriority::kNormal, parts, [&](uint64_t part) { runs[part]++; });
      for (const std::atomic<int>& count : runs) ASSERT_EQ(count, 1);
    }
  }
}

TEST(ThreadPoolTest, PartsRunBesideEachOther) {
  ThreadPool pool(4);
  std::latch all_here(4);  // passes only when four threads wait in it
  pool.run(StreamPriority::kNormal, 4, [&](uint64_t) { all_here.arrive_and_wait(); });
}

TEST(ThreadPoolTest, ManyCallersShareIt) {
  ThreadPool pool(3);
  std::atomic<int> parts_run = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 6; caller++) {
    callers.emplace_back([&, caller] {
      for (int i = 0; i < 200; i++)
        pool.run(static_cast<StreamPriority>(caller % 3), 5, [&](uint64_t) { parts_run++; });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(parts_run, 6 * 200 * 5);
}

// One worker is kept busy until two launches wait for it; it then helps the urgent one first.
TEST(ThreadPoolTest, UrgentWorkGoesFirst) {
  ThreadPool pool(2);
  std::latch worker_is_busy(2), both_wait(4), both_helped(2), finished(1);
  std::mutex mutex;
  std::vector<StreamPriority> helped;  // in the order in which the worker took parts
  const auto launch = [&](StreamPriority priority) {
    const std::thread::id caller = std::this_thread::get_id();
    std::atomic<bool> first = true;
    pool.run(priority, 2, [&](uint64_t) {
      if (std::this_thread::get_id() != caller) {
        const std::lock_guard lock(mutex);
        helped.push_back(priority);
        both_helped.count_down();
      } else if (first.exchange(false)) {
        both_wait.count_down();
        finished.wait();  // the caller's own part ends last
      }
    });
  };
  std::thread busy([&] {
    pool.run(StreamPriority::kNormal, 2, [&](uint64_t) {
      worker_is_busy.arrive_and_wait();
      both_wait.arrive_and_wait();
    });
  });
  worker_is_busy.wait();
  std::thread low([&] { launch(StreamPriority::kLow); });
  std::thread high([&] { launch(StreamPriority::kHigh); });
  busy.join();
  both_helped.wait();
  finished.count_down();
  low.join();
  high.join();
  EXPECT_THAT(helped, testing::ElementsAre(StreamPriority::kHigh, StreamPriority::kLow));
}

}  // namespace
}  // namespace weft::device::cpu
