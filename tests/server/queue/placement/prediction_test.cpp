// SPDX-License-Identifier: Apache-2.0
// Tests that a job runs where it is predicted to end first: placement with costs that are known,
// estimated and wrong.
#include <gmock/gmock.h>

#include "server/queue/placement/placement.h"
#include "tests/server/queue/queue_fixture.h"

namespace weft::queue {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr int kUnitBytes = 518'400;  // 720x480 4:2:0

v1::Job job_of(const std::string& id, int64_t frames, const std::string& device = "",
               const std::string& key = "bwdif") {
  v1::Job job;
  job.set_id(id);
  *job.mutable_settings() = make_submission(id, 0, device).settings;
  job.mutable_estimate()->set_units_in(frames);
  job.mutable_estimate()->set_cost_key(key);
  job.mutable_estimate()->set_pace_key(key + " x264");
  job.mutable_estimate()->mutable_unit_work()->set_bytes(kUnitBytes);
  return job;
}

// A worker's report: a unit's cost, and the share of the device used by streams and external load.
v1::ScheduleSample report(double unit_seconds, double load = 0, const std::string& key = "bwdif") {
  v1::ScheduleSample sample;
  sample.set_predicted_load(load);
  if (unit_seconds == 0) return sample;
  v1::LearntCost& cost = *sample.add_costs();
  cost.set_key(key);
  cost.mutable_unit()->set_nanos(int32_t(unit_seconds * 1e9));
  return sample;
}

v1::DeviceRates rates_of(double bytes_per_second) {
  v1::DeviceRates rates;
  rates.set_bytes_per_second(bytes_per_second);
  rates.set_operations_per_second(bytes_per_second);
  return rates;
}

v1::Job at_work(v1::Job job, int64_t units_done, double units_per_second) {
  job.mutable_progress()->set_units_done(units_done);
  job.mutable_progress()->set_units_total(job.estimate().units_in());
  job.mutable_progress()->set_units_per_second(units_per_second);
  job.mutable_progress()->set_stage("processing");
  return job;
}

class PredictionTest : public testing::Test {
 protected:
  void add(const std::string& id, v1::DeviceKind kind, double unit_seconds, double load = 0) {
    placement_.set_device(make_device(id, kind), true, "");
    placement_.learn(id, report(unit_seconds, load), now_);
  }
  void wait(const v1::Job& job) {
    jobs_[job.id()] = job;
    placement_.set_waiting(job, {});
  }
  void run(const std::string& device, const v1::Job& job) {
    jobs_[job.id()] = job;
    placement_.progressed(device, job, now_);
  }
  std::vector<std::string> start_all() {
    std::vector<std::string> started;
    while (const std::optional<Assignment> next = placement_.next(now_)) {
      placement_.remove_waiting(next->job_id);
      placement_.occupy(next->choice.device, jobs_.at(next->job_id), now_);
      started.push_back(next->job_id + "@" + next->choice.device);
    }
    return started;
  }
  // Returns a text such as "cpu 12.0+3.0+9.0" for each device, with a star before the chosen one.
  std::vector<std::string> plan(const std::string& id) {
    const std::optional<PlacementChoice> choice = placement_.plan_of(id, now_);
    std::vector<std::string> texts;
    if (!choice) return texts;
    for (const Prediction& p : choice->predictions)
      texts.push_back(p.is_known
                          ? fmt::format("{}{} {:.1f}+{:.1f}+{:.1f}", p.device == choice->device ? "*" : "",
                                        p.device, p.running, p.ahead, p.own)
                          : p.device + " unknown");
    return texts;
  }

  TimePoint now_{};
  Placement placement_{1};
  std::map<std::string, v1::Job> jobs_;
};

TEST_F(PredictionTest, AJobTakesTheDeviceWhereItIsDoneFirstNotTheOneOfTheBetterKind) {
  add("cuda:0", v1::DEVICE_KIND_CUDA, 0.010);
  add("vulkan:1", v1::DEVICE_KIND_VULKAN, 0.002);
  wait(job_of("1", 1000));
  EXPECT_THAT(plan("1"), ElementsAre("cuda:0 0.0+0.0+10.0", "*vulkan:1 0.0+0.0+2.0"));
  EXPECT_THAT(start_all(), ElementsAre("1@vulkan:1"));
}

TEST_F(PredictionTest, AJobWaitsForAFastDeviceRatherThanTakeASlowOne) {
  add("cpu", v1::DEVICE_KIND_CPU, 0.1);
  add("cuda:0", v1::DEVICE_KIND_CUDA, 0.001);
  run("cuda:0", at_work(job_of("0", 10'000), 5'000, 1000));
  wait(job_of("1", 1000));
  EXPECT_THAT(start_all(), ElementsAre());
  EXPECT_THAT(plan("1"), ElementsAre("cpu 0.0+0.0+100.0", "*cuda:0 5.0+0.0+1.0"));
  EXPECT_EQ(placement_.waiting_reason("1", now_),
            "Waits for cuda:0, where it will be done first: in about 6.0 s, on cpu in 1 min 40 s; this job "
            "is next.");
  placement_.release("cuda:0", "0", now_);
  EXPECT_THAT(start_all(), ElementsAre("1@cuda:0"));
}

TEST_F(PredictionTest, AQueueSpreadsOverFastAndSlow) {
  add("cpu", v1::DEVICE_KIND_CPU, 0.010);
  add("cuda:0", v1::DEVICE_KIND_CUDA, 0.001);
  for (int i = 0; i < 30; i++) wait(job_of(fmt::format("{:02}", i), 1000));
  // The tenth job would end after 10 s on either device. With equal times the free device is
  // chosen.
  EXPECT_THAT(start_all(), ElementsAre("00@cuda:0", "09@cpu"));
}

TEST_F(PredictionTest, ThreeDevicesShareAQueueBySpeed) {
  add("cpu", v1::DEVICE_KIND_CPU, 0.008);
  add("cuda:0", v1::DEVICE_KIND_CUDA, 0.001);
  add("vulkan:1", v1::DEVICE_KIND_VULKAN, 0.003);
  for (int i = 0; i < 20; i++) wait(job_of(fmt::format("{:02}", i), 1000));
  EXPECT_THAT(start_all(), ElementsAre("00@cuda:0", "02@vulkan:1", "09@cpu"));
}

TEST_F(PredictionTest, StreamsOnADeviceMakeItSlower) {
  add("cuda:0", v1::DEVICE_KIND_CUDA, 0.002, 0.75);  // 8 ms a unit with a quarter of the device
  add("cuda:1", v1::DEVICE_KIND_CUDA, 0.005);
  wait(job_of("1", 1000));
  EXPECT_THAT(plan("1"), ElementsAre("cuda:0 0.0+0.0+8.0", "*cuda:1 0.0+0.0+5.0"));
  EXPECT_THAT(
      describe(placement_.plan_of("1", now_)->predictions.at(0), "frame"),
      HasSubstr("2 ms of the device each (learnt there), of which streams and other programs leave 25%"));
  placement_.learn("cuda:0", report(0, 0), now_);  // The streams have ended.
  EXPECT_THAT(start_all(), ElementsAre("1@cuda:0"));
}

TEST_F(PredictionTest, ADeviceThatSlowsDownIsWaitedForNoLonger) {
  add("cuda:0", v1::DEVICE_KIND_CUDA, 0.001);
  add("vulkan:1", v1::DEVICE_KIND_VULKAN, 0.010);
  run("cuda:0", at_work(job_of("0", 10'000), 5'000, 1000));
  wait(job_of("1", 1000));
  EXPECT_THAT(start_all(), ElementsAre());
  placement_.learn("cuda:0", report(0.02), now_);
  run("cuda:0", at_work(jobs_["0"], 5'500, 50));  // 90 s remain
  EXPECT_THAT(start_all(), ElementsAre("1@vulkan:1"));
}

TEST_F(PredictionTest, TheBestThatWasLearntIsBelievedAgainAfterAWhile) {
  add("cuda:0", v1::DEVICE_KIND_CUDA, 0.001);
  add("cuda:1", v1::DEVICE_KIND_CUDA, 0.002);
  placement_.learn("cuda:0", report(0.02), now_);  // A game runs.
  wait(job_of("1", 1000));
  EXPECT_THAT(plan("1"), ElementsAre("cuda:0 0.0+0.0+20.0", "*cuda:1 0.0+0.0+2.0"));
  now_ += DeviceSpeeds::kBelieved + seconds(1);
  EXPECT_THAT(plan("1"), ElementsAre("*cuda:0 0.0+0.0+1.0", "cuda:1 0.0+0.0+2.0"));
}

TEST_F(PredictionTest, AnUnknownCostIsGuessedFromAnotherDeviceByWhatBothKnow) {
  add("cuda:0", v1::DEVICE_KIND_CUDA, 0.001);
  add("cuda:1", v1::DEVICE_KIND_CUDA, 0);
  placement_.learn("cuda:0", report(0.004, 0, "yadif"), now_);
  placement_.learn("cuda:1", report(0.012, 0, "yadif"), now_);  // three times slower
  wait(job_of("1", 1000));
  EXPECT_THAT(plan("1"), ElementsAre("*cuda:0 0.0+0.0+1.0", "cuda:1 0.0+0.0+3.0"));
  EXPECT_THAT(describe(placement_.plan_of("1", now_)->predictions.at(1), "frame"),
              HasSubstr("guessed from cuda:0"));
}

TEST_F(PredictionTest, WithNothingLearntTheMeasuredRatesOrderTheDevices) {
  for (const auto& [id, speed] : {std::pair("cuda:0", 2e10), std::pair("cuda:1", 5e11)}) {
    v1::DeviceStatus device = make_device(id, v1::DEVICE_KIND_CUDA);
    *device.mutable_rates() = rates_of(speed);
    placement_.set_device(device, true, "");
  }
  wait(job_of("1", 100'000));
  EXPECT_THAT(start_all(), ElementsAre("1@cuda:1"));
}

TEST_F(PredictionTest, ADeviceThatHasLearntNothingIsTriedWhenItsGuessSaysSo) {
  v1::DeviceStatus cpu = make_device("cpu"), cuda = make_device("cuda:0", v1::DEVICE_KIND_CUDA);
  *cpu.mutable_rates() = rates_of(5e8);
  *cuda.mutable_rates() = rates_of(1e10);  // twenty times faster
  placement_.set_device(cpu, true, "");
  placement_.set_device(cuda, true, "");
  placement_.learn("cuda:0", report(0.001), now_);
  for (int i = 0; i < 30; i++) wait(job_of(fmt::format("{:02}", i), 1000));
  EXPECT_THAT(start_all(), ElementsAre("00@cuda:0", "19@cpu"));
}

TEST_F(PredictionTest, AJobThatRunsIsPredictedByItsOwnPace) {
  add("cuda:0", v1::DEVICE_KIND_CUDA, 0.001);
  add("cuda:1", v1::DEVICE_KIND_CUDA, 0.002);
  wait(job_of("1", 10'000));
  PlacementChoice choice = *placement_.plan_of("1", now_);
  v1::Job job = at_work(job_of("1", 10'000), 4'000, 50);
  job.set_device("cuda:0");
  set_own_pace(job, choice);
  EXPECT_EQ(describe(choice.predictions.at(0), "frame"),
            "cuda:0: done in about 2 min 0 s: 6000 frames left, at its own pace of 50 a second.");
  EXPECT_NEAR(choice.predictions.at(1).finish(), 20, 1e-6) << "as it was";
}

TEST_F(PredictionTest, OfAnUnknownLengthAJobTakesTheBestFreeDevice) {
  add("cpu", v1::DEVICE_KIND_CPU, 0.1);
  add("cuda:0", v1::DEVICE_KIND_CUDA, 0.001);
  wait(job_of("1", 0));
  wait(job_of("2", 1000));
  EXPECT_THAT(start_all(), ElementsAre("1@cuda:0", "2@cpu")) << "nobody waits for an end that is not known";
}

TEST_F(PredictionTest, WhatDecodingAndEncodingAllowBoundsAFastDevice) {
  add("cuda:0", v1::DEVICE_KIND_CUDA, 0.0001);
  add("cuda:1", v1::DEVICE_KIND_CUDA, 0.0002);
  // 100 frames/s use 1% of cuda:0. The encoder is the limit, which is the same on the other device.
  run("cuda:0", at_work(job_of("0", 10'000), 5'000, 100));
  wait(job_of("1", 1000));
  EXPECT_THAT(plan("1"), ElementsAre("cuda:0 50.0+0.0+10.0", "*cuda:1 0.0+0.0+10.0"));
  EXPECT_THAT(describe(placement_.plan_of("1", now_)->predictions.at(1), "frame"),
              HasSubstr("decoded and encoded at 100 frames/s at most"));
}

TEST_F(PredictionTest, ASpeedThatTheDeviceLimitsSaysNothingOfOthers) {
  add("cuda:0", v1::DEVICE_KIND_CUDA, 0.01);
  add("cuda:1", v1::DEVICE_KIND_CUDA, 0.001);
  run("cuda:0", at_work(job_of("0", 10'000), 5'000, 90));
  wait(job_of("1", 1000));
  EXPECT_THAT(plan("1"), ElementsAre("cuda:0 55.6+0.0+11.1", "*cuda:1 0.0+0.0+1.0"));
}

TEST_F(PredictionTest, ADrainedDeviceIsNotWaitedFor) {
  add("cpu", v1::DEVICE_KIND_CPU, 0.1);
  add("cuda:0", v1::DEVICE_KIND_CUDA, 0.001);
  placement_.set_device(make_device("cuda:0", v1::DEVICE_KIND_CUDA), false, "it is drained.");
  wait(job_of("1", 1000));
  EXPECT_THAT(start_all(), ElementsAre("1@cpu"));
}

TEST_F(PredictionTest, NamedJobsCountInTheBacklogAndAreFoundBehindALongLine) {
  add("cpu", v1::DEVICE_KIND_CPU, 0.010);
  add("cuda:0", v1::DEVICE_KIND_CUDA, 0.001);
  run("cuda:0", at_work(job_of("000", 2000), 1000, 1000));
  // 4 s in total
  for (int i = 1; i <= 400; i++) wait(job_of(fmt::format("{:03}", i), 10, "cuda:0"));
  wait(job_of("800", 1000));
  EXPECT_THAT(plan("800"), ElementsAre("cpu 0.0+0.0+10.0", "*cuda:0 1.0+4.0+1.0"));
  wait(job_of("900", 1000, "cpu"));
  EXPECT_THAT(start_all(), ElementsAre("900@cpu"));
}

TEST_F(PredictionTest, AJobWaitsNoLongerThanItTakesOnTheFreeDevice) {
  add("cpu", v1::DEVICE_KIND_CPU, 0.1);
  add("cuda:0", v1::DEVICE_KIND_CUDA, 0.001);
  run("cuda:0", at_work(job_of("0", 10'000), 5'000, 1000));  // The job then makes no more progress.
  wait(job_of("1", 1000));
  EXPECT_THAT(start_all(), ElementsAre());
  EXPECT_EQ(placement_.next_due(), now_ + seconds(100));
  now_ += seconds(99);
  EXPECT_THAT(start_all(), ElementsAre());
  now_ += seconds(1);
  const std::optional<Assignment> next = placement_.next(now_);
  ASSERT_TRUE(next.has_value());
  EXPECT_EQ(next->choice.device, "cpu");
  EXPECT_THAT(describe(next->choice, true),
              "It was given to cpu: it waited for a faster device as long as it takes on this one.");
}

TEST_F(PredictionTest, SeveralJobsOnADeviceShareItsTime) {
  placement_ = Placement(2);
  add("cuda:0", v1::DEVICE_KIND_CUDA, 0.001);
  run("cuda:0", at_work(job_of("0", 4000), 0, 500));  // 4 s of device time
  wait(job_of("1", 1000));
  EXPECT_THAT(plan("1"), ElementsAre("*cuda:0 0.0+0.0+5.0"));
  EXPECT_THAT(start_all(), ElementsAre("1@cuda:0"));
}

}  // namespace
}  // namespace weft::queue
