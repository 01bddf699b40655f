// SPDX-License-Identifier: Apache-2.0
#include "server/queue/placement/placement.h"

#include <algorithm>

#include <gmock/gmock.h>

#include "tests/server/queue/queue_fixture.h"

namespace weft::queue {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

v1::Job waiting_job(const std::string& id, int priority = 0, const std::string& device = "",
                    v1::JobClass job_class = v1::JOB_CLASS_NORMAL) {
  v1::Job job;
  job.set_id(id);
  *job.mutable_settings() = make_submission(id, priority, device).settings;
  job.mutable_settings()->set_job_class(job_class);
  return job;
}

v1::DeviceStatus software_vulkan() {
  v1::DeviceStatus device = make_device("vulkan:0", v1::DEVICE_KIND_VULKAN);
  device.set_name("llvmpipe (LLVM 15.0.6, 256 bits)");
  return device;
}

v1::Job running_job(const std::string& id) {
  v1::Job job;
  job.set_id(id);
  return job;
}

// Starts all jobs that can start. Returns them in order as "job@device".
std::vector<std::string> start_all(Placement& placement, TimePoint now = {}) {
  std::vector<std::string> started;
  while (const std::optional<Assignment> next = placement.next(now)) {
    placement.remove_waiting(next->job_id);
    placement.occupy(next->choice.device, running_job(next->job_id), now);
    started.push_back(next->job_id + "@" + next->choice.device);
  }
  return started;
}

TEST(Placement, PriorityThenSubmitOrderAndSpareLast) {
  Placement placement(10);
  placement.set_device(make_device("cpu"), true, "");
  placement.set_waiting(waiting_job("1"), {});
  placement.set_waiting(waiting_job("2", 1000, "", v1::JOB_CLASS_SPARE), {});
  placement.set_waiting(waiting_job("3", 5), {});
  placement.set_waiting(waiting_job("4", -5), {});
  placement.set_waiting(waiting_job("5", 5), {});
  EXPECT_THAT(start_all(placement), ElementsAre("3@cpu", "5@cpu", "1@cpu", "4@cpu", "2@cpu"));
}

// Every fourth start is that of the oldest job, even of a job that names a device.
TEST(Placement, WhatWaitedForTheAgingTimeIsNext) {
  using std::chrono::minutes;
  Placement placement(1, minutes(10));
  placement.set_device(make_device("cpu"), true, "");
  const TimePoint begin{std::chrono::hours(1)};
  placement.set_waiting(waiting_job("1", 0, "", v1::JOB_CLASS_SPARE), begin + minutes(1));
  placement.set_waiting(waiting_job("2", -5), begin);
  placement.set_waiting(waiting_job("3", -5, "cpu"), begin + minutes(5));
  std::vector<std::string> started;
  for (int minute = 0; minute < 20; minute++) {
    const TimePoint now = begin + minutes(minute);
    const std::string important = "important at " + std::to_string(minute);
    placement.set_waiting(waiting_job(important, 100), now);
    // A change of the job does not alter its age.
    if (minute == 6) placement.set_waiting(waiting_job("2", -6), now);
    const std::optional<Assignment> next = placement.next(now);
    ASSERT_TRUE(next.has_value());
    if (next->job_id != important) started.push_back(next->job_id + " at " + std::to_string(minute));
    placement.remove_waiting(next->job_id);
    placement.remove_waiting(important);
  }
  EXPECT_THAT(started, ElementsAre("2 at 10", "1 at 14", "3 at 15"));
}

TEST(Placement, AChangedPriorityChangesThePlace) {
  Placement placement(10);
  placement.set_device(make_device("cpu"), true, "");
  placement.set_waiting(waiting_job("1"), {});
  placement.set_waiting(waiting_job("2"), {});
  placement.set_waiting(waiting_job("2", 1), {});
  EXPECT_EQ(placement.ahead_of("1", {}), 1);
  EXPECT_THAT(start_all(placement), ElementsAre("2@cpu", "1@cpu"));
}

TEST(Placement, TheBestIdleDeviceIsTakenAndAllAreUsed) {
  Placement placement(1);
  placement.set_device(make_device("cpu"), true, "");
  placement.set_device(make_device("cuda:0", v1::DEVICE_KIND_CUDA), true, "");
  placement.set_device(make_device("cuda:1", v1::DEVICE_KIND_CUDA), true, "");
  placement.set_device(make_device("vulkan:1", v1::DEVICE_KIND_VULKAN), true, "");
  for (const char* id : {"1", "2", "3", "4", "5"}) placement.set_waiting(waiting_job(id), {});
  EXPECT_THAT(start_all(placement), ElementsAre("1@cuda:0", "2@cuda:1", "3@vulkan:1", "4@cpu"));
}

TEST(Placement, EqualDevicesAreFilledEvenly) {
  Placement placement(2);
  placement.set_device(make_device("cuda:0", v1::DEVICE_KIND_CUDA), true, "");
  placement.set_device(make_device("cuda:1", v1::DEVICE_KIND_CUDA), true, "");
  for (const char* id : {"1", "2", "3", "4", "5"}) placement.set_waiting(waiting_job(id), {});
  EXPECT_THAT(start_all(placement), ElementsAre("1@cuda:0", "2@cuda:1", "3@cuda:0", "4@cuda:1"));
}

TEST(Placement, ADeviceThatIsAskedForIsTheOnlyOne) {
  Placement placement(1);
  placement.set_device(make_device("cpu"), true, "");
  placement.set_device(make_device("cuda:0", v1::DEVICE_KIND_CUDA), true, "");
  placement.set_waiting(waiting_job("1", 9, "cuda:3"), {});
  placement.set_waiting(waiting_job("2", 0, "cuda:0"), {});
  placement.set_waiting(waiting_job("3", 0, "cuda:0"), {});
  placement.set_waiting(waiting_job("4"), {});
  EXPECT_THAT(start_all(placement), ElementsAre("2@cuda:0", "4@cpu"))
      << "nobody waits behind a job that cannot start";
  EXPECT_EQ(placement.waiting_reason("1", {}), "Waits for cuda:3, which is not there; this job is next.");
  EXPECT_EQ(placement.waiting_reason("3", {}), "Waits for cuda:0: job 2 is running there; this job is next.");
}

TEST(Placement, SoftwareVulkanIsUsedByNameAlone) {
  Placement placement(1);
  placement.set_device(software_vulkan(), true, "");
  placement.set_waiting(waiting_job("1"), {});
  EXPECT_THAT(start_all(placement), ElementsAre());
  EXPECT_THAT(placement.waiting_reason("1", {}), HasSubstr("none is there yet"));
  placement.set_waiting(waiting_job("2", 0, "vulkan:0"), {});
  EXPECT_THAT(start_all(placement), ElementsAre("2@vulkan:0"));
}

TEST(Placement, DevicesThatAcceptNothingGetNothingAndSayWhy) {
  Placement placement(1);
  placement.set_device(make_device("cpu"), false, "it is drained; resume it to use it again.");
  placement.set_waiting(waiting_job("1"), {});
  EXPECT_THAT(start_all(placement), ElementsAre());
  EXPECT_EQ(placement.waiting_reason("1", {}),
            "Waits for cpu: it is drained; resume it to use it again; this job is next.");
  EXPECT_THAT(placement.device_reasons("1"), ElementsAre("cpu: it is drained; resume it to use it again."));
  placement.set_device(make_device("cpu"), true, "");
  EXPECT_THAT(start_all(placement), ElementsAre("1@cpu"));
}

TEST(Placement, AheadCountsOnlyThoseWhoCompeteForTheSameDevices) {
  Placement placement(1);
  placement.set_device(make_device("cpu"), true, "");
  placement.set_device(make_device("cuda:0", v1::DEVICE_KIND_CUDA), true, "");
  placement.occupy("cpu", running_job("a"), {});
  placement.occupy("cuda:0", running_job("b"), {});
  placement.set_waiting(waiting_job("1", 0, "cpu"), {});
  placement.set_waiting(waiting_job("2", 0, "cuda:0"), {});
  placement.set_waiting(waiting_job("3"), {});
  placement.set_waiting(waiting_job("4", 0, "cpu"), {});
  EXPECT_EQ(placement.ahead_of("3", {}), 2);
  EXPECT_EQ(placement.ahead_of("4", {}), 2);
  EXPECT_EQ(placement.ahead_of("2", {}), 0);
  EXPECT_EQ(placement.position_of("2", {}), 2) << "of the lines of all devices";
  EXPECT_EQ(placement.position_of("4", {}), 4);
  EXPECT_EQ(placement.position_of("a", {}), 0) << "it runs";
  EXPECT_EQ(placement.waiting_reason("3", {}),
            "Waits for any of 2 devices, all are busy or not in service; 2 jobs are ahead.");
}

TEST(DeviceHealth, ThreeDeathsAtDifferentJobsEndADevice) {
  DeviceHealth health;
  health.died({"1"});
  health.died({"1"});
  health.died({"1"});
  EXPECT_FALSE(health.is_over()) << "that is the job's fault";
  health.died({});
  health.died({"2"});
  EXPECT_FALSE(health.is_over());
  health.died({"3"});
  EXPECT_TRUE(health.is_over());
}

TEST(DeviceHealth, WorkInBetweenBreaksTheRow) {
  DeviceHealth health;
  health.died({"1"});
  health.died({"2"});
  health.worked();
  health.died({"3"});
  health.died({"4"});
  EXPECT_FALSE(health.is_over());
}

}  // namespace
}  // namespace weft::queue
