// SPDX-License-Identifier: Apache-2.0
// Tests realistic jobs: the output of a finished batch is taken later, and a job reports further
// ready work after a start. Classes, priorities and weights are still observed.
#include <gtest/gtest.h>

#include "server/schedule/durations.h"
#include "tests/server/schedule/simulated_device.h"

namespace weft::schedule {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr SourceId kFirst = 1, kSecond = 2;
constexpr int kKept = ScheduleLimits().max_in_flight + 1;

// The time of a unit and the number of a job's ready units: single units (two exceed the reaction
// time), whole batches, and too few units for a batch.
struct Work {
  Duration unit;
  int at_once;
};
class Turns : public testing::TestWithParam<Work> {
 protected:
  // Returns a job with batches that are taken just before the next batch ends.
  SimulatedJob job(SourceId id, const std::string& owner) const {
    SimulatedJob job = job_of(id, GetParam().unit, 64);
    job.spec.owner = owner;
    job.cost.noise = 0.02;
    job.kept = kKept;
    job.units_at_once = GetParam().at_once;
    const auto units = std::clamp<int64_t>(ScheduleLimits().quantum / GetParam().unit, 1, GetParam().at_once);
    job.taken_after = 9 * units * GetParam().unit / 10;
    return job;
  }
  // Returns the first job's fraction of the device time of both jobs.
  static double part_of_first(SimulatedDevice& device) {
    device.state().limits.aging = seconds(3600);
    device.run_for(seconds(20));
    EXPECT_TRUE(device.violations().empty());
    const double first = seconds_of(device.used(kFirst)), second = seconds_of(device.used(kSecond));
    EXPECT_GT(first + second, 19.5) << "the device idles";
    return first / (first + second);
  }
};

TEST_P(Turns, FollowTheWeightsOfOwners) {
  for (const double weight : {1.0, 3.0, 10.0}) {
    SimulatedDevice device(1);
    SimulatedJob first = job(kFirst, "anna");
    first.spec.owner_weight = weight;
    device.add_job(first);
    device.add_job(job(kSecond, "bert"));
    EXPECT_NEAR(part_of_first(device), weight / (weight + 1), 0.02) << weight;
  }
}

TEST_P(Turns, FollowTheWeightsOfAnOwnersJobs) {
  SimulatedDevice device(2);
  SimulatedJob first = job(kFirst, "anna");
  first.spec.weight = 4;
  device.add_job(first);
  device.add_job(job(kSecond, "anna"));
  EXPECT_NEAR(part_of_first(device), 0.8, 0.02);
}

TEST_P(Turns, AreTheHigherPrioritysAlone) {
  SimulatedDevice device(3);
  device.add_job(job(kSecond, "bert"));
  SimulatedJob first = job(kFirst, "anna");
  first.spec.priority = 1;
  device.add_job(first);
  EXPECT_GT(part_of_first(device), 0.99);
}

TEST_P(Turns, AreNormalsAloneBesideSpare) {
  SimulatedDevice device(4);
  SimulatedJob second = job(kSecond, "bert");
  second.spec.work_class = SourceClass::kSpare;
  device.add_job(second);
  device.add_job(job(kFirst, "anna"));
  EXPECT_GT(part_of_first(device), 0.99);
}

INSTANTIATE_TEST_SUITE_P(Works, Turns,
                         testing::Values(Work{milliseconds(30), 16}, Work{milliseconds(8), 64},
                                         Work{microseconds(100), 64}, Work{microseconds(100), 7}),
                         [](const auto& test) {
                           return "Of" + std::to_string(test.param.unit / microseconds(1)) + "us" +
                                  std::to_string(test.param.at_once);
                         });

}  // namespace
}  // namespace weft::schedule
