// SPDX-License-Identifier: Apache-2.0
// Tests a unit that is longer than any gap between a stream's frames. It runs if their deadlines
// permit it, and is reported as starving otherwise.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "server/schedule/stream_load.h"
#include "tests/server/schedule/simulated_device.h"

namespace weft::schedule {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr SourceId kOther = 200;

// Returns a device on which a stream has had frames of 5 ms every 10 ms for a second, and a job
// with a known cost.
SimulatedDevice beside_a_stream(Duration unit, Duration aging) {
  SimulatedDevice device(4);
  device.state().limits.aging = aging;
  EXPECT_TRUE(device.add_stream(stream_of(kStream, milliseconds(10), milliseconds(5))));
  device.run_for(seconds(1));
  const SimulatedJob job = job_of(kJob, unit, 4);
  for (int i = 0; i < 12; i++) device.state().costs[job.spec.cost_key].learn(1, unit);
  device.add_job(job);
  return device;
}

int64_t starvings(SimulatedDevice& device, SourceId source) {
  const auto decisions = device.state().decisions.after(0);
  return std::count_if(decisions.begin(), decisions.end(), [&](const Decision& decision) {
    return decision.reason == Reason::kStarves && decision.source == source;
  });
}

Duration longest_wait(const SimulatedDevice& device, SourceId source, TimePoint since) {
  Duration longest{0};
  for (const auto& batch : device.started()) {
    if (batch.source != source) continue;
    longest = std::max(longest, batch.time - since);
    since = batch.end;
  }
  return std::max(longest, device.now() - since);
}

TEST(LongUnit, RunsAfterTheAgingTimeWhereDeadlinesBearIt) {
  // A unit of 8 ms begins with a gap of 5 ms, so a frame waits for 3 ms of its slack of 5 ms.
  SimulatedDevice device = beside_a_stream(milliseconds(8), seconds(2));
  SimulatedJob other = job_of(kOther, microseconds(100), 64);
  other.spec.priority = 5;
  device.add_job(other);
  const TimePoint since = device.now();
  device.run_for(seconds(21));
  EXPECT_GE(device.done(kJob), 9);
  EXPECT_LE(longest_wait(device, kJob, since), seconds(2) + milliseconds(20));
  EXPECT_EQ(device.state().sources.at(kStream).misses, 0);
  EXPECT_EQ(starvings(device, kJob), 0);
  EXPECT_GE(device.used(kOther), seconds(8)) << "who waits for the aging time holds nobody up";
}

TEST(LongUnit, RunsSeldomBeforeThat) {
  constexpr int kSeconds = 41;
  SimulatedDevice device = beside_a_stream(milliseconds(8), seconds(3600));
  device.run_for(seconds(kSeconds));
  EXPECT_GE(device.done(kJob), 5);
  const auto& frames = device.frames(kStream);
  const auto delayed = std::count_if(frames.begin(), frames.end(), [](const auto& frame) {
    return frame.end - frame.arrival > milliseconds(6);
  });
  EXPECT_GE(delayed, device.done(kJob));
  EXPECT_LE(double(delayed), 0.005 * 100 * (kSeconds + 1));
  EXPECT_EQ(device.state().sources.at(kStream).misses, 0);
  const auto decisions = device.state().decisions.after(0);
  EXPECT_TRUE(std::any_of(decisions.begin(), decisions.end(),
                          [](const Decision& decision) { return decision.reason == Reason::kSeldom; }));
}

TEST(LongUnit, IsNamedWhereEveryPlaceMakesAFrameLate) {
  SimulatedDevice device = beside_a_stream(milliseconds(12), seconds(2));
  device.add_job(job_of(kOther, microseconds(100), 64));
  device.run_for(milliseconds(3900));
  EXPECT_FALSE(device.state().sources.at(kJob).starves);
  device.run_for(milliseconds(200));
  EXPECT_TRUE(device.state().sources.at(kJob).starves) << "after twice the aging time";
  EXPECT_EQ(starvings(device, kJob), 1);
  device.run_for(seconds(4));
  EXPECT_EQ(device.done(kJob), 0);
  EXPECT_EQ(device.state().sources.at(kStream).misses, 0);
  device.post(StopAsked{kStream});
  device.run_for(milliseconds(100));
  EXPECT_GE(device.done(kJob), 1) << "the stream is gone";
  EXPECT_FALSE(device.state().sources.at(kJob).starves);
}

TEST(LongUnit, RunsBetweenStreamsOfWhichOneIsAlwaysAboutToCome) {
  SimulatedDevice device(5);
  device.state().limits.aging = seconds(1);
  for (SourceId i = 1; i <= 5; i++) {
    SimulatedStream stream = stream_of(i, milliseconds(20), milliseconds(3));
    stream.spec.first_frame = TimePoint{} + milliseconds(20 + 4 * (i - 1));
    stream.jitter = microseconds(600);
    ASSERT_TRUE(device.add_stream(stream));
  }
  device.add_job(job_of(kJob, milliseconds(4), 8));
  device.run_for(seconds(20));
  EXPECT_LE(longest_wait(device, kJob, TimePoint{}), milliseconds(1300));
  for (SourceId i = 1; i <= 5; i++) EXPECT_EQ(device.state().sources.at(i).misses, 0) << i;
}

TEST(KeepsDeadlines, CountsTheFramesThatAreBehindTheFirst) {
  // Frames use 4 of 5 ms, and each may be 4 ms late.
  SimulatedDevice device(1);
  SimulatedStream stream = stream_of(kStream, milliseconds(5), milliseconds(4));
  stream.spec.first_frame = TimePoint{} + milliseconds(1);
  stream.spec.deadline = milliseconds(8);
  ASSERT_TRUE(device.add_stream(stream));
  EXPECT_TRUE(keeps_deadlines(device.state(), microseconds(4500), device.now()));
  EXPECT_FALSE(keeps_deadlines(device.state(), microseconds(5100), device.now()));
  SimulatedStream rare = stream_of(2, milliseconds(200), milliseconds(2));
  rare.spec.first_frame = TimePoint{} + microseconds(5500);
  ASSERT_TRUE(device.add_stream(rare));
  EXPECT_TRUE(keeps_deadlines(device.state(), microseconds(3500), device.now()));
  EXPECT_FALSE(keeps_deadlines(device.state(), microseconds(4500), device.now()))
      << "the second frame waits for the rare one too, and ends 0.5 ms late";
}

struct Case {
  std::vector<SimulatedStream> streams;
  SimulatedJob job;
};

Case random_case(std::mt19937& random) {
  const auto between = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  Case result;
  double load = 0;
  for (SourceId id = 1; id <= SourceId(between(1, 3)); id++) {
    const Duration period = milliseconds(between(5, 50));
    const double part = between(5, 40) / 100.0;
    if (load + part > 0.7) break;
    load += part;
    SimulatedStream stream = stream_of(id, period, Duration(int64_t(double(period.count()) * part)));
    stream.jitter = period / 100;
    stream.cost.noise = 0.01;
    result.streams.push_back(stream);
  }
  result.job = job_of(kJob, milliseconds(between(1, 40)), 4);
  return result;
}

// With streams of all kinds, a job progresses within the aging time or is reported as starving, and
// it delays no frame.
TEST(LongUnit, NeverStarvesUnnamedNorMakesAFrameLate) {
  constexpr Duration kAging = milliseconds(800);
  int named = 0, ran_long = 0;
  for (unsigned seed = 1; seed <= 120; seed++) {
    std::mt19937 random(seed);
    const Case c = random_case(random);
    SimulatedDevice device(seed);
    device.state().limits.aging = kAging;
    for (const SimulatedStream& stream : c.streams) device.add_stream(stream);
    for (int i = 0; i < 12; i++) device.state().costs[c.job.spec.cost_key].learn(1, c.job.cost.per_unit);
    device.run_for(seconds(1));
    const TimePoint since = device.now();
    device.add_job(c.job);
    device.run_for(seconds(4));
    named += device.state().sources.at(kJob).starves ? 1 : 0;
    if (!device.state().sources.at(kJob).starves) {
      ASSERT_LE(longest_wait(device, kJob, since), kAging * 5 / 4 + milliseconds(150)) << "seed " << seed;
      ran_long += device.done(kJob) < 10 ? 1 : 0;
    }
    for (const auto& [id, source] : device.state().sources)
      ASSERT_EQ(source.misses, 0) << "seed " << seed << ", stream " << id;
  }
  EXPECT_GE(named, 5) << "some cases are hopeless";
  EXPECT_GE(ran_long, 5) << "and some are served by aging alone";
}

// The frames of the stream take longer than at its admission.
TEST(LongUnit, IsNamedBesideAStreamThatTakesAllTheTime) {
  SimulatedDevice device(6);
  device.state().limits.aging = seconds(2);
  SimulatedStream stream = stream_of(kStream, milliseconds(10), milliseconds(5));
  stream.cost.per_unit = milliseconds(12);
  ASSERT_TRUE(device.add_stream(stream));
  device.run_for(seconds(1));
  device.add_job(job_of(kJob, microseconds(100), 4));
  device.run_for(milliseconds(4100));
  EXPECT_TRUE(device.state().sources.at(kJob).starves);
  EXPECT_EQ(starvings(device, kJob), 1);
}

// Eight frames arrive together. A frame of the other stream waits for only one of them.
TEST(CatchingUp, MakesNoLargeBatchesBesideAnotherStream) {
  for (const bool alone : {true, false}) {
    SimulatedDevice device(7);
    SimulatedStream late = stream_of(kStream, milliseconds(40), milliseconds(5));
    late.spec.max_units = 16;
    ASSERT_TRUE(device.add_stream(late));
    if (!alone) {
      ASSERT_TRUE(device.add_stream(stream_of(kOther, milliseconds(10), milliseconds(1))));
    }
    device.run_for(milliseconds(1));
    device.post(FrameArrived{kStream, 8});
    int most = 0;
    for (const Decision& decision : device.state().decisions.after(0))
      if (decision.source == kStream) most = std::max(most, decision.units);
    EXPECT_EQ(most, alone ? 8 : 1);
  }
}

}  // namespace
}  // namespace weft::schedule
