// SPDX-License-Identifier: Apache-2.0
// Tests background work next to a stream with random arrivals. The gap is unknown, so slices are
// short.
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "server/schedule/durations.h"
#include "tests/server/schedule/simulated_device.h"

namespace weft::schedule {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kRun = seconds(15);
constexpr Duration kLaunch = microseconds(20);  // idle time between two slices

SimulatedDevice random_stream(unsigned seed, double load) {
  SimulatedDevice device(seed);
  device.launch = kLaunch;
  SimulatedStream stream = stream_of(kStream, kPeriod, part_of(kPeriod, load));
  stream.spec.max_units = 1;
  stream.poisson = true;
  stream.cost.noise = 0.02;
  EXPECT_TRUE(device.add_stream(stream));
  return device;
}

SimulatedJob noisy_job(Duration unit) {
  SimulatedJob job = job_of(kJob, unit, 256);
  job.cost.per_batch = microseconds(5);
  job.cost.noise = 0.05;
  job.cost.outlier_chance = 0.001;
  return job;
}

// Returns the background work done, in device time of large batches, relative to the time that
// frames leave.
double work_done(const SimulatedDevice& device, Duration unit) {
  return double(device.done(kJob) * unit.count()) /
         double((device.now() - TimePoint{} - device.realtime_busy()).count());
}

double inflation(const SimulatedDevice& device, const SimulatedDevice& alone, double percent) {
  return double(latency_percentile(device.frames(kStream), percent).count()) /
         double(latency_percentile(alone.frames(kStream), percent).count());
}

struct Load {
  double load, least_used;
};

class RandomArrivals : public testing::TestWithParam<Load> {};

TEST_P(RandomArrivals, HardlyNoticeWhatTheirSpareTimeIsUsedFor) {
  constexpr Duration kUnit = microseconds(15);
  for (unsigned seed = 1; seed <= 2; seed++) {
    SimulatedDevice alone = random_stream(seed, GetParam().load);
    alone.run_for(kRun);
    SimulatedDevice device = random_stream(seed, GetParam().load);
    device.add_job(noisy_job(kUnit));
    device.run_for(kRun);
    EXPECT_FALSE(device.state().sources.at(kStream).clock->is_periodic());
    EXPECT_LE(inflation(device, alone, 50), 1.03) << "seed " << seed;
    EXPECT_LE(inflation(device, alone, 99), 1.03) << "seed " << seed;
    EXPECT_GE(work_done(device, kUnit), GetParam().least_used) << "seed " << seed;
  }
}

// The lowest bound is at half load; the measured values are slightly higher. Short frames have
// short slices, with a larger part of the time in launches.
INSTANTIATE_TEST_SUITE_P(Loads, RandomArrivals,
                         testing::Values(Load{0.2, 0.75}, Load{0.5, 0.87}, Load{0.8, 0.87}),
                         [](const auto& row) { return "Load" + std::to_string(int(row.param.load * 100)); });

TEST(Budget, IsExceededByOneSliceAtMost) {
  for (const double share : {0.3, 0.6, 0.95}) {
    SimulatedDevice device(7);
    device.state().limits.spare_share = share;
    SimulatedStream stream = stream_of(kStream, kPeriod, part_of(kPeriod, 0.5));
    stream.poisson = true;
    ASSERT_TRUE(device.add_stream(stream));
    device.add_job(noisy_job(microseconds(15)));
    device.run_for(seconds(2));  // the schedule looks for a period, which the stream does not have
    const Duration slice = part_of(kPeriod, 0.015);
    device.run_for(seconds(15));
    Duration earned = PeriodMeter::kCarried * kPeriod, granted{0};
    for (const PeriodMeasure& period : device.state().period.history()) {
      if (period.start < TimePoint{} + seconds(2)) continue;
      ASSERT_LE(period.granted, std::max(period.budget, Duration(0)) + slice);
      granted += period.granted;
      ASSERT_LE(granted, earned + slice) << "of the spare time of all periods until then";
      earned += part_of(period.spare, share);
    }
    EXPECT_GE(double(granted.count()), 0.9 * double((earned - PeriodMeter::kCarried * kPeriod).count()))
        << "and it is spent: share " << share;
  }
}

// A unit that is longer than a slice runs rarely, so that the average delay of frames equals that
// by slices.
TEST(Budget, ALongUnitHasItsPrice) {
  SimulatedDevice alone = random_stream(3, 0.5), device = random_stream(3, 0.5);
  alone.run_for(kRun);
  SimulatedJob job = noisy_job(microseconds(600));
  job.cost.outlier_chance = 0;
  device.add_job(job);
  device.run_for(kRun);
  EXPECT_LE(inflation(device, alone, 50), 1.03);
  EXPECT_LE(inflation(device, alone, 99), 1.03);
  EXPECT_GE(work_done(device, microseconds(600)), 0.3) << "250 us, at 0.95 of the spare time";
  EXPECT_LE(work_done(device, microseconds(600)), 0.45);
}

// A unit that is far longer than a slice runs so rarely that few frames are delayed.
TEST(Budget, AnOverlongUnitRunsSeldom) {
  SimulatedDevice alone = random_stream(3, 0.5), device = random_stream(3, 0.5);
  alone.run_for(2 * kRun);
  SimulatedJob job = noisy_job(milliseconds(3));
  job.cost.outlier_chance = 0;
  device.add_job(job);
  device.run_for(2 * kRun);
  EXPECT_LE(inflation(device, alone, 50), 1.03);
  EXPECT_LE(inflation(device, alone, 99), 1.03);
  EXPECT_GE(device.done(kJob), 20) << "6 ms until all is as before, at most 0.5% of the time";
  EXPECT_LE(device.done(kJob), 26);
}

}  // namespace
}  // namespace weft::schedule
