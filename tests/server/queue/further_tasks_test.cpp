// SPDX-License-Identifier: Apache-2.0
// Tests jobs on several devices: the tasks of an attempt on further devices.
#include <gmock/gmock.h>

#include "tests/server/queue/core_fixture.h"

namespace weft::queue {
namespace {

using internal::v1::STOP_KIND_CHECKPOINT;
using internal::v1::STOP_KIND_PAUSE;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

v1::DeviceStatus gpu(const std::string& id, const std::string& name = "NVIDIA H200") {
  v1::DeviceStatus device = make_device(id, v1::DEVICE_KIND_CUDA);
  device.set_name(name);
  return device;
}

class FurtherTasksTest : public CoreTest {
 protected:
  void SetUp() override { open(); }
  StatusOr<v1::Job> try_submit(const std::string& name, const std::string& devices,
                               const std::string& inexact_filter = "", const std::string& device = "") {
    Submission submission = make_submission(name, 0, device);
    submission.settings.set_devices(devices);
    submission.estimate.set_inexact_filter(inexact_filter);
    StatusOr<v1::Job> answer = cancelled("no answer");
    core_->submit(submission, [&](const StatusOr<v1::Job>& job) { answer = job; });
    settle();
    return answer;
  }
  std::string submit_on(const std::string& name, const std::string& devices) {
    const StatusOr<v1::Job> job = try_submit(name, devices);
    EXPECT_THAT(job, IsOk());
    return job.ok() ? job->id() : "";
  }
  void add(const v1::DeviceStatus& device) {
    core_->on_device(device);
    settle();
  }
  v1::Job job(const std::string& id) { return core_->views().get(id).value(); }
  std::vector<std::string> reasons(const std::string& id) {
    const auto explanation = core_->views().explain(id).value();
    return {explanation.reasons().begin(), explanation.reasons().end()};
  }
  // Expects the start of the own task, then of one further task, and returns the latter.
  AttemptId expect_two_starts(const std::string& own, const std::string& further) {
    const auto first = workers_.next(), second = workers_.next();
    EXPECT_EQ(first.what + " " + first.device, "start " + own);
    EXPECT_EQ(first.attempt.task, 0);
    EXPECT_EQ(second.what + " " + second.device, "start " + further);
    EXPECT_EQ(second.attempt.task, 1);
    EXPECT_EQ(second.attempt.attempt, first.attempt.attempt);
    return second.attempt;
  }
};

TEST_F(FurtherTasksTest, AFreeDeviceRendersSegmentsOfARunningJob) {
  add(gpu("cuda:0"));
  add(gpu("cuda:1"));
  add(gpu("cuda:2", "NVIDIA L4"));
  add(make_device("cpu"));
  const std::string id = submit_on("a", "all");
  expect_two_starts("cuda:0", "cuda:1");
  EXPECT_EQ(workers_.waiting_calls(), 0u) << "other GPUs and the CPU take no part";
  EXPECT_EQ(job(id).attempts(0).tasks(0).device(), "cuda:1");
  EXPECT_THAT(reasons(id),
              AllOf(Contains("Attempt 1 runs on cuda:0, with segments on cuda:1."),
                    Contains(HasSubstr("cuda:2: it is not of the same kind and name as cuda:0"))));
}

TEST_F(FurtherTasksTest, ADeviceThatAppearsLaterTakesPart) {
  add(gpu("cuda:0"));
  submit_on("a", "cuda:0,cuda:1");
  EXPECT_EQ(workers_.next().device, "cuda:0");
  add(gpu("cuda:1"));
  const auto call = workers_.next();
  EXPECT_EQ(call.device, "cuda:1");
  EXPECT_EQ(call.attempt.task, 1);
}

TEST_F(FurtherTasksTest, AJobThatNamesOneDeviceHasNoTasks) {
  add(gpu("cuda:0"));
  add(gpu("cuda:1"));
  submit_on("a", "cuda:1");
  EXPECT_EQ(workers_.next().device, "cuda:1");
  EXPECT_EQ(workers_.waiting_calls(), 0u);
}

TEST_F(FurtherTasksTest, AWaitingJobTakesTheDevice) {
  add(gpu("cuda:0"));
  add(gpu("cuda:1"));
  const std::string shared = submit_on("a", "all");
  const AttemptId task = expect_two_starts("cuda:0", "cuda:1");
  const std::string waits = submit("b");
  const auto stop = workers_.next();
  EXPECT_EQ(stop.what, "stop");
  EXPECT_EQ(stop.attempt, task);
  EXPECT_EQ(stop.kind, STOP_KIND_CHECKPOINT);
  EXPECT_EQ(job(waits).state(), v1::JOB_STATE_QUEUED);
  take(shared, event::TaskEnded{1, 1, cancelled("stopped")});
  const auto start = workers_.next();
  EXPECT_EQ(start.attempt.job_id, waits);
  EXPECT_EQ(start.device, "cuda:1");
  EXPECT_EQ(workers_.waiting_calls(), 0u);
  // Once the other job has ended, the device takes part again.
  take(waits, event::Finished{1, {}});
  EXPECT_EQ(workers_.next().what, "publish");
  const auto again = workers_.next();
  EXPECT_EQ(again.attempt.job_id, shared);
  EXPECT_EQ(again.attempt.task, 2);
}

TEST_F(FurtherTasksTest, ADrainedDeviceIsLeft) {
  add(gpu("cuda:0"));
  add(gpu("cuda:1"));
  const std::string id = submit_on("a", "all");
  const AttemptId task = expect_two_starts("cuda:0", "cuda:1");
  core_->drain_devices({"cuda:1"}, [](const auto&) {});
  settle();
  const auto stop = workers_.next();
  EXPECT_EQ(stop.attempt, task);
  EXPECT_EQ(stop.kind, STOP_KIND_CHECKPOINT);
  take(id, event::TaskEnded{1, 1, cancelled("stopped")});
  EXPECT_EQ(workers_.waiting_calls(), 0u);
  core_->resume_devices({"cuda:1"}, false, [](const auto&) {});
  settle();
  EXPECT_EQ(workers_.next().attempt.task, 2);
}

TEST_F(FurtherTasksTest, TheEndOfTheAttemptWaitsForItsTasks) {
  add(gpu("cuda:0"));
  add(gpu("cuda:1"));
  const std::string id = submit_on("a", "all");
  const AttemptId task = expect_two_starts("cuda:0", "cuda:1");
  take(id, event::Finished{1, {}});
  const auto stop = workers_.next();
  EXPECT_EQ(stop.attempt, task);
  EXPECT_EQ(stop.kind, STOP_KIND_PAUSE);
  EXPECT_EQ(workers_.waiting_calls(), 0u) << "the file is published after the end of the tasks";
  take(id, event::TaskEnded{1, 1, cancelled("stopped")});
  EXPECT_EQ(workers_.next().what, "publish");
  EXPECT_EQ(job(id).state(), v1::JOB_STATE_SUCCEEDED);
}

TEST_F(FurtherTasksTest, ALostWorkerOfTheAttemptStopsItsTasksBeforeTheNextAttempt) {
  add(gpu("cuda:0"));
  add(gpu("cuda:1"));
  const std::string id = submit_on("a", "all");
  const AttemptId task = expect_two_starts("cuda:0", "cuda:1");
  core_->take(WorkerLoss{"cuda:0", {{id, 1}}, "It was killed."});
  settle();
  EXPECT_EQ(workers_.next().attempt, task);
  EXPECT_EQ(job(id).state(), v1::JOB_STATE_RUNNING);
  core_->take(WorkerLoss{"cuda:1", {task}, "It was killed."});
  settle();
  EXPECT_EQ(job(id).state(), v1::JOB_STATE_QUEUED);
  EXPECT_EQ(job(id).attempts(0).error().code(), int(StatusCode::kUnavailable));
}

TEST_F(FurtherTasksTest, ADeviceWithAFailedTaskIsNotUsedAgainForTheAttempt) {
  add(gpu("cuda:0"));
  add(gpu("cuda:1"));
  const std::string id = submit_on("a", "all");
  const AttemptId task = expect_two_starts("cuda:0", "cuda:1");
  core_->take(WorkerLoss{"cuda:1", {task}, "It was killed."});
  settle();
  EXPECT_EQ(job(id).state(), v1::JOB_STATE_RUNNING) << "the attempt goes on";
  EXPECT_EQ(workers_.waiting_calls(), 0u);
  EXPECT_THAT(reasons(id), Contains(HasSubstr("cuda:1: The worker was lost: It was killed.")));
}

TEST_F(FurtherTasksTest, ATaskWithoutMoreSegmentsIsNotStartedAgain) {
  add(gpu("cuda:0"));
  add(gpu("cuda:1"));
  const std::string id = submit_on("a", "all");
  expect_two_starts("cuda:0", "cuda:1");
  take(id, event::TaskEnded{1, 1, ok_status()});
  take(id, event::TaskEnded{1, 1, data_loss("a repeated message")});
  EXPECT_EQ(workers_.waiting_calls(), 0u);
  EXPECT_FALSE(job(id).attempts(0).tasks(0).has_error());
}

TEST_F(FurtherTasksTest, CancelAndPauseStopTheWholeAttempt) {
  add(gpu("cuda:0"));
  add(gpu("cuda:1"));
  const std::string id = submit_on("a", "all");
  expect_two_starts("cuda:0", "cuda:1");
  request(id, event::Cancel{});
  const auto stop = workers_.next();
  EXPECT_EQ(stop.what, "stop");
  EXPECT_EQ(stop.attempt.task, 0) << "the workers stop all tasks of the attempt";
  take(id, event::Stopped{1, cancelled("stopped"), false, {}});
  EXPECT_EQ(workers_.next().attempt.task, 1);
  EXPECT_EQ(workers_.waiting_calls(), 0u) << "the work folder is in use";
  take(id, event::TaskEnded{1, 1, cancelled("stopped")});
  EXPECT_EQ(workers_.next().what, "discard");
}

TEST_F(FurtherTasksTest, ARestartEndsTheTasks) {
  add(gpu("cuda:0"));
  add(gpu("cuda:1"));
  const std::string id = submit_on("a", "all");
  expect_two_starts("cuda:0", "cuda:1");
  open();
  EXPECT_EQ(job(id).state(), v1::JOB_STATE_QUEUED);
  EXPECT_TRUE(job(id).attempts(0).tasks(0).has_end_time());
  add(gpu("cuda:1"));
  EXPECT_EQ(workers_.next().device, "cuda:1");
}

TEST_F(FurtherTasksTest, ATaskNeedsHostMemory) {
  config_.host_memory_bytes = 1000;
  open();
  add(gpu("cuda:0"));
  add(gpu("cuda:1"));
  Submission submission = make_submission("a");
  submission.settings.set_devices("all");
  submission.estimate.set_host_bytes(600);
  std::string id;
  core_->submit(submission, [&](const StatusOr<v1::Job>& job) { id = job->id(); });
  settle();
  EXPECT_EQ(workers_.next().device, "cuda:0");
  EXPECT_EQ(workers_.waiting_calls(), 0u);
  EXPECT_THAT(reasons(id), Contains(HasSubstr("cuda:1: it needs")));
}

TEST_F(FurtherTasksTest, APausedQueueStartsNoTask) {
  add(gpu("cuda:0"));
  submit_on("a", "all");
  EXPECT_EQ(workers_.next().device, "cuda:0");
  core_->set_paused(true, [](const auto&) {});
  add(gpu("cuda:1"));
  EXPECT_EQ(workers_.waiting_calls(), 0u);
  core_->set_paused(false, [](const auto&) {});
  settle();
  EXPECT_EQ(workers_.next().device, "cuda:1");
}

TEST_F(FurtherTasksTest, DevicesThatDifferNeedAnIntegerChain) {
  add(gpu("cuda:0"));
  add(gpu("cuda:1", "NVIDIA L4"));
  EXPECT_THAT(try_submit("a", "cuda:0,cuda:1", "bloom"),
              StatusIs(StatusCode::kInvalidArgument, "the filter bloom computes with floating-point"));
  EXPECT_THAT(try_submit("b", "cuda:0,cuda:1"), IsOk());
  expect_two_starts("cuda:0", "cuda:1");
}

TEST_F(FurtherTasksTest, WrongDevicesAreRefused) {
  EXPECT_THAT(try_submit("a", "cuda:0,cuda:0"), StatusIs(StatusCode::kInvalidArgument, "twice"));
  EXPECT_THAT(try_submit("a", "cuda:0,,cuda:1"), StatusIs(StatusCode::kInvalidArgument, "empty"));
  EXPECT_THAT(try_submit("a", "all,cpu"), StatusIs(StatusCode::kInvalidArgument, "'all'"));
  EXPECT_THAT(try_submit("a", "all", "", "cpu"), StatusIs(StatusCode::kInvalidArgument, "leave one out"));
  EXPECT_THAT(try_submit("a", " cpu , cuda:0"), IsOk());
  Submission image = make_submission("image");
  image.spec.mutable_image()->set_input("/in/a.png");
  image.settings.set_devices("all");
  core_->submit(image, [](const StatusOr<v1::Job>& job) {
    EXPECT_THAT(job, StatusIs(StatusCode::kInvalidArgument, "Only a video"));
  });
  settle();
}

}  // namespace
}  // namespace weft::queue
