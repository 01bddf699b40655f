// SPDX-License-Identifier: Apache-2.0
// Tests the placement of jobs by counted resources: CPU slots, and sessions of encoders of GPUs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/queue/placement/placement.h"
#include "server/queue/placement/task_placement.h"
#include "tests/server/queue/placement/placement_fixture.h"

namespace weft::queue {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

// Returns a job with x265 and this number of threads.
v1::Job x265_job(const std::string& id, int threads, const std::string& pace_key = "") {
  v1::Job job;
  job.set_id(id);
  *job.mutable_settings() = make_submission(id).settings;
  job.mutable_estimate()->set_cpu_slots(threads + 1);
  job.mutable_estimate()->set_pace_key(pace_key.empty() ? "x265 " + id : pace_key);
  return job;
}

v1::Job nvenc_job(const std::string& id, const std::string& device = "") {
  v1::Job job;
  job.set_id(id);
  *job.mutable_settings() = make_submission(id, 0, device).settings;
  job.mutable_estimate()->set_cpu_slots(1);
  job.mutable_estimate()->set_encoder_sessions(1);
  return job;
}

class PlacementCounted : public PlacementTest {
 protected:
  PlacementCounted() : PlacementTest(4) {}

  // Reports the processors that the worker of a device keeps busy.
  void report(const std::string& device, double processors, int streams = 0) {
    v1::DeviceSample sample;
    sample.set_device(device);
    sample.set_processors(processors);
    for (int i = 0; i < streams; i++) sample.add_streams();
    placement_.learn_processors(device, sample);
  }
  void process(const std::string& id) {
    jobs_[id].mutable_progress()->set_stage("processing");
    placement_.progressed(jobs_[id].device(), jobs_[id], now_);
  }
  std::string reason(const std::string& id) { return placement_.waiting_reason(id, now_); }
  void add_gpus(int count) {
    for (int i = 0; i < count; i++)
      placement_.set_device(make_device("cuda:" + std::to_string(i), v1::DEVICE_KIND_CUDA), true, "");
  }
};

// One thread of sixteen is left for a stream's decoder as long as two encoders have 15.
TEST_F(PlacementCounted, FourJobsWithX265ShareTheSlots) {
  add_gpus(1);
  placement_.counted().slots().set_limit(15, true);
  for (const char* const id : {"1", "2", "3", "4"}) wait(x265_job(id, 6));
  EXPECT_EQ(start_next(), "1 on cuda:0");
  EXPECT_EQ(start_next(), "2 on cuda:0");
  EXPECT_EQ(start_next(), "") << "two places on the device are free, and one slot";
  EXPECT_EQ(reason("3"),
            "Waits for CPU slots: it needs 7 of 15 CPU slots, jobs have 14 (cpu_slots); this job is next.");
  EXPECT_EQ(placement_.counted().slots().taken(), 14);
  wait(x265_job("5", 0));
  EXPECT_EQ(start_next(), "5 on cuda:0") << "it needs the slot that is left";
  end("1");
  EXPECT_EQ(start_next(), "3 on cuda:0");
  EXPECT_EQ(start_next(), "");
}

TEST_F(PlacementCounted, ChosenSlotsHoldForAllDevicesTogether) {
  add_gpus(2);
  placement_.counted().slots().set_limit(8, true);
  wait(x265_job("1", 16));
  wait(x265_job("2", 16));
  EXPECT_EQ(start_next(), "1 on cuda:0") << "a job that needs more than all takes all";
  EXPECT_EQ(start_next(), "");
  EXPECT_THAT(reason("2"), HasSubstr("it needs 8 of 8 CPU slots, jobs have 8"));
  end("1");
  EXPECT_EQ(start_next(), "2 on cuda:0");
}

TEST_F(PlacementCounted, WithoutAChoiceNoDeviceIsIdleForWantOfSlotsAndNoJobWaitsLong) {
  add_gpus(2);
  placement_.counted().slots().set_limit(8, false);
  for (const char* const id : {"1", "2", "3"}) wait(x265_job(id, 8));
  EXPECT_EQ(start_next(), "1 on cuda:0");
  EXPECT_EQ(start_next(), "2 on cuda:1");
  EXPECT_EQ(start_next(), "");
  EXPECT_THAT(reason("3"), HasSubstr("it needs 8 of 8 CPU slots, jobs have 16"));
  now_ += Placement::kPassedForMemory;
  EXPECT_EQ(start_next(), "3 on cuda:0");
}

TEST_F(PlacementCounted, WithoutAChoiceTheCpuDeviceRunsItsNumberOfJobs) {
  placement_.set_device(make_device("cpu", v1::DEVICE_KIND_CPU), true, "");
  placement_.counted().slots().set_limit(2, false);
  for (const char* const id : {"1", "2"}) wait(x265_job(id, 2));
  EXPECT_EQ(start_next(), "1 on cpu");
  EXPECT_EQ(start_next(), "2 on cpu") << "the first one may wait for its disk";
}

TEST_F(PlacementCounted, AJobThatNeedsChosenSlotsIsNotPassedForEver) {
  add_gpus(1);
  placement_.counted().slots().set_limit(8, true);
  wait(x265_job("small 0", 4));
  EXPECT_EQ(start_next(), "small 0 on cuda:0");
  wait(x265_job("large", 7));
  int minute = 1;
  std::string started;
  for (; minute < 20 && started != "large on cuda:0"; minute++) {
    wait(x265_job("small " + std::to_string(minute), 2));
    started = start_next();
    end("small " + std::to_string(minute - 1));
    now_ += minutes(1);
  }
  EXPECT_EQ(started, "large on cuda:0");
  EXPECT_GE(minute, 6) << "it was passed as long as may be";
  EXPECT_LE(minute, 9);
}

// An encoder that waits for the filters keeps fewer processors busy than it has threads.
TEST_F(PlacementCounted, AKindOfWorkNeedsTheProcessorsThatItWasMeasuredToKeepBusy) {
  add_gpus(1);
  placement_.counted().slots().set_limit(16, true);
  for (const char* const id : {"1", "2", "3"}) wait(x265_job(id, 15, "qtgmc x265"));
  EXPECT_EQ(start_next(), "1 on cuda:0");
  for (int i = 0; i < 2 * CpuSlots::kSamples; i++) report("cuda:0", 0.5);
  EXPECT_EQ(start_next(), "") << "the job does not render yet";
  process("1");
  for (int i = 1; i < CpuSlots::kSamples; i++) report("cuda:0", 5.2);
  report("cuda:0", 90, 1);  // a stream works there, too
  EXPECT_EQ(start_next(), "");
  report("cuda:0", 5.2);
  EXPECT_EQ(placement_.counted().slots().taken(), 6);
  EXPECT_EQ(start_next(), "2 on cuda:0");
  EXPECT_EQ(start_next(), "") << "12 and 6 are more than 16";
  process("2");
  for (int i = 0; i < 5 * CpuSlots::kSamples; i++) report("cuda:0", 8);
  EXPECT_EQ(placement_.counted().slots().taken(), 10) << "4 and a fraction each";
  EXPECT_EQ(start_next(), "3 on cuda:0");
}

TEST_F(PlacementCounted, TheFiltersOfTheCpuAreNotAnEncodersProcessors) {
  placement_.set_device(make_device("cpu"), true, "");
  placement_.counted().slots().set_limit(16, true);
  for (const char* const id : {"1", "2"}) wait(x265_job(id, 4, "qtgmc x265"));
  EXPECT_EQ(start_next(), "1 on cpu");
  process("1");
  for (int i = 0; i < 2 * CpuSlots::kSamples; i++) report("cpu", 16);
  EXPECT_EQ(start_next(), "2 on cpu");
}

TEST_F(PlacementCounted, JobsWaitForASessionOfTheirGpu) {
  add_gpus(2);
  placement_.counted().sessions().set_limit(2);
  for (const char* const id : {"1", "2", "3"}) wait(nvenc_job(id, "cuda:0"));
  EXPECT_EQ(start_next(), "1 on cuda:0");
  EXPECT_EQ(start_next(), "2 on cuda:0");
  EXPECT_EQ(start_next(), "");
  EXPECT_EQ(reason("3"),
            "Waits for an encoder session: jobs have 2 of 2 sessions of the encoder of cuda:0 "
            "(encoder_sessions); this job is next.");
  wait(nvenc_job("4", "cuda:1"));
  EXPECT_EQ(start_next(), "4 on cuda:1") << "each GPU has an encoder of its own";
  wait(x265_job("5", 1));
  EXPECT_NE(start_next(), "") << "a job without a session passes";
  now_ += std::chrono::hours(1);
  wait(x265_job("6", 1));
  EXPECT_NE(start_next(), "") << "at any time";
  end("1");
  EXPECT_EQ(start_next(), "3 on cuda:0");
  v1::DeviceStatus device = make_device("cuda:0", v1::DEVICE_KIND_CUDA);
  placement_.counted().describe_sessions(device);
  EXPECT_EQ(device.encoder_sessions(), 2);
  EXPECT_EQ(device.encoder_session_limit(), 2);
}

TEST_F(PlacementCounted, ARefusedSessionLowersTheLimitOfItsGpuUntilItIsForgotten) {
  add_gpus(2);
  for (const char* const id : {"1", "2", "3", "4"}) wait(nvenc_job(id, "cuda:0"));
  for (const char* const id : {"1", "2", "3"}) EXPECT_EQ(start_next(), std::string(id) + " on cuda:0");
  EXPECT_TRUE(placement_.counted().session_refused("cuda:0", 2));
  end("3");
  wait(jobs_["3"]);
  EXPECT_EQ(start_next(), "");
  EXPECT_THAT(reason("3"), HasSubstr("jobs have 2 of 2 sessions of the encoder of cuda:0 (learnt when it "
                                     "refused a further one; `weft resume cuda:0` forgets this)"));
  EXPECT_TRUE(placement_.counted().session_refused("cuda:0", 5));
  EXPECT_EQ(placement_.counted().sessions().limit("cuda:0"), 2) << "it only falls";
  EXPECT_EQ(placement_.counted().sessions().limit("cuda:1"), EncoderSessions::kNoLimit);
  placement_.counted().sessions().forget("cuda:0");
  EXPECT_EQ(start_next(), "3 on cuda:0");
  v1::DeviceStatus device = make_device("cuda:0", v1::DEVICE_KIND_CUDA);
  placement_.counted().describe_sessions(device);
  EXPECT_EQ(device.encoder_sessions(), 3);
  EXPECT_EQ(device.encoder_session_limit(), 0) << "none is known";
}

TEST_F(PlacementCounted, ARefusalWithoutASessionOfAJobTeachesNothing) {
  add_gpus(1);
  wait(nvenc_job("1"));
  EXPECT_EQ(start_next(), "1 on cuda:0");
  EXPECT_FALSE(placement_.counted().session_refused("cuda:0", 0));
  EXPECT_EQ(placement_.counted().sessions().limit("cuda:0"), EncoderSessions::kNoLimit);
}

// The encoder of a job on the CPU is that of the first GPU.
TEST_F(PlacementCounted, JobsOfOtherDevicesUseTheEncoderOfTheFirstGpu) {
  placement_.set_device(make_device("cpu"), true, "");
  wait(nvenc_job("0", "cpu"));
  EXPECT_EQ(start_next(), "0 on cpu") << "there is no GPU";
  end("0");
  add_gpus(2);
  wait(nvenc_job("1", "cuda:0"));
  wait(nvenc_job("2", "cpu"));
  EXPECT_NE(start_next(), "");
  EXPECT_NE(start_next(), "");
  EXPECT_EQ(placement_.counted().sessions().taken("cuda:0"), 2);
  EXPECT_TRUE(placement_.counted().session_refused("cpu", 0)) << "the other worker has one";
  EXPECT_EQ(placement_.counted().sessions().limit("cuda:0"), 1);
}

// Each segment that is rendered at the same time has a session.
TEST_F(PlacementCounted, SegmentsAtTheSameTimeTakeHalfOfTheFreeSessions) {
  add_gpus(1);
  placement_.memory().host().set_limit(int64_t{1} << 40);
  v1::Job job = nvenc_job("1");
  job.mutable_estimate()->set_segment_bytes(1);
  wait(job);
  EXPECT_EQ(placement_.next(now_)->memory.segments_at_once, MemoryBudget::kMostSegments)
      << "no limit is known";
  placement_.counted().sessions().set_limit(6);
  EXPECT_EQ(start_next(), "1 on cuda:0");
  EXPECT_EQ(placement_.counted().sessions().taken("cuda:0"), 1 + 2);
  job.set_id("2");
  wait(job);
  EXPECT_EQ(start_next(), "2 on cuda:0");
  EXPECT_EQ(placement_.counted().sessions().taken("cuda:0"), 3 + 2);
  job.set_id("3");
  wait(job);
  EXPECT_EQ(placement_.next(now_)->memory.segments_at_once, 1);
}

TEST_F(PlacementCounted, AFurtherTaskNeedsASessionAndSlotsToo) {
  add_gpus(2);
  placement_.counted().sessions().set_limit(1);
  placement_.counted().slots().set_limit(4, true);
  v1::Job job = nvenc_job("1", "cuda:0");
  job.mutable_settings()->clear_device();
  job.mutable_settings()->set_devices("all");
  job.set_state(v1::JOB_STATE_RUNNING);
  job.set_attempt(1);
  for (const char* const device : {"cuda:0", "cuda:1"}) {
    v1::DeviceStatus gpu = make_device(device, v1::DEVICE_KIND_CUDA);
    gpu.set_name("a GPU");
    placement_.set_device(gpu, true, "");
  }
  wait(job);
  ASSERT_EQ(start_next(), "1 on cuda:0");
  const TaskPlacement tasks(placement_);
  EXPECT_TRUE(tasks.next(jobs_["1"]).has_value());
  v1::Job other = nvenc_job("2", "cuda:1");
  placement_.occupy("cuda:1", other, now_);
  EXPECT_EQ(
      tasks.obstacle(jobs_["1"], "cuda:1"),
      "Waits for an encoder session: jobs have 1 of 1 sessions of the encoder of cuda:1 (encoder_sessions).");
  placement_.release("cuda:1", "2", now_);
  placement_.occupy("cuda:1", x265_job("3", 3), now_);
  EXPECT_EQ(tasks.obstacle(jobs_["1"], "cuda:1"),
            "Waits for CPU slots: it needs 1 of 4 CPU slots, jobs have 5 (cpu_slots).");
}

}  // namespace
}  // namespace weft::queue
