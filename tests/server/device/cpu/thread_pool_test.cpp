// SPDX-License-Identifier: Apache-2.0
#include "server/device/cpu/thread_pool.h"

#include <atomic>
#include <functional>
#include <latch>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/thread_share.h"

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
  std::latch all_here(4);  // opens only when four threads wait at it
  pool.run(StreamPriority::kNormal, 4, [&](uint64_t) { all_here.arrive_and_wait(); });
}

TEST(ThreadPoolTest, ManyCallersShareIt) {
  for (const int threads : {1, 2, 3}) {
    ThreadPool pool(threads);
    std::atomic<int> parts_run = 0;
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 6; caller++) {
      callers.emplace_back([&, caller] {
        const auto priority = static_cast<StreamPriority>(caller % 3);
        for (int i = 0; i < 200; i++) {
          std::optional<ThreadPool::Claim> claim;
          if (i % 3 == caller % 2) claim.emplace(pool, priority);
          pool.run(priority, 1 + uint64_t(i % 5), [&](uint64_t) { parts_run++; });
        }
      });
    }
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(parts_run, 6 * 200 * 3);
  }
}

TEST(ThreadPoolTest, RunsNoMorePartsAtATimeThanItHasThreads) {
  constexpr int kThreads = 2;
  ThreadPool pool(kThreads);
  std::atomic<int> running = 0, most = 0;
  const auto part = [&](uint64_t) {
    const int now = ++running;
    for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) continue;
    for (int i = 0; i < 20; i++) std::this_thread::yield();
    running--;
  };
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 6; caller++) {
    callers.emplace_back([&, caller] {
      for (int i = 0; i < 50; i++) pool.run(static_cast<StreamPriority>(caller % 3), 4, part);
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_LE(most, kThreads);
}

// Only a launch of the highest priority competes with the threads of streams.
TEST(ThreadPoolTest, ThreadsOfOtherLaunchesAreNicer) {
  ThreadPool pool(4);
  const int base = ::getpriority(PRIO_PROCESS, id_t(::getpid()));
  for (const StreamPriority priority :
       {StreamPriority::kLow, StreamPriority::kNormal, StreamPriority::kHigh}) {
    const std::thread::id caller = std::this_thread::get_id();
    const int expected = base + (priority == StreamPriority::kHigh ? 0 : kNormalNice);
    std::latch all_here(4);  // opens only when four threads wait at it
    pool.run(priority, 4, [&](uint64_t) {
      all_here.arrive_and_wait();
      if (std::this_thread::get_id() == caller) return;
      EXPECT_EQ(::getpriority(PRIO_PROCESS, id_t(::gettid())), expected) << int(priority);
    });
  }
}

// Runs launches of kParts parts in a pool with one free thread. Each part begins, on a caller or a
// worker, after the previous one has ended.
class Launches {
 public:
  static constexpr uint64_t kParts = 3;
  using Part = std::pair<StreamPriority, uint64_t>;

  explicit Launches(int threads) : pool_(threads), all_held_(threads) {
    for (int i = 1; i < threads; i++) {
      holders_.emplace_back([this] {
        pool_.run(StreamPriority::kHigh, 1, [this](uint64_t) {
          all_held_.arrive_and_wait();
          over_.wait();
        });
      });
    }
    all_held_.arrive_and_wait();
  }
  ~Launches() {
    wait_all();
    over_.count_down();
    for (std::thread& holder : holders_) holder.join();
  }
  ThreadPool& pool() { return pool_; }
  // Runs a launch and calls `in_first` in its first part.
  void run(
      StreamPriority priority, const std::function<void()>& in_first = [] {}) {
    pool_.run(priority, kParts, [&](uint64_t part) {
      parts_.push_back({priority, part});
      if (part == 0) in_first();
    });
  }
  // Starts a launch on another thread. Returns when the launch waits in the pool, or when its first
  // part calls `in_first`.
  void start(
      StreamPriority priority, const std::function<void()>& in_first = [] {}) {
    const size_t before = pool_.waiting_launches();
    callers_.emplace_back([this, priority, in_first] { run(priority, in_first); });
    while (pool_.waiting_launches() == before) std::this_thread::yield();
  }
  // Returns the parts in the order of their starts.
  const std::vector<Part>& parts() {
    wait_all();
    return parts_;
  }
  static std::vector<Part> all_of(StreamPriority priority) {
    return {{priority, 0}, {priority, 1}, {priority, 2}};
  }

 private:
  void wait_all() {
    for (std::thread& caller : callers_) caller.join();
    callers_.clear();
  }

  ThreadPool pool_;
  std::latch all_held_, over_{1};
  std::vector<std::thread> holders_, callers_;
  std::vector<Part> parts_;  // needs no lock, as one part runs at a time
};

std::vector<Launches::Part> operator+(std::vector<Launches::Part> a, const std::vector<Launches::Part>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

constexpr StreamPriority kLow = StreamPriority::kLow, kNormal = StreamPriority::kNormal,
                         kHigh = StreamPriority::kHigh;
class ThreadPoolOrderTest : public testing::TestWithParam<int> {
 protected:
  Launches launches{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Threads, ThreadPoolOrderTest, testing::Values(1, 2, 4));

const std::vector<Launches::Part> kFirstOfLow = {{kLow, 0}}, kRestOfLow = {{kLow, 1}, {kLow, 2}};

TEST_P(ThreadPoolOrderTest, ALaunchStandsStillWhileAMoreUrgentOneRuns) {
  std::latch urgent_waits(1);
  launches.start(kLow, [&] { urgent_waits.wait(); });
  launches.start(kHigh);
  urgent_waits.count_down();
  EXPECT_EQ(launches.parts(), kFirstOfLow + Launches::all_of(kHigh) + kRestOfLow);
}

TEST_P(ThreadPoolOrderTest, ALaunchStandsStillWhileMoreUrgentOnesAreAboutToCome) {
  std::latch is_claimed(1);
  launches.start(kLow, [&] { is_claimed.wait(); });
  {
    const ThreadPool::Claim claim(launches.pool(), kNormal);
    is_claimed.count_down();
    for (const StreamPriority priority : {kNormal, kHigh, kNormal}) launches.run(priority);
  }
  EXPECT_EQ(launches.parts(), kFirstOfLow + Launches::all_of(kNormal) + Launches::all_of(kHigh) +
                                  Launches::all_of(kNormal) + kRestOfLow);
}

TEST_P(ThreadPoolOrderTest, OfThoseThatWaitTheMostUrgentGoesFirstAndThenTheOldest) {
  std::latch all_wait(1);
  launches.start(kHigh, [&] { all_wait.wait(); });
  for (const StreamPriority priority : {kLow, kNormal, kHigh, kLow}) launches.start(priority);
  all_wait.count_down();
  EXPECT_EQ(launches.parts(), Launches::all_of(kHigh) + Launches::all_of(kHigh) + Launches::all_of(kNormal) +
                                  Launches::all_of(kLow) + Launches::all_of(kLow));
}

}  // namespace
}  // namespace weft::device::cpu
