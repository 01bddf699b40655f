// SPDX-License-Identifier: Apache-2.0
// Tests the supervisor with real processes. fake_worker acts as weft-worker.
#include <csignal>
#include <filesystem>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "tests/server/queue/supervision/supervisor_fixture.h"

namespace weft::queue {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

TEST_F(SupervisorTest, DevicesAreListedByAProgramThatMayFail) {
  auto list = list_devices(FAKE_WORKER, kDeadline);
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_EQ(list->devices_size(), 2);
  EXPECT_EQ(list->notes(0), "There is no Vulkan.");
  EXPECT_THAT(list_devices("/no/such/program", kDeadline),
              StatusIs(StatusCode::kUnavailable, "/no/such/program"));
  EXPECT_THAT(run_program({FAKE_WORKER, "--list-devices", "--mode", "broken"}, kDeadline),
              StatusIs(StatusCode::kUnavailable, "a library is missing"));
  EXPECT_THAT(run_program({FAKE_WORKER, "--list-devices", "--mode", "silent"}, milliseconds(300)),
              StatusIs(StatusCode::kDeadlineExceeded));
}

TEST_F(SupervisorTest, DevicesComeIntoServiceAndOthersAreLeftOut) {
  config_.devices = {"cpu"};
  begin();
  const v1::DeviceStatus cpu = events_.wait_for_device("cpu", v1::DEVICE_STATE_IN_SERVICE);
  EXPECT_EQ(cpu.name(), "fake");
  EXPECT_EQ(cpu.worker_starts(), 1);
  EXPECT_EQ(::kill(pid_t(cpu.worker_pid()), 0), 0);
  events_.wait_for_device("cuda:0", v1::DEVICE_STATE_UNUSED);
  EXPECT_THAT(start(make_job("finish"), "cuda:0"), StatusIs(StatusCode::kUnavailable));
  EXPECT_THAT(start(make_job("finish"), "cuda:1"), StatusIs(StatusCode::kNotFound));
}

TEST_F(SupervisorTest, AFinishedFileIsPublishedOnceAndItsFolderGoes) {
  begin();
  events_.wait_for_device("cpu", v1::DEVICE_STATE_IN_SERVICE);
  const v1::Job job = make_job("finish");
  ASSERT_THAT(start(job), IsOk());
  EXPECT_EQ(events_.next_end().how, "finished");
  EXPECT_EQ(events_.segments(), 1);
  EXPECT_TRUE(std::filesystem::exists(work_folder_of(job, "")));
  for (int i = 0; i < 2; i++) {
    EXPECT_THAT(supervisor_->publish(record_of(job), nullptr), IsOk());
    EXPECT_EQ(std::filesystem::file_size(folder_.path() + "/finish.mkv"), 4u);
  }
  EXPECT_THAT(supervisor_->discard(job), IsOk());
  EXPECT_FALSE(std::filesystem::exists(work_folder_of(job, "")));
}

TEST_F(SupervisorTest, ADeadWorkerIsToldWithItsAttemptsAndStartedAgain) {
  begin();
  events_.wait_for_device("cpu", v1::DEVICE_STATE_IN_SERVICE);
  ASSERT_THAT(start(make_job("crash")), IsOk());
  const auto crashed = events_.next_end();
  EXPECT_EQ(crashed.how, "lost");
  EXPECT_THAT(message_of(crashed.error), HasSubstr("signal 6"));
  const v1::DeviceStatus second = events_.wait_for_device("cpu", v1::DEVICE_STATE_IN_SERVICE, 2);

  ASSERT_THAT(start(make_job("work")), IsOk());
  events_.wait_until_working(make_job("work").id());
  ::kill(pid_t(second.worker_pid()), SIGKILL);
  EXPECT_EQ(events_.next_end().how, "lost");
  events_.wait_for_device("cpu", v1::DEVICE_STATE_IN_SERVICE, 3);
  ASSERT_THAT(start(make_job("finish")), IsOk());
  EXPECT_EQ(events_.next_end().how, "finished");
}

TEST_F(SupervisorTest, WorkThatStandsStillLosesItsWorkerAndWorkThatMovesDoesNot) {
  config_.workers.hang_timeout = milliseconds(600);
  begin();
  events_.wait_for_device("cpu", v1::DEVICE_STATE_IN_SERVICE);
  events_.wait_for_device("cuda:0", v1::DEVICE_STATE_IN_SERVICE);
  const v1::Job moves = make_job("work", "01ARZ3NDEKTSV4RRFFQ69G5FA1");
  ASSERT_THAT(start(moves, "cuda:0"), IsOk());
  const v1::Job hangs = make_job("hang", "01ARZ3NDEKTSV4RRFFQ69G5FA2");
  ASSERT_THAT(start(hangs), IsOk());
  const auto end = events_.next_end();
  EXPECT_EQ(end.attempt.job_id, hangs.id());
  EXPECT_THAT(message_of(end.error), HasSubstr("stands still"));
  EXPECT_EQ(events_.wait_for_device("cuda:0", v1::DEVICE_STATE_IN_SERVICE).worker_starts(), 1);
}

TEST_F(SupervisorTest, AStoppedAttemptEndsAndADeafWorkerIsKilled) {
  config_.workers.stop_timeout = milliseconds(300);
  begin();
  events_.wait_for_device("cpu", v1::DEVICE_STATE_IN_SERVICE);
  v1::Job job = make_job("work");
  ASSERT_THAT(start(job), IsOk());
  events_.wait_until_working(job.id());
  supervisor_->stop({job.id(), 1}, internal::v1::STOP_KIND_PAUSE);
  const auto paused = events_.next_end();
  EXPECT_EQ(paused.how, "stopped");
  EXPECT_THAT(paused.error, StatusIs(StatusCode::kCancelled));

  job = make_job("deaf");
  ASSERT_THAT(start(job), IsOk());
  events_.wait_until_working_again(job.id());
  supervisor_->stop({job.id(), 1}, internal::v1::STOP_KIND_CANCEL);
  const auto killed = events_.next_end();
  EXPECT_EQ(killed.how, "lost");
  EXPECT_THAT(message_of(killed.error), HasSubstr("does not stop"));
  // The stop is late: the attempt has ended.
  supervisor_->stop({job.id(), 1}, internal::v1::STOP_KIND_CANCEL);
}

TEST_F(SupervisorTest, AChangedPriorityReachesTheWorkerAtWork) {
  begin();
  events_.wait_for_device("cpu", v1::DEVICE_STATE_IN_SERVICE);
  const v1::Job job = make_job("work");
  ASSERT_THAT(start(job), IsOk());
  events_.wait_until_working(job.id());
  v1::JobSettings settings = job.settings();
  settings.set_priority(17);
  supervisor_->change({job.id(), 2}, settings);  // a change of another attempt
  supervisor_->change({job.id(), 1}, settings);
  const auto reported = events_.next_end();
  EXPECT_THAT(reported.error, StatusIs(StatusCode::kCancelled, "priority is 17"));
}

TEST_F(SupervisorTest, OwnersWeightsReachTheWorkerWithJobsAndStreams) {
  config_.workers.owner_weights = {{"anna", 2.5}};
  begin();
  events_.wait_for_device("cpu", v1::DEVICE_STATE_IN_SERVICE);
  v1::Job job = make_job("weigh");
  job.mutable_settings()->set_owner("anna");
  ASSERT_THAT(start(job), IsOk());
  EXPECT_THAT(events_.next_end().error, StatusIs(StatusCode::kCancelled, "owner weighs 2.5"));
  job.mutable_settings()->set_owner("ben");
  job.set_id("01ARZ3NDEKTSV4RRFFQ69G5FAW");
  ASSERT_THAT(start(job), IsOk());
  EXPECT_THAT(events_.next_end().error, StatusIs(StatusCode::kCancelled, "owner weighs 1."));

  job = make_job("work");
  job.mutable_settings()->set_owner("anna");
  ASSERT_THAT(start(job), IsOk());
  events_.wait_until_working(job.id());
  supervisor_->change({job.id(), 1}, job.settings());
  EXPECT_THAT(events_.next_end().error, StatusIs(StatusCode::kCancelled, "owner weighs 2.5"));

  const auto stream = std::make_shared<RecordingStream>();
  internal::v1::StartStream order;
  order.mutable_open()->mutable_settings()->set_owner("anna");
  supervisor_->start_stream("cpu", order, null_ring(), stream);
  EXPECT_THAT(stream->end(), StatusIs(StatusCode::kCancelled, "owner weighs 2.5"));
}

TEST_F(SupervisorTest, AnOwnersNewWeightReachesHisJobAtWork) {
  config_.workers.owner_weights = {{"anna", 2.5}};
  begin();
  events_.wait_for_device("cpu", v1::DEVICE_STATE_IN_SERVICE);
  v1::Job job = make_job("work");
  job.mutable_settings()->set_owner("anna");
  ASSERT_THAT(start(job), IsOk());
  events_.wait_until_working(job.id());
  config_.workers.owner_weights = {};
  supervisor_->change(config_);
  EXPECT_THAT(events_.next_end().error, StatusIs(StatusCode::kCancelled, "owner weighs 1."));
}

TEST_F(SupervisorTest, AnotherOwnersNewWeightReachesNobody) {
  begin();
  events_.wait_for_device("cpu", v1::DEVICE_STATE_IN_SERVICE);
  v1::Job job = make_job("work");
  job.mutable_settings()->set_owner("ben");
  ASSERT_THAT(start(job), IsOk());
  events_.wait_until_working(job.id());
  config_.workers.owner_weights = {{"anna", 4}};
  supervisor_->change(config_);
  job.mutable_settings()->set_priority(17);
  supervisor_->change({job.id(), 1}, job.settings());
  EXPECT_THAT(events_.next_end().error, StatusIs(StatusCode::kCancelled, "priority is 17"));
}

TEST_F(SupervisorTest, ADeviceTellsHowManyStreamsLiveOnIt) {
  begin();
  const v1::DeviceStatus device = events_.wait_for_device("cpu", v1::DEVICE_STATE_IN_SERVICE);
  internal::v1::StartStream order;
  order.mutable_open()->mutable_settings()->set_owner("stays");
  std::vector<std::shared_ptr<RecordingStream>> streams;
  for (uint64_t number = 1; number <= 3; number++) {
    order.set_stream(number);
    streams.push_back(std::make_shared<RecordingStream>());
    supervisor_->start_stream("cpu", order, null_ring(), streams.back());
  }
  EXPECT_EQ(events_.wait_for_streams("cpu", 3).state(), v1::DEVICE_STATE_IN_SERVICE);
  supervisor_->leave_stream("cpu", 2);
  supervisor_->leave_stream("cpu", 2);
  events_.wait_for_streams("cpu", 2);
  ::kill(pid_t(device.worker_pid()), SIGKILL);
  EXPECT_THAT(streams[0]->end(), StatusIs(StatusCode::kUnavailable));
  EXPECT_EQ(events_.wait_for_device("cpu", v1::DEVICE_STATE_IN_SERVICE, 2).streams(), 0);
}

TEST_F(SupervisorTest, FilesThatCannotBeOpenedEndTheAttempt) {
  begin();
  events_.wait_for_device("cpu", v1::DEVICE_STATE_IN_SERVICE);
  v1::Job job = make_job("finish");
  std::filesystem::remove(job.spec().video().input());
  ASSERT_THAT(start(job), IsOk());
  const auto end = events_.next_end();
  EXPECT_THAT(end.error, StatusIs(StatusCode::kNotFound, job.spec().video().input()));
  EXPECT_FALSE(end.retriable);
}

TEST_F(SupervisorTest, NothingStartsOnADiskThatIsNearlyFull) {
  config_.workers.low_disk_bytes = int64_t{1} << 60;
  begin();
  events_.wait_for_device("cpu", v1::DEVICE_STATE_IN_SERVICE);
  ASSERT_THAT(start(make_job("finish")), IsOk());
  const auto refused = events_.next_end();
  EXPECT_EQ(refused.how, "refused");
  EXPECT_THAT(refused.error, StatusIs(StatusCode::kResourceExhausted, "too little space"));
  config_.workers.low_disk_bytes = 0;
  supervisor_->change(config_);
  EXPECT_THAT(start(make_job("finish")), IsOk());
  EXPECT_EQ(events_.next_end().how, "finished");
}

TEST_F(SupervisorTest, WhatRunsStopsWhenTheDiskIsNearlyFull) {
  begin();
  events_.wait_for_device("cpu", v1::DEVICE_STATE_IN_SERVICE);
  const v1::Job job = make_job("work");
  ASSERT_THAT(start(job), IsOk());
  events_.wait_until_working(job.id());
  config_.workers.low_disk_bytes = int64_t{1} << 60;
  supervisor_->change(config_);
  const auto stopped = events_.next_end();
  EXPECT_EQ(stopped.how, "out of space");
  EXPECT_THAT(stopped.error, StatusIs(StatusCode::kResourceExhausted, "too little space"));
}

// Running jobs reserve the disk space of their outputs. Other jobs wait until the running jobs have
// ended, unless their outputs fit.
TEST_F(SupervisorTest, WhatRunsReservesWhatItWillWrite) {
  config_.workers.files.probe_disks = [](const v1::Job&, std::string_view) {
    return std::vector{DiskSpace{.folder = "/videos", .file_system = 7, .free_bytes = 1000}};
  };
  config_.workers.low_disk_bytes = 100;
  begin();
  events_.wait_for_device("cpu", v1::DEVICE_STATE_IN_SERVICE);
  events_.wait_for_device("cuda:0", v1::DEVICE_STATE_IN_SERVICE);
  v1::Job large = make_job("work", "01ARZ3NDEKTSV4RRFFQ69G5FA1");
  large.mutable_estimate()->set_output_bytes(600);
  ASSERT_THAT(start(large), IsOk());
  events_.wait_until_working(large.id());
  v1::Job waits = make_job("finish", "01ARZ3NDEKTSV4RRFFQ69G5FA2");
  waits.mutable_estimate()->set_output_bytes(301);
  ASSERT_THAT(start(waits, "cuda:0"), IsOk());
  const auto refused = events_.next_end();
  EXPECT_EQ(refused.how, "refused");
  EXPECT_THAT(refused.error,
              StatusIs(StatusCode::kResourceExhausted,
                       "301 bytes wanted; 1000 are free in /videos, of which 600 are reserved for 1 running "
                       "job and 100 are kept free"));
  v1::Job fits = make_job("finish", "01ARZ3NDEKTSV4RRFFQ69G5FA3");
  fits.mutable_estimate()->set_output_bytes(300);
  ASSERT_THAT(start(fits, "cuda:0"), IsOk());
  EXPECT_EQ(events_.next_end().how, "finished");
  supervisor_->stop({large.id(), 1}, internal::v1::STOP_KIND_CANCEL);
  EXPECT_EQ(events_.next_end().how, "stopped");
  ASSERT_THAT(start(waits, "cuda:0"), IsOk());
  EXPECT_EQ(events_.next_end().how, "finished");
}

TEST_F(SupervisorTest, AWorkerWhoseDiskIsFullIsNotToBlame) {
  begin();
  events_.wait_for_device("cpu", v1::DEVICE_STATE_IN_SERVICE);
  ASSERT_THAT(start(make_job("full")), IsOk());
  const auto stopped = events_.next_end();
  EXPECT_EQ(stopped.how, "out of space");
  EXPECT_THAT(stopped.error, StatusIs(StatusCode::kResourceExhausted, "No space"));
}

// The worker of a killed daemon may end a moment after the daemon.
TEST_F(SupervisorTest, AnAttemptWaitsUntilNobodyElseHasTheWorkFolder) {
  begin();
  events_.wait_for_device("cpu", v1::DEVICE_STATE_IN_SERVICE);
  events_.wait_for_device("cuda:0", v1::DEVICE_STATE_IN_SERVICE);
  const v1::Job job = make_job("finish");
  std::filesystem::create_directory(work_folder_of(job, ""));
  channel::FileDescriptor other(::open(work_folder_of(job, "").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_EQ(::flock(other.get(), LOCK_EX), 0);
  ASSERT_THAT(start(job), IsOk());
  const v1::Job second = make_job("fail", "01ARZ3NDEKTSV4RRFFQ69G5FA2");
  ASSERT_THAT(start(second), IsOk());
  EXPECT_EQ(events_.next_end().attempt.job_id, second.id());
  other.reset();
  EXPECT_EQ(events_.next_end().how, "finished");
}

TEST_F(SupervisorTest, ATakenDeviceSaysByWhomAndIsUsedWhenItIsFree) {
  v1::DeviceStatus device;
  device.set_id("cpu");
  device.set_uuid("uuid of cpu");
  auto lock = DeviceLock::take(
      {.folder = config_.workers.lock_folder, .device = device, .holder = "another daemon, process 7"});
  ASSERT_TRUE(lock.ok()) << lock.status();
  begin();
  EXPECT_THAT(events_.wait_for_device("cpu", v1::DEVICE_STATE_TAKEN).reason(),
              HasSubstr("another daemon, process 7"));
  events_.wait_for_device("cuda:0", v1::DEVICE_STATE_IN_SERVICE);
  lock = cancelled("gone");
  events_.wait_for_device("cpu", v1::DEVICE_STATE_IN_SERVICE);
}

TEST_F(SupervisorTest, AnOperatorTakesADeviceFromWhoeverHasIt) {
  v1::DeviceStatus device;
  device.set_id("cpu");
  device.set_uuid("uuid of cpu");
  const auto other = DeviceLock::take(
      {.folder = config_.workers.lock_folder, .device = device, .holder = "another daemon, process 7"});
  ASSERT_TRUE(other.ok()) << other.status();
  begin();
  events_.wait_for_device("cpu", v1::DEVICE_STATE_TAKEN);
  supervisor_->take_device("cpu");
  events_.wait_for_device("cpu", v1::DEVICE_STATE_IN_SERVICE);
  EXPECT_FALSE(other->is_valid());
}

// This process holds the lock and runs no worker.
TEST_F(SupervisorTest, TheCpuIsTakenFromAHolderThatDoesNotWorkAndNoOtherDevice) {
  std::vector<StatusOr<DeviceLock>> held;
  for (const std::string id : {"cpu", "cuda:0"}) {
    v1::DeviceStatus device;
    device.set_id(id);
    device.set_uuid("uuid of " + id);
    held.push_back(DeviceLock::take(
        {.folder = config_.workers.lock_folder, .device = device, .holder = "another daemon, process 7"}));
    ASSERT_TRUE(held.back().ok()) << held.back().status();
  }
  config_.workers.idle_lock_timeout = Duration(0);
  begin();
  events_.wait_for_device("cuda:0", v1::DEVICE_STATE_TAKEN);
  events_.wait_for_device("cpu", v1::DEVICE_STATE_IN_SERVICE);
  EXPECT_FALSE(held[0]->is_valid());
  EXPECT_TRUE(held[1]->is_valid());
}

TEST_F(SupervisorTest, AFailedSelfTestTakesTheDeviceOutOfService) {
  config_.workers.arguments = {FAKE_WORKER, "--mode", "self-test-fails"};
  begin();
  EXPECT_THAT(events_.wait_for_device("cpu", v1::DEVICE_STATE_OUT_OF_SERVICE).reason(),
              HasSubstr("It adds wrongly."));
}

TEST_F(SupervisorTest, AWorkerThatDoesNotBecomeReadyIsKilled) {
  config_.workers.arguments = {FAKE_WORKER, "--mode", "silent"};
  config_.workers.start_timeout = milliseconds(200);
  begin();
  events_.wait_for_losses(2);
}

TEST_F(SupervisorTest, ProbesAreAnsweredAndAFileThatKillsIsBlamed) {
  config_.probe_timeout = milliseconds(500);
  config_.probe_memory_bytes = int64_t{3} << 29;
  begin();
  const auto probe_what = [&](const std::string& what) {
    return ask<v1::JobEstimate>([&](auto done) { probe(what, "ann", done); });
  };
  auto estimate = probe_what("finish");
  ASSERT_TRUE(estimate.ok()) << estimate.status();
  EXPECT_EQ(estimate->units_in(), 9);
  EXPECT_THAT(probe_what("fail"), StatusIs(StatusCode::kInvalidArgument, "no video stream"));
  EXPECT_THAT(probe_what("crash"), StatusIs(StatusCode::kInvalidArgument, "/crash) ends the program"));
  EXPECT_THAT(probe_what("hang"), StatusIs(StatusCode::kInvalidArgument, "/hang) takes too long"));
  EXPECT_THAT(probe_what("eats"), StatusIs(StatusCode::kInvalidArgument, "/eats) needs more than 1.5 GiB"));
  EXPECT_THAT(probe_what("finish"), IsOk());
}

TEST_F(SupervisorTest, ShuttingDownEndsEveryProcess) {
  begin();
  const pid_t cpu = pid_t(events_.wait_for_device("cpu", v1::DEVICE_STATE_IN_SERVICE).worker_pid());
  const pid_t cuda = pid_t(events_.wait_for_device("cuda:0", v1::DEVICE_STATE_IN_SERVICE).worker_pid());
  ASSERT_THAT(start(make_job("work")), IsOk());
  supervisor_->shut_down(std::chrono::seconds(5));
  EXPECT_NE(::kill(cpu, 0), 0);
  EXPECT_NE(::kill(cuda, 0), 0);
  supervisor_->prober().probe({}, {}, {}, false, [](const StatusOr<v1::JobEstimate>& answer) {
    EXPECT_THAT(answer, StatusIs(StatusCode::kUnavailable));
  });
}

}  // namespace
}  // namespace weft::queue
