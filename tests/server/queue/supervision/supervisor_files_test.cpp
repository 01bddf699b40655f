// SPDX-License-Identifier: Apache-2.0
// Tests the supervisor with file systems that hang, and after pauses of its own process.
// fake_worker acts as weft-worker.
#include <algorithm>
#include <atomic>
#include <ctime>
#include <filesystem>
#include <future>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/server/queue/supervision/supervisor_fixture.h"

namespace weft::queue {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using SupervisorFilesTest = SupervisorTest;

TEST_F(SupervisorFilesTest, FilesThatDoNotOpenHoldUpNobodyElse) {
  std::promise<void> opens;
  block("work", opens.get_future().share());
  config_.workers.hang_timeout = milliseconds(600);
  begin();
  events_.wait_for_device("cpu", v1::DEVICE_STATE_IN_SERVICE);
  events_.wait_for_device("cuda:0", v1::DEVICE_STATE_IN_SERVICE);
  const v1::Job waits = make_job("work", "01ARZ3NDEKTSV4RRFFQ69G5FA1");
  ASSERT_THAT(start(waits), IsOk());
  // The attempt reports its wait. Others begin and end on its device and on another one.
  EXPECT_THAT(events_.wait_for_file_wait(waits.id(), "to be opened"),
              HasSubstr(waits.spec().video().input()));
  for (const char* device : {"cpu", "cuda:0"}) {
    ASSERT_THAT(start(make_job("finish", "01ARZ3NDEKTSV4RRFFQ69G5FA2"), device), IsOk());
    EXPECT_EQ(events_.next_end().how, "finished");
  }
  const auto stream = std::make_shared<RecordingStream>();
  supervisor_->start_stream("cpu", {}, null_ring(), stream);
  EXPECT_THAT(stream->end(), StatusIs(StatusCode::kCancelled));
  opens.set_value();
  events_.wait_until_working(waits.id());
  events_.wait_for_no_file_wait(waits.id());
  EXPECT_EQ(events_.losses(), 0);
}

TEST_F(SupervisorFilesTest, ADiskThatDoesNotSayItsSpaceHoldsUpNobody) {
  std::promise<void> answers;
  const std::shared_future<void> answered = answers.get_future().share();
  config_.workers.hang_timeout = milliseconds(600);
  const v1::Job works = make_job("work", "01ARZ3NDEKTSV4RRFFQ69G5FA1");
  std::atomic<int> probes{0}, asked{0};
  config_.workers.files.probe_disks = [&](const v1::Job& job, std::string_view state) {
    // probe before the start of the job
    if (job.id() != works.id() || probes++ == 0) return probe_disks(job, state);
    asked++;
    answered.wait();
    return std::vector<DiskSpace>();
  };
  begin();
  events_.wait_for_device("cpu", v1::DEVICE_STATE_IN_SERVICE);
  ASSERT_THAT(start(works), IsOk());
  const auto deadline = std::chrono::steady_clock::now() + kDeadline;
  while (asked == 0 && std::chrono::steady_clock::now() < deadline)
    events_.wait_until_working_again(works.id());
  ASSERT_THAT(start(make_job("finish", "01ARZ3NDEKTSV4RRFFQ69G5FA2")), IsOk());
  EXPECT_EQ(events_.next_end().how, "finished");
  events_.wait_until_working_again(works.id());
  EXPECT_EQ(asked, 1) << "nobody asks again before the answer";
  EXPECT_EQ(events_.losses(), 0);
  answers.set_value();
  supervisor_.reset();  // destroyed before the objects that its threads use
}

TEST_F(SupervisorFilesTest, AnAttemptThatIsStoppedWhileItsFilesOpenIsLetGoAndLeavesNothing) {
  std::promise<void> opens;
  block("work", opens.get_future().share());
  config_.workers.file_stop_timeout = milliseconds(300);
  begin();
  events_.wait_for_device("cpu", v1::DEVICE_STATE_IN_SERVICE);
  const v1::Job job = make_job("work");
  ASSERT_THAT(start(job), IsOk());
  supervisor_->stop({job.id(), 1}, internal::v1::STOP_KIND_CANCEL);
  const auto end = events_.next_end();
  EXPECT_EQ(end.how, "stopped");
  EXPECT_THAT(end.error, StatusIs(StatusCode::kCancelled, "file system"));
  opens.set_value();
  // The files are opened late, after the end of their attempt.
  const auto deadline = std::chrono::steady_clock::now() + kDeadline;
  const auto is_there = [&] { return std::filesystem::exists(work_folder_of(job, "")); };
  do {
    ASSERT_THAT(start(make_job("finish", "01ARZ3NDEKTSV4RRFFQ69G5FA2")), IsOk());
    EXPECT_EQ(events_.next_end().how, "finished");
  } while (is_there() && std::chrono::steady_clock::now() < deadline);
  EXPECT_FALSE(is_there());
}

TEST_F(SupervisorFilesTest, WhatWaitsForAFileSystemIsNoHangAndIsLetGoWhenItIsStopped) {
  config_.workers.hang_timeout = milliseconds(600);
  config_.workers.stop_timeout = milliseconds(600);
  config_.workers.file_stop_timeout = milliseconds(300);
  begin();
  events_.wait_for_device("cpu", v1::DEVICE_STATE_IN_SERVICE);
  const v1::Job job = make_job("waits", "01ARZ3NDEKTSV4RRFFQ69G5FA1");
  ASSERT_THAT(start(job), IsOk());
  EXPECT_THAT(events_.wait_for_file_wait(job.id(), "written"),
              HasSubstr(work_folder_of(job, "") + "/segment"));
  supervisor_->stop({job.id(), 1}, internal::v1::STOP_KIND_CANCEL);
  const auto end = events_.next_end();
  EXPECT_EQ(end.how, "stopped");
  EXPECT_THAT(end.error, StatusIs(StatusCode::kCancelled, "file system"));
  ASSERT_THAT(start(make_job("finish", "01ARZ3NDEKTSV4RRFFQ69G5FA2")), IsOk());
  EXPECT_EQ(events_.next_end().how, "finished");
  EXPECT_EQ(events_.losses(), 0);
  EXPECT_EQ(events_.wait_for_device("cpu", v1::DEVICE_STATE_IN_SERVICE).worker_starts(), 1);
}

// A probe of files on a file system that hangs does not delay a probe of files on other file
// systems.
TEST_F(SupervisorFilesTest, ProbesOfOtherFileSystemsGoOn) {
  char hangs[] = "/dev/shm/weft-probe-XXXXXX";
  const channel::FileDescriptor elsewhere(::mkstemp(hangs));
  struct stat there {
  }, here{};
  const bool are_two = elsewhere.is_open() && ::fstat(elsewhere.get(), &there) == 0 &&
                       ::stat(folder_.path().c_str(), &here) == 0 && there.st_dev != here.st_dev;
  if (elsewhere.is_open()) ::unlink(hangs);
  if (!are_two) GTEST_SKIP() << "There are no two file systems here.";
  ASSERT_EQ(::write(elsewhere.get(), "hang\n", 5), 5);
  begin();
  for (int i = 0; i < 2 * kMostFileWorkers; i++) {
    std::vector<channel::FileDescriptor> inputs(1);
    inputs[0] = *channel::duplicate(elsewhere.get());
    v1::JobSpec spec;
    spec.mutable_video()->set_input(hangs);
    supervisor_->prober().probe(
        spec, std::move(inputs), {}, false, [](const StatusOr<v1::JobEstimate>& answer) {
          EXPECT_THAT(answer, StatusIs(StatusCode::kUnavailable));  // answer when the daemon stops
        });
  }
  const v1::Job job = make_job("finish");
  const auto estimate = ask<v1::JobEstimate>([&](auto done) {
    std::vector<channel::FileDescriptor> inputs(1);
    inputs[0].reset(::open(job.spec().video().input().c_str(), O_RDONLY | O_CLOEXEC));
    supervisor_->prober().probe(job.spec(), std::move(inputs), {}, false, done);
  });
  ASSERT_TRUE(estimate.ok()) << estimate.status();
  EXPECT_EQ(estimate->units_in(), 9);
}

// The files of one owner are slow, on a file system that all owners use.
TEST_F(SupervisorFilesTest, SlowProbesOfOneOwnerHoldUpNobodyElse) {
  begin();
  const auto ends = [](const StatusOr<v1::JobEstimate>& answer) {
    EXPECT_THAT(answer, StatusIs(StatusCode::kUnavailable));  // answer when the daemon stops
  };
  for (int i = 0; i < 2 * kMostFileWorkers; i++) probe("hang", "mallory", ends);
  for (const char* owner : {"ann", "bob"})
    EXPECT_THAT(ask<v1::JobEstimate>([&](auto done) { probe("finish", owner, done); }), IsOk()) << owner;
}

// Three probes wait for their timeout. Twenty probes of an owner that had a turn follow, then one
// of an owner that had none.
TEST_F(SupervisorFilesTest, OwnersTakeTurnsWithProbes) {
  // longer than the start of a worker on a busy machine
  config_.probe_timeout = std::chrono::seconds(5);
  begin();
  std::mutex mutex;
  std::vector<std::string> order;
  std::promise<void> all;
  const auto note = [&](const std::string& owner) {
    return [&, owner](const StatusOr<v1::JobEstimate>& answer) {
      if (!answer.ok()) return;  // after the timeout, or when the daemon stops
      const std::lock_guard lock(mutex);
      order.push_back(owner);
      if (order.size() == 21) all.set_value();
    };
  };
  for (const char* owner : {"ann", "ann", "bob"}) probe("hang", owner, note(owner));
  for (int i = 0; i < 20; i++) probe("finish", "ann", note("ann"));
  probe("finish", "eve", note("eve"));
  ASSERT_EQ(all.get_future().wait_for(kDeadline), std::future_status::ready);
  // The supervisor is destroyed first, since its last answer may still hold the mutex.
  supervisor_.reset();
  const auto eve = std::find(order.begin(), order.end(), "eve");
  EXPECT_LE(eve - order.begin(), 1);  // Another probe may run at the same time.
}

TEST_F(SupervisorFilesTest, OneOwnersProbesDoNotFillTheLine) {
  begin();
  std::promise<Status> refused;
  std::atomic<bool> is_told{false};
  for (size_t i = 0; i < kMaxWaitingProbesOfOwner + kFileWorkersOfOwner + 1; i++)
    probe("hang", "mallory", [&](const StatusOr<v1::JobEstimate>& answer) {
      if (!is_told.exchange(true)) refused.set_value(answer.status());
    });
  auto future = refused.get_future();
  ASSERT_EQ(future.wait_for(kDeadline), std::future_status::ready);
  EXPECT_THAT(future.get(), StatusIs(StatusCode::kUnavailable, "of user 109"));
  EXPECT_THAT(ask<v1::JobEstimate>([&](auto done) { probe("finish", "ann", done); }), IsOk());
  supervisor_.reset();  // destroyed before the object that receives its answers
}

// No loop ran for ten minutes: the machine was suspended, or the process was stopped.
TEST_F(SupervisorFilesTest, TheSilenceOfOnesOwnAbsenceKillsNobody) {
  VirtualClock clock;
  config_.workers.hang_timeout = std::chrono::seconds(5);
  auto list = list_devices(FAKE_WORKER, kDeadline);
  ASSERT_TRUE(list.ok()) << list.status();
  auto made = Supervisor::make(config_, *list, events_, clock);
  ASSERT_TRUE(made.ok()) << made.status();
  supervisor_ = *std::move(made);
  supervisor_->begin();
  const v1::Job one = make_job("work", "01ARZ3NDEKTSV4RRFFQ69G5FA1");
  const v1::Job other = make_job("deaf", "01ARZ3NDEKTSV4RRFFQ69G5FA2");
  for (const auto& [job, device] : {std::pair(one, "cpu"), std::pair(other, "cuda:0")}) {
    events_.wait_for_device(device, v1::DEVICE_STATE_IN_SERVICE);
    ASSERT_THAT(start(job, device), IsOk());
    events_.wait_until_working(job.id());
  }
  for (int i = 0; i < 20; i++) {
    clock.advance(std::chrono::minutes(10));
    events_.wait_until_working_again(one.id());
    events_.wait_until_working_again(other.id());
  }
  EXPECT_EQ(events_.losses(), 0);
  // A real hang is still detected.
  const v1::Job hangs = make_job("hang", "01ARZ3NDEKTSV4RRFFQ69G5FA3");
  supervisor_->stop({one.id(), 1}, internal::v1::STOP_KIND_PAUSE);
  EXPECT_EQ(events_.next_end().how, "stopped");
  ASSERT_THAT(start(hangs), IsOk());
  const auto deadline = std::chrono::steady_clock::now() + kDeadline;
  while (events_.losses() == 0 && std::chrono::steady_clock::now() < deadline) {
    clock.advance(milliseconds(200));
    events_.wait_until_working_again(other.id());
  }
  EXPECT_EQ(events_.next_end().attempt.job_id, hangs.id());
  supervisor_.reset();  // destroyed before its clock
}

// A job never uses more memory than planned.
TEST_F(SupervisorFilesTest, AnInputThatChangedAfterTheSubmitIsEstimatedAgain) {
  begin();
  for (const auto& [device, planned, needs] :
       {std::tuple("cpu", 7'000'000, "7 MB"), std::tuple("cuda:0", 3'000'000, "3 MB")}) {
    events_.wait_for_device(device, v1::DEVICE_STATE_IN_SERVICE);
    v1::Job job =
        make_job("large", std::string("01ARZ3NDEKTSV4RRFFQ69G5") + (needs[0] == '7' ? "FA1" : "FA2"));
    const auto plan = [&](int64_t bytes) {
      job.set_attempt(job.attempt() + 1);
      job.mutable_estimate()->set_host_bytes(bytes);
      job.mutable_estimate()->set_shared_bytes(bytes);
    };
    plan(planned - 1'000'000);
    job.mutable_submit_time()->set_seconds(1);
    ASSERT_THAT(start(job, device), IsOk());
    const RecordingEvents::End end = events_.next_end();
    EXPECT_EQ(end.how, "refused");
    EXPECT_THAT(end.error, StatusIs(StatusCode::kFailedPrecondition, needs));
    // The attempt starts if the plan has enough memory, or if the file was not changed.
    plan(planned);
    for (const int64_t submit : {int64_t{1}, std::time(nullptr) + 3600}) {
      job.mutable_submit_time()->set_seconds(submit);
      ASSERT_THAT(start(job, device), IsOk());
      events_.wait_until_working_again(job.id());
      supervisor_->stop({job.id(), job.attempt()}, internal::v1::STOP_KIND_PAUSE);
      EXPECT_EQ(events_.next_end().how, "stopped");
      plan(1);
    }
  }
}

TEST_F(SupervisorFilesTest, AJobWithoutFilesRuns) {
  begin();
  events_.wait_for_device("cpu", v1::DEVICE_STATE_IN_SERVICE);
  v1::Job job = make_job("finish");
  job.mutable_spec()->mutable_video()->Clear();
  const auto estimate = ask<v1::JobEstimate>([&](auto done) {
    supervisor_->prober().probe(job.spec(), std::vector<channel::FileDescriptor>(), {}, false, done);
  });
  ASSERT_THAT(estimate, IsOk());
  EXPECT_EQ(estimate->units_in(), 9);
  ASSERT_THAT(start(job), IsOk());
  const RecordingEvents::End end = events_.next_end();
  EXPECT_EQ(end.how, "finished") << end.error;
  const std::string work = work_folder_of(job, config_.workers.state_folder);
  EXPECT_TRUE(std::filesystem::is_directory(work));
  EXPECT_THAT(supervisor_->publish(record_of(job), nullptr), IsOk());
  EXPECT_THAT(supervisor_->discard(job), IsOk());
  EXPECT_FALSE(std::filesystem::exists(work));
}

}  // namespace
}  // namespace weft::queue
