// SPDX-License-Identifier: Apache-2.0
// A part of the spare time is left idle where the board lowers its clock and frames take longer by that.
#include "server/schedule/clock_guard.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "tests/server/schedule/simulated_device.h"

namespace weft::schedule {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr SourceId kStream = 1, kJob = 100;
constexpr double kFull = 1980;

TEST(ClockGuard, HoldsBackWhileFramesLoseMoreThanTolerated) {
  ClockGuard guard;
  guard.tell({kFull, false}, 0.5);
  EXPECT_EQ(guard.held_back_for_long(), 0);
  double before = 0;
  for (int i = 0; i < 30; i++) {
    guard.tell({0.97 * kFull, true}, 0.5);
    EXPECT_LE(guard.held_back_for_long() - before, ClockGuard::kLargestStep + 1e-9);
    EXPECT_GE(guard.held_back_for_long(), before);
    before = guard.held_back_for_long();
  }
  EXPECT_DOUBLE_EQ(before, ClockGuard::kMost);
  for (int i = 0; i < 60; i++) guard.tell({kFull, true}, 0.5);
  EXPECT_EQ(guard.held_back_for_long(), 0) << "at its limit, but as fast as ever";
}

TEST(ClockGuard, WhatIsLowForAnotherReasonIsLeftAlone) {
  ClockGuard guard;
  guard.tell({kFull, false}, 0.5);
  for (int i = 0; i < 30; i++) guard.tell({0.7 * kFull, false}, 0.5);
  EXPECT_EQ(guard.held_back_for_long(), 0) << "set by somebody, or idle";
}

TEST(ClockGuard, ALowClockCountsByWhatFramesTake) {
  for (const auto& [load, holds] :
       {std::pair(0.5, true), {0.25, true}, {0.05, false}, {0.001, false}, {0.0, false}}) {
    ClockGuard guard;
    guard.tell({kFull, false}, load);
    for (int i = 0; i < 30; i++) guard.tell({0.97 * kFull, true}, load);
    EXPECT_EQ(guard.held_back_for_long() > 0, holds) << load;
  }
}

TEST(ClockGuard, TheFullClockIsWhatItWasWithoutALimitOrElseTheHighestThereIs) {
  const auto held_back = [](const std::vector<DeviceClock>& before, const DeviceClock& clock) {
    ClockGuard guard;
    for (const DeviceClock& each : before) guard.tell(each, 0.5);
    for (int i = 0; i < 30; i++) guard.tell(clock, 0.5);
    return guard.held_back_for_long();
  };
  EXPECT_EQ(held_back({}, {1905, true, 1980}), ClockGuard::kMost) << "limited from the start";
  EXPECT_EQ(held_back({{345, false, 1980}}, {1905, true, 1980}), ClockGuard::kMost) << "idle at first";
  EXPECT_EQ(held_back({{1905, false, 2100}}, {1905, true, 2100}), 0) << "it was never higher";
  EXPECT_EQ(held_back({}, {1905, true, 0}), 0) << "nobody knows";
}

TEST(ClockGuard, ReadingsThatAreNoneChangeNothing) {
  ClockGuard guard;
  for (const double megahertz : {0.0, -1.0, std::nan("")}) guard.tell({megahertz, true}, 0.5);
  EXPECT_EQ(guard.held_back_for_long(), 0);
}

// A board that draws kIdle + kBusy * (busy part) * (clock)^2 watts, and lowers its clock so far that it keeps to kLimit.
struct Board {
  static constexpr double kIdle = 120, kBusy = 600, kLimit = 700;
  static constexpr Duration kInterval = milliseconds(250);
  SimulatedDevice device{5};
  bool tells = true;
  double clock = 1;
  Duration busy_before{0};

  Board() {
    next();
    device.at(TimePoint{} + seconds(40), [this] {
      frames_before = device.frames(kStream).size();
      used_before = device.used(kJob);
    });
  }
  void next() {
    device.at(device.now() + kInterval, [this] {
      const Duration busy = device.realtime_busy() + device.used(kJob);
      const double part =
          std::clamp(double((busy - busy_before).count()) / double(kInterval.count()), 0.0, 1.0);
      busy_before = busy;
      clock = std::min(1.0, std::sqrt((kLimit - kIdle) / (kBusy * part)));
      device.slower = 1 / clock;
      if (tells) device.post(DeviceClock{kFull * clock, clock < 1, kFull});
      next();
    });
  }
  // The 99th percentile of the later frames.
  Duration p99() const {
    const auto& frames = device.frames(kStream);
    return latency_percentile({frames.begin() + ptrdiff_t(frames_before), frames.end()}, 99);
  }
  // Of the spare time at full clock, by what the work would take then.
  double used() const {
    return double((device.used(kJob) - used_before).count()) * clock /
           (0.5 * double(Duration(seconds(60)).count()));
  }
  size_t frames_before = 0;
  Duration used_before{0};
};

void run(Board& board) {
  SimulatedStream stream = stream_of(kStream, microseconds(16'667), microseconds(8'333));
  ASSERT_TRUE(board.device.add_stream(stream));
  SimulatedJob job = job_of(kJob, microseconds(20), 256);
  job.cost.per_batch = microseconds(5);
  board.device.add_job(job);
  board.device.run_for(seconds(100));
}

TEST(ClockGuard, FramesKeepTheirTimeOnABoardAtItsPowerLimit) {
  Board told, untold;
  untold.tells = false;
  run(told);
  run(untold);
  EXPECT_GT(untold.p99(), microseconds(8'333) * 1.015) << "else the test says nothing";
  EXPECT_LT(told.p99(), microseconds(8'333) * 1.012);
  EXPECT_GT(told.used(), 0.945) << "the board's power allows 0.949 at the clock that is kept to";
  EXPECT_GT(untold.used(), told.used());
  bool seen = false;
  for (const Decision& decision : told.device.state().decisions.after(0))
    seen = seen || decision.reason == Reason::kClockLow;
  EXPECT_TRUE(seen) << "what is left idle is a decision";
}

TEST(ClockGuard, AfterAPauseTheBackgroundComesBackSlowly) {
  ClockGuard guard;
  const TimePoint begin{};
  EXPECT_EQ(guard.held_back(begin), 0) << "nobody tells of a clock";
  guard.tell({kFull, false}, 0.5);
  EXPECT_DOUBLE_EQ(guard.held_back(begin), ClockGuard::kAtFirst);
  const auto run = [&](TimePoint from, Duration length) {
    double before = 1;
    for (Duration time{0}; time < length; time += milliseconds(10)) {
      guard.background_started(from + time);
      EXPECT_LE(guard.held_back(from + time), before);
      before = guard.held_back(from + time);
    }
    return before;
  };
  EXPECT_NEAR(run(begin, ClockGuard::kRise / 2), ClockGuard::kAtFirst / 2, 0.01);
  EXPECT_LT(run(begin + ClockGuard::kRise / 2, ClockGuard::kRise / 2), 0.01);
  const TimePoint short_after = begin + ClockGuard::kRise + ClockGuard::kPause / 2;
  EXPECT_EQ(run(short_after, milliseconds(10)), 0) << "that was no pause";
  const TimePoint later = short_after + 2 * ClockGuard::kPause;
  EXPECT_DOUBLE_EQ(guard.held_back(later), ClockGuard::kAtFirst);
  EXPECT_NEAR(run(later, ClockGuard::kRise / 2), ClockGuard::kAtFirst / 2, 0.01);
}

TEST(ClockGuard, WithNobodyToProtectNothingIsHeldBack) {
  SimulatedDevice device(7);
  device.add_job(job_of(kJob, microseconds(500), 64));
  device.post(DeviceClock{kFull, false});
  for (int i = 0; i < 30; i++) device.post(DeviceClock{0.9 * kFull, true});
  device.run_for(seconds(5));
  EXPECT_EQ(device.state().clock.held_back_for_long(), 0);
  EXPECT_GT(device.spare_used(), 0.99);
}

}  // namespace
}  // namespace weft::schedule
