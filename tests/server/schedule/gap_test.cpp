// SPDX-License-Identifier: Apache-2.0
// Tests background work next to streams and other programs: it delays none of them, and little of
// the spare time is lost.
#include <cmath>

#include <gtest/gtest.h>

#include "tests/server/schedule/simulated_device.h"

namespace weft::schedule {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Gap, LongFirstAndShorterTowardsItsEnd) {
  SimulatedDevice device(1);
  ASSERT_TRUE(device.add_stream(stream_of(kStream, kPeriod, milliseconds(9))));
  SimulatedJob job = job_of(kJob, microseconds(100), 64);
  job.cost.per_batch = microseconds(20);
  job.cost.noise = 0.02;
  device.add_job(job);
  device.run_for(seconds(20));
  EXPECT_GE(device.spare_used(), 0.93);
  EXPECT_LE(latency_percentile(device.frames(kStream), 99), milliseconds(9) + microseconds(100));
  EXPECT_LT(device.started().size(), 20u * 60 * 8) << "a gap of 7.6 ms is not cut into single units";
}

// The schedule itself loses the guard time, inexact arrivals, and the first launch of a gap.
TEST(Gap, IsUsedNearlyWhole) {
  SimulatedDevice device(1);
  SimulatedStream stream = stream_of(kStream, kPeriod, milliseconds_of(8.4));
  stream.cost.noise = 0.002;
  stream.jitter = microseconds(30);
  ASSERT_TRUE(device.add_stream(stream));
  SimulatedJob job = job_of(kJob, std::chrono::nanoseconds(5250), 256);
  job.cost.per_batch = microseconds(3);
  job.cost.noise = 0.004;
  device.add_job(job);
  device.launch = microseconds(30);
  device.run_for(seconds(20));
  EXPECT_GE(device.spare_used(), 0.975);
  EXPECT_LE(latency_percentile(device.frames(kStream), 99), milliseconds_of(8.5));
}

struct StreamCase {
  const char* name;
  double period_ms, cost_ms, jitter_ms, true_period_ratio, drop_chance;
};

class StreamKinds : public testing::TestWithParam<StreamCase> {};

TEST_P(StreamKinds, BackgroundKeepsOutOfTheWay) {
  const StreamCase& c = GetParam();
  SimulatedDevice device(3);
  SimulatedStream stream = stream_of(kStream, milliseconds_of(c.period_ms), milliseconds_of(c.cost_ms));
  stream.jitter = milliseconds_of(c.jitter_ms);
  stream.true_period_ratio = c.true_period_ratio;
  stream.drop_chance = c.drop_chance;
  stream.cost.noise = 0.02;
  ASSERT_TRUE(device.add_stream(stream));
  SimulatedJob job = job_of(kJob, microseconds(50), 400);
  job.cost.per_batch = microseconds(10);
  job.cost.noise = 0.02;
  device.add_job(job);
  device.run_for(seconds(60));
  int blocked = 0;
  const auto& frames = device.frames(kStream);
  for (const auto& frame : frames) blocked += frame.blocked ? 1 : 0;
  EXPECT_LE(blocked, double(frames.size()) * 0.03) << "of " << frames.size();
  EXPECT_LE(latency_percentile(frames, 99), milliseconds_of(c.cost_ms * 1.1 + 0.05 * c.period_ms));
  // The schedule waits for the jitter on both sides of a period, and for a short time for a frame
  // that does not arrive.
  const double lost = (3 * c.jitter_ms + 0.15) / (c.period_ms - c.cost_ms);
  EXPECT_GE(device.spare_used(), 0.97 - lost);
}

INSTANTIATE_TEST_SUITE_P(
    Streams, StreamKinds,
    testing::Values(StreamCase{"exact", 16.667, 9, 0, 1, 0}, StreamCase{"fast", 4.17, 2, 0, 1, 0},
                    StreamCase{"jitter", 16.667, 7, 0.5, 1, 0}, StreamCase{"ntsc", 16.667, 7, 0.05, 1.001, 0},
                    StreamCase{"drops", 16.667, 7, 0.1, 1, 0.02}, StreamCase{"slow", 100, 30, 2, 1, 0}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(Gap, AStreamWithoutAClockIsNoticedAndGetsShortSlicesUnderTheBudget) {
  SimulatedDevice device(4);
  SimulatedStream stream = stream_of(kStream, milliseconds(10), milliseconds(2));
  stream.poisson = true;
  ASSERT_TRUE(device.add_stream(stream));
  device.add_job(job_of(kJob, microseconds(100), 64));
  device.run_for(seconds(2));
  EXPECT_FALSE(device.state().sources.at(kStream).clock->is_periodic());
  const size_t learnt = device.started().size();
  device.run_for(seconds(20));
  for (size_t i = learnt; i < device.started().size(); i++)
    ASSERT_LE(device.started()[i].units, 5) << "5% of the period hold five units";
  for (const PeriodMeasure& period : device.state().period.history())
    ASSERT_LE(period.granted, period.budget + microseconds(500)) << "past the budget by more than a slice";
  EXPECT_GE(device.spare_used(), 0.5);
}

// Adds a stream with a frame of 1 ms work every 33.367 ms, up to `jitter` early or late, and runs
// the device for 3 s.
void add_loose_stream(SimulatedDevice& device, Duration jitter) {
  SimulatedStream stream = stream_of(kStream, milliseconds_of(33.367), milliseconds(1));
  stream.jitter = jitter;
  ASSERT_TRUE(device.add_stream(stream));
  device.run_for(seconds(3));
}

TEST(Gap, ALooseClockLeavesRoomForLongUnitsUntilAFrameMayCome) {
  for (const auto& [jitter_ms, least] : {std::pair(6.5, 0.35), {8.0, 0.35}, {10.0, 0.35}}) {
    SimulatedDevice device(6);
    add_loose_stream(device, milliseconds_of(jitter_ms));
    EXPECT_TRUE(device.state().sources.at(kStream).clock->is_loose()) << jitter_ms;
    device.add_job(job_of(kJob, milliseconds_of(12.9), 16));
    device.run_for(seconds(60));
    int blocked = 0;
    for (const auto& frame : device.frames(kStream)) blocked += frame.blocked ? 1 : 0;
    EXPECT_LE(blocked, double(device.frames(kStream).size()) * 0.01) << jitter_ms;
    EXPECT_LE(latency_percentile(device.frames(kStream), 99), milliseconds_of(1.05)) << jitter_ms;
    EXPECT_GE(device.spare_used(), least) << jitter_ms << " ms: a unit a frame is 0.39";
  }
}

TEST(Gap, BesideALooseClockShortBatchesRunWhileAFrameIsDue) {
  SimulatedDevice device(6);
  add_loose_stream(device, milliseconds(8));
  SimulatedJob job = job_of(kJob, microseconds(20), 4096);
  job.cost.per_batch = microseconds(10);
  device.add_job(job);
  device.run_for(seconds(60));
  EXPECT_GE(device.spare_used(), 0.9);
  EXPECT_LE(latency_percentile(device.frames(kStream), 99), milliseconds_of(1.2));
  int longest = 0;
  for (const auto& batch : device.started()) longest = std::max(longest, batch.units);
  EXPECT_GT(longest, 200) << "long ones where no frame comes";
}

TEST(Gap, WideJitterIsLooseAndRandomArrivalsAreNot) {
  const auto clock_of = [](SimulatedStream stream) {
    SimulatedDevice device(7);
    EXPECT_TRUE(device.add_stream(stream));
    device.run_for(seconds(20));
    return *device.state().sources.at(kStream).clock;
  };
  SimulatedStream stream = stream_of(kStream, milliseconds(20), milliseconds(1));
  EXPECT_TRUE(clock_of(stream).is_periodic());
  stream.jitter = milliseconds(1);
  EXPECT_TRUE(clock_of(stream).is_periodic());
  stream.jitter = milliseconds(5);
  EXPECT_TRUE(clock_of(stream).is_loose());
  stream.jitter = Duration(0);
  stream.poisson = true;
  EXPECT_FALSE(clock_of(stream).is_periodic() || clock_of(stream).is_loose());
}

TEST(Gap, AStreamThatJumpsIsLearntAnew) {
  ArrivalClock clock(milliseconds(20));
  TimePoint time{};
  for (int i = 0; i < 100; i++) clock.arrived(time += milliseconds(20));
  EXPECT_TRUE(clock.is_periodic());
  time += milliseconds(7);
  for (int i = 0; i < 30; i++) clock.arrived(time += milliseconds(20));
  EXPECT_TRUE(clock.is_periodic());
  const auto next = clock.expect(time + milliseconds(1));
  EXPECT_EQ(next.kind, ArrivalClock::Expectation::Kind::kAt);
  EXPECT_LT(std::abs(double((next.from - time - milliseconds(20)).count())), 1e6);
}

TEST(Gap, AFrameThatIsVeryLateIsNotTakenForTheNextOne) {
  ArrivalClock clock(milliseconds(20));
  TimePoint time{};
  for (int i = 0; i < 100; i++) clock.arrived(time += milliseconds(20));
  clock.arrived(time + milliseconds(32));
  EXPECT_TRUE(clock.expect(time + milliseconds(33)).missing)
      << "it may be the next one, 8 ms early, or this one, 12 ms late";
  for (int i = 2; i < 5; i++) {
    clock.arrived(time + i * milliseconds(20));
    const auto next = clock.expect(time + i * milliseconds(20) + milliseconds(1));
    EXPECT_FALSE(next.missing) << i;
    EXPECT_LE(next.from, time + (i + 1) * milliseconds(20)) << i;
    EXPECT_GE(next.until, time + (i + 1) * milliseconds(20)) << i;
  }
}

TEST(Gap, AStatedFrameClockIsBelievedAtOnce) {
  SimulatedDevice device(4);
  SimulatedStream stream = stream_of(kStream, milliseconds(20), milliseconds(5));
  stream.spec.first_frame = TimePoint{} + milliseconds(20);
  ASSERT_TRUE(device.add_stream(stream));
  EXPECT_TRUE(device.state().sources.at(kStream).clock->is_periodic());
  device.add_job(job_of(kJob, microseconds(500), 64));
  device.run_for(milliseconds(200));
  for (const auto& frame : device.frames(kStream)) EXPECT_FALSE(frame.blocked);
}

TEST(Gap, ASilentStreamDoesNotStopTheRest) {
  SimulatedDevice device(4);
  ASSERT_TRUE(device.add_stream(stream_of(kStream, milliseconds(20), milliseconds(5))));
  device.run_for(milliseconds(500));
  device.stream(kStream).drop_chance = 1;
  device.add_job(job_of(kJob, microseconds(500), 64));
  device.run_for(seconds(1));
  const Duration before = device.used(kJob);
  device.run_for(seconds(5));
  EXPECT_GE(device.used(kJob) - before, milliseconds(3750)) << "the budget's share of an idle device";
}

TEST(Gap, OnceTheStreamEndsTheQuantumIsBack) {
  SimulatedDevice device(4);
  ASSERT_TRUE(device.add_stream(stream_of(kStream, milliseconds(10), milliseconds(5))));
  device.add_job(job_of(kJob, microseconds(500), 64));
  device.run_for(seconds(1));
  device.post(StopAsked{kStream});
  device.run_for(milliseconds(100));
  EXPECT_TRUE(device.drained(kStream));
  device.run_for(seconds(1));
  EXPECT_EQ(device.started().back().units, 40) << "20 ms";
  EXPECT_EQ(device.state().in_flight.size(), 2u);
}

TEST(Gap, ASlowFirstUnitIsTriedAgainAfterTheAgingLimit) {
  SimulatedDevice device(4);
  device.state().limits.aging = seconds(2);
  ASSERT_TRUE(device.add_stream(stream_of(kStream, milliseconds(10), milliseconds(5))));
  SimulatedJob job = job_of(kJob, microseconds(500), 8);
  device.state().costs[job.spec.cost_key].learn(1, milliseconds(300));
  device.add_job(job);
  device.run_for(seconds(20));
  EXPECT_GE(device.spare_used(), 0.5) << "the slow one had loaded its kernels";
}

}  // namespace
}  // namespace weft::schedule
