// SPDX-License-Identifier: Apache-2.0
// Tests the placement of jobs by the memory of devices that have memory of their own.
#include "server/queue/placement/device_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/queue/placement/memory_check.h"
#include "server/queue/placement/placement.h"
#include "server/queue/placement/task_placement.h"
#include "tests/server/queue/placement/placement_fixture.h"

namespace weft::queue {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kGB = 1'000'000'000;
constexpr int64_t kGpuMemory = 8 * kGB + kDeviceMarginBytes;  // jobs may take 8 GB of it

v1::DeviceStatus make_gpu(const std::string& id = "cuda:0", int64_t bytes = kGpuMemory) {
  v1::DeviceStatus device = make_device(id, v1::DEVICE_KIND_CUDA);
  device.set_memory_bytes(bytes);
  return device;
}

v1::DeviceSample sample_of(int64_t others, int64_t own = 0, int64_t stream = 0) {
  v1::DeviceSample sample;
  sample.mutable_readings()->set_memory_other_bytes(others);
  sample.set_memory_used_bytes(own);
  if (stream > 0) sample.add_streams()->set_device_bytes(stream);
  return sample;
}

DeviceNeed need_of(std::vector<int64_t> gigabytes, int64_t segment_bytes = 0) {
  for (int64_t& bytes : gigabytes) bytes *= kGB;
  return {std::move(gigabytes), segment_bytes};
}

TEST(DeviceMemory, AMarginStaysFree) {
  DeviceMemory memory;
  EXPECT_EQ(memory.free(), std::nullopt) << "nothing is known";
  EXPECT_EQ(memory.room_for(need_of({1000})).kind, DeviceRoom::Kind::kFits);
  memory.set_device(make_gpu(), false);
  EXPECT_EQ(memory.free(), 8 * kGB);
  memory.set_device(make_gpu("cuda:0", int64_t{1} << 30), false);
  EXPECT_EQ(memory.free(), (int64_t{1} << 30) / 16 * 15);
  memory.set_device(make_gpu(), true);
  EXPECT_EQ(memory.free(), std::nullopt) << "it uses the host's memory";
}

// The driver reports the memory of a job that has just started as free.
TEST(DeviceMemory, PlannedBytesCountUntilTheJobEnds) {
  DeviceMemory memory;
  memory.set_device(make_gpu(), false);
  memory.set_use(sample_of(kGB));
  EXPECT_EQ(memory.free(), 7 * kGB);
  memory.take("a", 3 * kGB);
  EXPECT_EQ(memory.free(), 4 * kGB);
  memory.set_use(sample_of(kGB, 2 * kGB));
  EXPECT_EQ(memory.free(), 4 * kGB) << "a part of the planned bytes is in use";
  memory.set_use(sample_of(kGB, 5 * kGB));
  EXPECT_EQ(memory.free(), 2 * kGB) << "the worker uses more than is planned";
  memory.give_back("a");
  EXPECT_EQ(memory.free(), 2 * kGB) << "the job's buffers are still there";
  memory.set_use(sample_of(kGB));
  EXPECT_EQ(memory.free(), 7 * kGB);
}

TEST(DeviceMemory, StreamsCount) {
  DeviceMemory memory;
  memory.set_device(make_gpu(), false);
  memory.set_use(sample_of(0, 2 * kGB, 2 * kGB));
  EXPECT_EQ(memory.free(), 6 * kGB);
  memory.take("a", 3 * kGB);
  EXPECT_EQ(memory.free(), 3 * kGB) << "the worker's bytes are those of the stream";
  v1::DeviceStatus restarted = make_gpu();
  restarted.set_state(v1::DEVICE_STATE_STARTING);
  memory.give_back("a");
  memory.set_device(restarted, false);
  EXPECT_EQ(memory.free(), 8 * kGB) << "a new worker has nothing";
}

TEST(DeviceMemory, RoomSaysWhyAJobDoesNotFit) {
  DeviceMemory memory;
  memory.set_device(make_gpu(), false);
  memory.set_use(sample_of(2 * kGB));
  memory.take("a", 4 * kGB);
  const auto room = [&](std::vector<int64_t> gigabytes) { return memory.room_for(need_of(gigabytes)); };
  EXPECT_EQ(room({5, 3, 2}).kind, DeviceRoom::Kind::kFits);
  EXPECT_EQ(describe(room({5, 3, 2})), "it needs 2 GB of the device's memory, 2 GB of 8 GB are free");
  EXPECT_EQ(room({5, 3}).kind, DeviceRoom::Kind::kTaken);
  EXPECT_EQ(describe(room({5, 3})), "it needs 3 GB of the device's memory, 2 GB of 8 GB are free");
  EXPECT_EQ(room({9, 7}).kind, DeviceRoom::Kind::kOthers);
  EXPECT_EQ(
      describe(room({9, 7})),
      "it needs 7 GB of the device's memory, 2 GB of 8 GB are free, other programs and the driver use 2 "
      "GB");
  EXPECT_EQ(room({19, 9}).kind, DeviceRoom::Kind::kTooSmall);
  EXPECT_EQ(describe(room({19, 9})), "it needs 9 GB of the device's memory, and jobs may take 8 GB");
  memory.set_use(sample_of(2 * kGpuMemory));
  EXPECT_EQ(memory.free(), 0) << "a figure beyond the device's memory takes all of it";
  EXPECT_EQ(room({1}).kind, DeviceRoom::Kind::kOthers);
}

TEST(DeviceMemory, GrantsTheLargestBatchThatFitsAndSegmentsNextToTheUsualOne) {
  DeviceMemory memory;
  memory.set_device(make_gpu(), false);
  const MemoryGrant usual = memory.grant(need_of({4, 2, 1}, kGB), 8);
  EXPECT_EQ(usual.batch_halvings, 0);
  EXPECT_EQ(usual.segments_at_once, 1 + 2) << "half of the 4 GB that are left";
  EXPECT_EQ(usual.device_bytes, 6 * kGB);
  EXPECT_EQ(memory.grant(need_of({4, 2, 1}, kGB), 2).segments_at_once, 2) << "the host's limit";
  memory.take("a", 5 * kGB);
  const MemoryGrant smaller = memory.grant(need_of({4, 2, 1}, 1), 8);
  EXPECT_EQ(smaller.batch_halvings, 1);
  EXPECT_EQ(smaller.segments_at_once, 1);
  EXPECT_EQ(smaller.device_bytes, 2 * kGB);
  EXPECT_EQ(memory.grant({}, 5).segments_at_once, 5) << "nothing is known of the job";
  EXPECT_EQ(memory.grant({}, 5).device_bytes, 0);
}

// GPUs that run two jobs at once.
class PlacementDeviceMemory : public PlacementTest {
 protected:
  PlacementDeviceMemory() : PlacementTest(2) { placement_.set_device(make_gpu(), true, ""); }

  void wait(const std::string& id, const DeviceNeed& need, const std::string& device = "") {
    v1::Job job;
    job.set_id(id);
    *job.mutable_settings() = make_submission(id, 0, device).settings;
    job.mutable_estimate()->mutable_device_bytes()->Assign(need.bytes.begin(), need.bytes.end());
    job.mutable_estimate()->set_segment_device_bytes(need.segment_bytes);
    PlacementTest::wait(job);
  }
  const v1::JobAttempt& attempt(const std::string& id) { return *jobs_[id].attempts().rbegin(); }
};

TEST_F(PlacementDeviceMemory, AJobThatDoesNotFitNowWaitsAndSaysSo) {
  wait("1", need_of({5}));
  wait("2", need_of({6, 4}));
  wait("3", need_of({2}));
  EXPECT_EQ(start_next(), "1 on cuda:0");
  EXPECT_EQ(placement_.memory().free_on("cuda:0"), 3 * kGB);
  EXPECT_EQ(start_next(), "3 on cuda:0") << "it passes the one that does not fit";
  EXPECT_EQ(start_next(), "");
  const std::string reason =
      "Waits for memory of cuda:0: it needs 4 GB of the device's memory, 1 GB of 8 GB are free; this job is "
      "next.";
  EXPECT_EQ(placement_.waiting_reason("2", now_), reason);
  EXPECT_THAT(placement_.device_reasons("2"),
              ElementsAre("cuda:0: it needs 4 GB of the device's memory, 1 GB of 8 GB are free."));
  placement_.release("cuda:0", "3", now_);
  EXPECT_EQ(start_next(), "") << "3 GB are too few";
  EXPECT_LE(placement_.next_due(), now_ + Placement::kMemoryProbeInterval);
  placement_.release("cuda:0", "1", now_);
  EXPECT_EQ(start_next(), "2 on cuda:0");
  EXPECT_EQ(attempt("2").device_bytes(), 6 * kGB);
}

TEST_F(PlacementDeviceMemory, BatchesBecomeSmallerToFit) {
  wait("1", need_of({5}));
  wait("2", need_of({7, 4, 3, 2}));
  EXPECT_EQ(start_next(), "1 on cuda:0");
  EXPECT_EQ(start_next(), "2 on cuda:0");
  EXPECT_EQ(attempt("2").batch_halvings(), 2);
  EXPECT_EQ(attempt("2").device_bytes(), 3 * kGB);
  EXPECT_EQ(placement_.memory().free_on("cuda:0"), 0);
}

TEST_F(PlacementDeviceMemory, AnotherDeviceWithMemoryIsTaken) {
  placement_.set_device(make_gpu("cuda:1"), true, "");
  wait("1", need_of({5}));
  wait("2", need_of({5}));
  wait("3", need_of({4}), "cuda:1");
  wait("4", need_of({3}), "cuda:0");
  wait("5", need_of({3}));
  EXPECT_EQ(start_next(), "1 on cuda:0");
  EXPECT_EQ(start_next(), "2 on cuda:1");
  EXPECT_EQ(start_next(), "4 on cuda:0") << "cuda:1 has no memory for 3, which names it";
  EXPECT_EQ(start_next(), "5 on cuda:1");
  placement_.memory().device("cuda:0").set_use(sample_of(6 * kGB));
  placement_.release("cuda:0", "1", now_);
  placement_.release("cuda:0", "4", now_);
  placement_.release("cuda:1", "2", now_);
  wait("6", need_of({4}));
  EXPECT_EQ(start_next(), "3 on cuda:1");
  EXPECT_EQ(start_next(), "") << "other programs use cuda:0, and jobs use cuda:1";
  placement_.release("cuda:1", "3", now_);
  EXPECT_EQ(start_next(), "6 on cuda:1");
}

TEST_F(PlacementDeviceMemory, ADeviceThatIsTooSmallIsLeftOut) {
  placement_.set_device(make_gpu("cuda:1", 20 * kGB), true, "");
  wait("1", need_of({12, 9}));
  const auto plan = placement_.plan_of("1", now_);
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->device, "cuda:1");
  EXPECT_EQ(plan->reason, PlacementReason::kOnlyOne);
  ASSERT_EQ(plan->predictions.size(), 2u);
  EXPECT_EQ(
      describe(plan->predictions[0], "frame"),
      "cuda:0: the job never fits there: it needs 9 GB of the device's memory, and jobs may take 8 GB.");
  EXPECT_THAT(describe(plan->predictions[1], "frame"),
              HasSubstr("There it needs 12 GB of the device's memory, 19.7 GB of 19.7 GB are free."));
  EXPECT_EQ(start_next(), "1 on cuda:1");
}

TEST_F(PlacementDeviceMemory, AJobThatFitsNoDeviceIsRefusedWithTheNumbers) {
  placement_.set_device(make_gpu("cuda:1", 12 * kGB), true, "");
  const auto check = [&](std::vector<int64_t> gigabytes, const std::string& device) {
    v1::Job job;
    job.mutable_settings()->set_device(device);
    for (const int64_t each : gigabytes) job.mutable_estimate()->add_device_bytes(each * kGB);
    return MemoryCheck(placement_).check_devices(job);
  };
  EXPECT_THAT(check({20, 11}, ""), IsOk()) << "batches of one unit fit";
  EXPECT_THAT(check({20, 12}, ""),
              StatusIs(StatusCode::kResourceExhausted,
                       "it needs at least 12 GB of a device's memory, and cuda:1 has 11.7 GB for jobs"));
  EXPECT_THAT(check({20, 9}, "cuda:0"), StatusIs(StatusCode::kResourceExhausted, "cuda:0 has 8 GB for jobs"));
  EXPECT_THAT(check({20, 12}, "cuda:9"), IsOk()) << "nothing is known of that device";
  placement_.set_device(make_device("cpu", v1::DEVICE_KIND_CPU, v1::DEVICE_STATE_UNUSED), false, "");
  EXPECT_FALSE(check({20, 12}, "").ok()) << "the configuration leaves the CPU out";
  placement_.set_device(make_device("cpu"), true, "");
  EXPECT_THAT(check({20, 12}, ""), IsOk()) << "the CPU uses the host's memory";
}

// The host memory of a job counts on the devices that can run it.
TEST_F(PlacementDeviceMemory, HostMemoryIsThatOfADeviceThatFits) {
  placement_.set_device(make_device("cpu"), true, "");
  v1::Job job;
  job.mutable_estimate()->set_host_bytes(kGB);
  job.mutable_estimate()->set_shared_bytes(12 * kGB);
  job.mutable_estimate()->add_device_bytes(7 * kGB);
  EXPECT_EQ(MemoryCheck(placement_).least_host_bytes(job), kGB);
  job.mutable_estimate()->set_device_bytes(0, 9 * kGB);
  EXPECT_EQ(MemoryCheck(placement_).least_host_bytes(job), 12 * kGB);
}

// Without a limit, a series of small jobs would always use the memory that a large job waits for.
// Jobs of other devices go on.
TEST_F(PlacementDeviceMemory, ALargeJobIsNotPassedForEver) {
  placement_.set_device(make_gpu("cuda:1"), true, "");
  wait("small 0", need_of({4}), "cuda:0");
  EXPECT_EQ(start_next(), "small 0 on cuda:0");
  wait("large", need_of({6}), "cuda:0");
  int minute = 1;
  std::string started;
  for (; minute < 20 && started != "large on cuda:0"; minute++) {
    const std::string number = std::to_string(minute);
    wait("small " + number, need_of({4}), "cuda:0");
    started = start_next();
    wait("other " + number, need_of({4}), "cuda:1");
    EXPECT_EQ(start_next(), "other " + number + " on cuda:1");
    placement_.release("cuda:1", "other " + number, now_);
    placement_.release("cuda:0", "small " + std::to_string(minute - 1), now_);
    now_ += minutes(1);
  }
  EXPECT_EQ(started, "large on cuda:0");
  EXPECT_GE(minute, 6) << "it was passed as long as may be";
  EXPECT_LE(minute, 9);
}

// Nobody knows when another program ends.
TEST_F(PlacementDeviceMemory, MemoryOfOtherProgramsHoldsNobodyElseUp) {
  placement_.memory().device("cuda:0").set_use(sample_of(5 * kGB));
  wait("1", need_of({4}));
  EXPECT_EQ(start_next(), "");
  EXPECT_THAT(placement_.waiting_reason("1", now_),
              HasSubstr("Waits for memory of cuda:0: it needs 4 GB of the device's memory, 3 GB of 8 GB are "
                        "free, other programs and the driver use 5 GB; this job is next."));
  now_ += std::chrono::hours(1);
  wait("2", need_of({3}));
  EXPECT_EQ(start_next(), "2 on cuda:0");
  placement_.memory().device("cuda:0").set_use(sample_of(kGB));
  EXPECT_EQ(start_next(), "1 on cuda:0");
}

// A task on another device needs its memory as well.
TEST_F(PlacementDeviceMemory, FurtherTasksTakeMemoryOfTheirDevice) {
  v1::DeviceStatus second = make_gpu("cuda:1");
  second.set_name("cuda:0");  // the same model
  placement_.set_device(second, true, "");
  wait("1", need_of({6, 3}, kGB));
  jobs_["1"].mutable_settings()->set_devices("all");
  placement_.set_waiting(jobs_["1"], now_);
  EXPECT_EQ(start_next(), "1 on cuda:0");
  v1::Job& job = jobs_["1"];
  job.mutable_attempts(0)->set_device("cuda:0");
  job.mutable_attempts(0)->set_number(1);
  job.set_attempt(1);
  job.set_device("cuda:0");
  job.set_state(v1::JOB_STATE_RUNNING);
  const TaskPlacement tasks(placement_);
  placement_.memory().device("cuda:1").set_use(sample_of(6 * kGB));
  EXPECT_EQ(tasks.next(job), std::nullopt);
  EXPECT_THAT(tasks.obstacles(job), ElementsAre(HasSubstr("cuda:1: it needs 3 GB of the device's memory")));
  placement_.memory().device("cuda:1").set_use(sample_of(4 * kGB));
  const auto next = tasks.next(job);
  ASSERT_TRUE(next.has_value());
  EXPECT_EQ(next->memory.batch_halvings, 1);
  EXPECT_EQ(next->memory.device_bytes, 3 * kGB);
  v1::JobTask& task = *job.mutable_attempts(0)->add_tasks();
  task.set_device("cuda:1");
  set_grant(next->memory, task);
  placement_.occupy("cuda:1", job, now_, &task);
  EXPECT_EQ(placement_.memory().free_on("cuda:1"), kGB);
}

}  // namespace
}  // namespace weft::queue
