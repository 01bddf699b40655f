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

constexpr double kFull = 1980;
constexpr TimePoint kNow{};

TEST(ClockGuard, HoldsBackWhileFramesLoseMoreThanTolerated) {
  ClockGuard guard;
  guard.tell({kFull, false}, 0.5, kNow);
  EXPECT_EQ(guard.held_back_for_long(kNow), 0);
  double before = 0;
  for (int i = 0; i < 30; i++) {
    guard.tell({0.97 * kFull, true}, 0.5, kNow);
    EXPECT_LE(guard.held_back_for_long(kNow) - before, ClockGuard::kLargestStep + 1e-9);
    EXPECT_GE(guard.held_back_for_long(kNow), before);
    before = guard.held_back_for_long(kNow);
  }
  EXPECT_DOUBLE_EQ(before, ClockGuard::kMost);
  for (int i = 0; i < 60; i++) guard.tell({kFull, true}, 0.5, kNow);
  EXPECT_EQ(guard.held_back_for_long(kNow), 0) << "at its limit, but as fast as ever";
}

TEST(ClockGuard, WhatIsLowForAnotherReasonIsLeftAlone) {
  ClockGuard guard;
  guard.tell({kFull, false}, 0.5, kNow);
  for (int i = 0; i < 30; i++) guard.tell({0.7 * kFull, false}, 0.5, kNow);
  EXPECT_EQ(guard.held_back_for_long(kNow), 0) << "set by somebody, or idle";
}

TEST(ClockGuard, ALowClockCountsByWhatFramesTake) {
  for (const auto& [load, holds] :
       {std::pair(0.5, true), {0.25, true}, {0.05, false}, {0.001, false}, {0.0, false}}) {
    ClockGuard guard;
    guard.tell({kFull, false}, load, kNow);
    for (int i = 0; i < 30; i++) guard.tell({0.97 * kFull, true}, load, kNow);
    EXPECT_EQ(guard.held_back_for_long(kNow) > 0, holds) << load;
  }
}

TEST(ClockGuard, TheFullClockIsWhatItWasWithoutALimitOrElseTheHighestThereIs) {
  const auto held_back = [](const std::vector<DeviceClock>& before, const DeviceClock& clock) {
    ClockGuard guard;
    for (const DeviceClock& each : before) guard.tell(each, 0.5, kNow);
    for (int i = 0; i < 30; i++) guard.tell(clock, 0.5, kNow);
    return guard.held_back_for_long(kNow);
  };
  EXPECT_EQ(held_back({}, {1905, true, 1980}), ClockGuard::kMost) << "limited from the start";
  EXPECT_EQ(held_back({{345, false, 1980}}, {1905, true, 1980}), ClockGuard::kMost) << "idle at first";
  EXPECT_EQ(held_back({{1905, false, 2100}}, {1905, true, 2100}), 0) << "it was never higher";
  EXPECT_EQ(held_back({{1905, false, 2100}, {1920, true, 2100}}, {1905, true, 2100}), 0) << "nor by much";
  EXPECT_EQ(held_back({}, {1905, true, 0}), 0) << "nobody knows";
}

TEST(ClockGuard, ReadingsThatAreNoneChangeNothing) {
  ClockGuard guard;
  for (const double megahertz : {0.0, -1.0, std::nan("")}) guard.tell({megahertz, true}, 0.5, kNow);
  EXPECT_EQ(guard.held_back_for_long(kNow), 0);
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
    seen = seen || decision.reason == Reason::kClockKept;
  EXPECT_TRUE(seen) << "what is left idle is a decision";
}

TEST(ClockGuard, WhatIsOldCountsForNothing) {
  ClockGuard guard;
  for (int i = 0; i < 30; i++) guard.tell({1905, true, kFull}, 0.5, kNow);
  EXPECT_GT(guard.held_back_for_long(kNow + ClockGuard::kOld), 0);
  EXPECT_EQ(guard.held_back_for_long(kNow + 2 * ClockGuard::kOld), 0);
  EXPECT_EQ(guard.held_back(kNow + 2 * ClockGuard::kOld), 0);
}

TEST(ClockGuard, AfterAPauseTheBackgroundComesBackSlowly) {
  ClockGuard guard;
  EXPECT_EQ(guard.held_back(kNow), 0) << "nobody tells of a clock";
  const auto run = [&](TimePoint from, Duration length) {
    double before = 1;
    for (Duration time{0}; time < length; time += milliseconds(10)) {
      guard.tell({kFull, false}, 0.5, from + time);
      guard.background_started(from + time);
      EXPECT_LE(guard.held_back(from + time), before);
      before = guard.held_back(from + time);
    }
    return before;
  };
  guard.tell({kFull, false}, 0.5, kNow);
  EXPECT_DOUBLE_EQ(guard.held_back(kNow), ClockGuard::kAtFirst);
  EXPECT_NEAR(run(kNow, ClockGuard::kRise / 2), ClockGuard::kAtFirst / 2, 0.01);
  EXPECT_LT(run(kNow + ClockGuard::kRise / 2, ClockGuard::kRise / 2), 0.01);
  const TimePoint short_after = kNow + ClockGuard::kRise + ClockGuard::kPause / 2;
  EXPECT_EQ(run(short_after, milliseconds(10)), 0) << "that was no pause";
  const TimePoint ended = short_after + 3 * ClockGuard::kPause;
  guard.background_ended(ended);
  EXPECT_EQ(run(ended + ClockGuard::kPause / 2, milliseconds(10)), 0) << "nor is a long batch";
  const TimePoint later = ended + 3 * ClockGuard::kPause;
  EXPECT_NEAR(run(later, ClockGuard::kRise / 2), ClockGuard::kAtFirst / 2, 0.01);
  guard.tell({kFull, false}, 0.015, later + 3 * ClockGuard::kPause);
  EXPECT_EQ(guard.held_back(later + 3 * ClockGuard::kPause), 0) << "frames that are so short lose nothing";
}

// A stream of frames that take half of 16.7 ms, and a job; told of a clock (or not) four times a second.
struct Told {
  Told(bool tells, const DeviceClock& clock) {
    EXPECT_TRUE(device.add_stream(stream_of(kStream, microseconds(16'667), microseconds(8'333))));
    if (tells) tell(clock);
    device.run_for(seconds(3));
  }
  void tell(const DeviceClock& clock) {
    device.post(clock);
    device.at(device.now() + milliseconds(250), [this, clock] { tell(clock); });
  }
  SimulatedDevice device{8};
};

TEST(ClockGuard, TheFirstGapsAfterAPauseAreUsedLess) {
  Told told(true, {kFull, false, kFull});
  SimulatedDevice& device = told.device;
  const auto used_in = [&](Duration time) {
    const Duration before = device.used(kJob);
    device.run_for(time);
    return double((device.used(kJob) - before).count()) / (0.5 * double(time.count()));
  };
  device.add_job(job_of(kJob, microseconds(20), 256));
  EXPECT_NEAR(used_in(milliseconds(100)), 0.7, 0.03);
  device.run_for(seconds(2));
  EXPECT_GT(used_in(seconds(1)), 0.97);
}

TEST(ClockGuard, WhatIsLeftIdleKeepsOutNoLongUnit) {
  for (const double part : {0.24, 0.33, 0.48, 0.75}) {
    std::vector<int64_t> done;
    for (const auto& [tells, limited] : {std::pair(false, false), {true, false}, {true, true}}) {
      Told told(tells, {0.97 * kFull, limited, kFull});
      told.device.add_job(job_of(kJob, Duration(int64_t(part * 8.3e6)), 16));
      told.device.run_for(seconds(20));
      done.push_back(told.device.done(kJob));
    }
    EXPECT_GT(done[0], 1000) << part;
    EXPECT_GE(double(done[1]), 0.98 * double(done[0])) << part;
    EXPECT_GE(double(done[2]), 0.98 * double(done[0])) << part;
  }
}

int count(SimulatedDevice& device, Reason reason) {
  const auto decisions = device.state().decisions.after(0);
  return int(std::ranges::count(decisions, reason, &Decision::reason));
}

TEST(ClockGuard, WithoutAClockThatIsToldNothingIsLeftIdleForIt) {
  SimulatedDevice device(9);
  for (const SourceId id : {kStream, kStream + 1}) {
    SimulatedStream stream = stream_of(id, milliseconds(id == kStream ? 17 : 20), milliseconds(4));
    stream.jitter = microseconds(500);
    ASSERT_TRUE(device.add_stream(stream));
  }
  device.add_job(job_of(kJob, microseconds(20), 256));
  device.run_for(seconds(20));
  EXPECT_EQ(count(device, Reason::kClockKept), 0);
  EXPECT_GT(count(device, Reason::kArrivalNear), 0);
}

TEST(ClockGuard, BesideASlowStreamAUnitThatNeverFitsIsTooLong) {
  SimulatedDevice device(9);
  ASSERT_TRUE(device.add_stream(stream_of(kStream, microseconds(16'667), milliseconds(6))));
  ASSERT_TRUE(device.add_stream(stream_of(kStream + 1, seconds(1), milliseconds(5))));
  for (int i = 0; i < 40; i++)
    device.at(TimePoint{} + i * milliseconds(250), [&] { device.post(DeviceClock{kFull, false, kFull}); });
  device.run_for(seconds(2));
  device.add_job(job_of(kJob, milliseconds(40), 16));
  device.run_for(seconds(8));
  EXPECT_GT(count(device, Reason::kTooLong), 10 * count(device, Reason::kClockKept));
}

TEST(ClockGuard, AStreamThatStopsDoesNotLengthenWhatIsLeftIdle) {
  const auto used = [](bool tells) {
    SimulatedDevice device(9);
    EXPECT_TRUE(device.add_stream(stream_of(kStream, seconds(1), milliseconds(100))));
    for (int i = 0; i < 200 && tells; i++)
      device.at(TimePoint{} + i * milliseconds(250), [&] { device.post(DeviceClock{kFull, false, kFull}); });
    device.run_for(milliseconds(20'500));
    device.stream(kStream).drop_chance = 1;
    device.run_for(seconds(4));
    SimulatedJob job = job_of(kJob, milliseconds(1), 64);
    job.spec.declared_cost = milliseconds(1);
    device.add_job(job);
    device.run_for(seconds(4));
    return device.used(kJob);
  };
  EXPECT_GT(used(false), milliseconds(2'500));
  EXPECT_GT(used(true), used(false) * 3 / 4) << "a rise of two seconds";
}

TEST(ClockGuard, BesideAStreamWithoutAClockNothingIsSaidToBeLeftIdle) {
  SimulatedDevice device(10);
  SimulatedStream stream = stream_of(kStream, microseconds(16'667), milliseconds(8));
  stream.poisson = true;
  ASSERT_TRUE(device.add_stream(stream));
  device.run_for(seconds(5));
  for (int i = 0; i < 30; i++) device.post(DeviceClock{0.97 * kFull, true, kFull});
  EXPECT_EQ(device.state().clock.held_back_for_long(device.now()), 0);
}

TEST(ClockGuard, WithNobodyToProtectNothingIsHeldBack) {
  SimulatedDevice device(7);
  device.add_job(job_of(kJob, microseconds(500), 64));
  device.post(DeviceClock{kFull, false});
  for (int i = 0; i < 30; i++) device.post(DeviceClock{0.9 * kFull, true});
  device.run_for(seconds(5));
  EXPECT_EQ(device.state().clock.held_back_for_long(device.now()), 0);
  EXPECT_GT(device.spare_used(), 0.99);
}

}  // namespace
}  // namespace weft::schedule
