// SPDX-License-Identifier: Apache-2.0
#include "server/worker/video/lane_count.h"

#include <functional>

#include <gtest/gtest.h>

namespace weft::worker {
namespace {

// A job with a rate and a device load for each number of lanes.
struct Simulated {
  std::function<double(int lanes)> rate;
  std::function<double(int lanes)> load = [](int) { return 0.3; };
  int most = 8;
};

// Simulates the job and returns its final number of lanes.
int settled(const Simulated& job, double* time = nullptr) {
  LaneCount count(job.most);
  TimePoint now{};
  double frames = 0;
  Duration device{0};
  constexpr std::chrono::milliseconds kStep{100};
  int steps = 0;
  for (; !count.is_settled() && steps < 1000; steps++) {
    const int lanes = count.update({now, int64_t(frames), device, count.lanes()});
    now += kStep;
    frames += job.rate(lanes) * 0.1;
    device += std::chrono::duration_cast<Duration>(kStep * job.load(lanes));
  }
  EXPECT_TRUE(count.is_settled());
  if (time != nullptr) *time = steps * 0.1;
  return count.lanes();
}

TEST(LaneCountTest, GrowsAsLongAsTheRateDoes) {
  EXPECT_EQ(settled({.rate = [](int lanes) { return 300.0 * lanes; }}), 8);
  EXPECT_EQ(settled({.rate = [](int lanes) { return 300.0 * std::min(lanes, 4); }}), 4);
  EXPECT_EQ(settled({.rate = [](int lanes) { return 300.0 * std::min(lanes, 2); }}), 2);
  EXPECT_EQ(settled({.rate = [](int) { return 300.0; }}), 1);
  EXPECT_EQ(settled({.rate = [](int lanes) { return 300.0 / lanes; }}), 1);
  EXPECT_EQ(settled({.rate = [](int lanes) { return 300.0 * lanes; }, .most = 7}), 7);
}

TEST(LaneCountTest, ABusyDeviceGetsNoFurtherLane) {
  EXPECT_EQ(settled({.rate = [](int lanes) { return 300.0 * lanes; }, .load = [](int) { return 0.95; }}), 1);
  EXPECT_EQ(settled({.rate = [](int lanes) { return 300.0 * lanes; },
                     .load = [](int lanes) { return 0.3 * lanes; }}),
            4);
}

TEST(LaneCountTest, SettlesWithinSeconds) {
  double time = 0;
  settled({.rate = [](int lanes) { return 10.0 * lanes; }}, &time);
  EXPECT_LT(time, 15) << "at a low rate";
  settled({.rate = [](int lanes) { return 300.0 * lanes; }}, &time);
  EXPECT_LT(time, 5);
}

TEST(LaneCountTest, MeasuresOnceAllLanesDeliver) {
  LaneCount count(4);
  TimePoint now{};
  for (int i = 0; i < 100; i++) EXPECT_EQ(count.update({now += LaneCount::kMostTime, 0, Duration(0), 0}), 1);
  count.update({now, 0, Duration(0), 1});
  EXPECT_EQ(count.update({now + LaneCount::kMostTime, 100, Duration(0), 1}), 2);
}

TEST(LaneCountTest, ALimitForMemoryHolds) {
  LaneCount count(8);
  TimePoint now{};
  int64_t frames = 0;
  const auto measure = [&] {
    count.update({now, frames, Duration(0), count.lanes()});
    now += LaneCount::kMostTime;
    frames += 100 * count.lanes() * count.lanes();
    return count.update({now, frames, Duration(0), count.lanes()});
  };
  EXPECT_EQ(measure(), 2);
  EXPECT_EQ(measure(), 4);
  count.limit(3);
  EXPECT_EQ(count.lanes(), 3);
  for (int i = 0; !count.is_settled() && i < 10; i++) {
    EXPECT_LE(measure(), 3);
    count.limit(3);  // it is repeated as long as a lane lacks memory
  }
  EXPECT_TRUE(count.is_settled());
  EXPECT_EQ(count.lanes(), 3);
}

}  // namespace
}  // namespace weft::worker
