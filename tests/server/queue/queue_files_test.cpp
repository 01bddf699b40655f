// SPDX-License-Identifier: Apache-2.0
// Tests the queue with outputs on a file system that hangs.
#include <atomic>
#include <filesystem>
#include <future>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "server/queue/files/mount_table.h"
#include "tests/server/queue/queue_fixture.h"

namespace weft::queue {
namespace {

using ::testing::HasSubstr;

constexpr int kHungJobs = 6;  // more than the threads of one file system

class QueueFilesTest : public QueueTest {
 protected:
  QueueFilesTest() { config_.jobs_per_device = kHungJobs + 1; }

  // Submits a job and reports that its worker has finished it.
  std::string finish(const std::string& name, const std::string& output) {
    Submission submission = make_submission(name);
    submission.spec.mutable_video()->set_output(output);
    std::string id = submit(submission)->id();
    EXPECT_EQ(workers_.next().what, "start");
    queue_->on_finished({id, 1}, {});
    return id;
  }
};

TEST_F(QueueFilesTest, OutputsOnAFileSystemThatHangsHoldUpNoOthers) {
  const std::string hangs = "/dev/shm/weft-queue-files";
  const auto mounts = current_mounts();
  if (mounts->mount_of(hangs) == mounts->mount_of(std::filesystem::canonical(folder_.path()).string()))
    GTEST_SKIP() << "There are no two file systems here.";
  std::promise<void> answers;
  workers_.at_publish = [&, answered = answers.get_future().share()](const v1::Job& job, const CopyReport&) {
    if (job.spec().video().output().starts_with(hangs)) answered.wait();
    return ok_status();
  };
  v1::DeviceStatus device = make_device("cpu");
  device.set_state(v1::DEVICE_STATE_IN_SERVICE);
  queue_->on_device(device);
  std::vector<std::string> hung;
  for (int i = 0; i < kHungJobs; i++) {
    const std::string name = "hung-" + std::to_string(i);
    hung.push_back(finish(name, fmt::format("{}/{}.mkv", hangs, name)));
  }
  const std::string other = finish("other", folder_.path() + "/other.mkv");
  EXPECT_EQ(workers_.next().attempt.job_id, other);
  wait_for_state(other, v1::JOB_STATE_SUCCEEDED);
  // Each waiting job reports its wait, even if no thread has begun with it.
  for (const std::string& id : hung) {
    const auto deadline = std::chrono::steady_clock::now() + kDeadline;
    std::string reason;
    while (reason.empty() && std::chrono::steady_clock::now() < deadline) reason = get(id)->waiting_reason();
    EXPECT_THAT(reason, HasSubstr("put in its place (" + hangs));
    EXPECT_EQ(get(id)->state(), v1::JOB_STATE_RUNNING);
  }
  answers.set_value();
  for (const std::string& id : hung) {
    wait_for_state(id, v1::JOB_STATE_SUCCEEDED);
    EXPECT_EQ(get(id)->waiting_reason(), "");
  }
}

TEST_F(QueueFilesTest, ACopyOfAnOutputShowsItsProgressAndEndsWithTheDaemon) {
  std::atomic<int64_t> done_bytes{1'000'000'000};
  workers_.at_publish = [&](const v1::Job&, const CopyReport& report) {
    Status wanted;
    while (wanted.ok()) {
      wanted = report(done_bytes, 4'000'000'000);
      std::this_thread::yield();
    }
    return wanted;
  };
  v1::DeviceStatus device = make_device("cpu");
  device.set_state(v1::DEVICE_STATE_IN_SERVICE);
  queue_->on_device(device);
  const std::string id = finish("copied", folder_.path() + "/copied.mkv");
  const auto wait_for_reason = [&](const std::string& wanted) {
    const auto deadline = std::chrono::steady_clock::now() + kDeadline;
    std::string reason;
    while (reason.find(wanted) == reason.npos && std::chrono::steady_clock::now() < deadline)
      reason = get(id)->waiting_reason();
    EXPECT_THAT(reason, HasSubstr(wanted));
  };
  wait_for_reason("copied.mkv; 25% of 2 GB");
  done_bytes = 3'000'000'000;
  wait_for_reason("75% of 2 GB");
  EXPECT_THAT(call(&Queue::cancel, id), StatusIs(StatusCode::kFailedPrecondition, "on the way to its place"));
  queue_->stop();  // returns although the copy has not ended by itself
  workers_.at_publish = nullptr;
  reopen();
  wait_for_state(id, v1::JOB_STATE_SUCCEEDED);
}

TEST_F(QueueFilesTest, OrphansAreSoughtInPresentAndFormerFoldersForWork) {
  Submission submission = make_submission("a");
  submission.work_location = "/former/work";
  ASSERT_THAT(submit(submission), IsOk());
  config_.work_folder = "/present/work";
  reopen();
  for (const std::string& folder :
       {std::string("/former/work"), std::string("/present/work"), folder_.path() + "/work"})
    EXPECT_TRUE(workers_.wait_for_orphans_in(folder)) << folder;
}

TEST_F(QueueFilesTest, ARunningJobSaysWhichFileItWaitsForUntilItDoesNot) {
  v1::DeviceStatus device = make_device("cpu");
  device.set_state(v1::DEVICE_STATE_IN_SERVICE);
  queue_->on_device(device);
  const std::string id = submit()->id();
  EXPECT_EQ(workers_.next().what, "start");
  v1::JobFilter filter;
  filter.add_ids(id);
  const auto watch = queue_->watch(filter, "");
  const auto wait_for_reason = [&](const std::string& reason) {
    while (true) {
      const auto event = next_of(*watch);
      ASSERT_TRUE(event.ok() && event->has_value());
      if ((*event)->job().waiting_reason() == reason) return;
    }
  };
  queue_->on_file_wait({id, 2}, "of an attempt that is none");
  queue_->on_file_wait({id, 1}, "Waits for /in/a.ts.");
  wait_for_reason("Waits for /in/a.ts.");
  const auto explained = ask<v1::ExplainJobResponse>([&](auto done) { queue_->explain(id, done); });
  EXPECT_THAT(explained->reasons(), ::testing::Contains("Waits for /in/a.ts."));
  queue_->on_file_wait({id, 1}, "");
  wait_for_reason("");
  // The next attempt begins without a reason for a wait.
  queue_->on_file_wait({id, 1}, "Waits again.");
  queue_->on_stopped({id, 1}, unavailable("It broke."), true, {});
  EXPECT_EQ(workers_.next().what, "start");
  EXPECT_EQ(get(id)->waiting_reason(), "");
}

TEST_F(QueueFilesTest, AJobWithoutFilesGoesFromSubmitToResult) {
  queue_->on_device(make_device("cpu"));
  Submission submission = make_submission("a");
  submission.spec.mutable_video()->Clear();
  const std::string first = submit(submission)->id();
  submission.request_id = "another";
  ASSERT_THAT(submit(submission), IsOk()) << "no output that both would write";
  EXPECT_EQ(workers_.next().what, "start");
  v1::JobResult result;
  result.add_notes("It measured something.");
  queue_->on_finished({first, 1}, result);
  const v1::Job ended = wait_for_state(first, v1::JOB_STATE_SUCCEEDED);
  EXPECT_EQ(ended.result().notes(0), "It measured something.");
  v1::ListJobsRequest list;
  list.mutable_filter()->set_kind("video");
  const auto jobs = ask<v1::ListJobsResponse>([&](auto done) { queue_->list(list, done); });
  ASSERT_THAT(jobs, IsOk());
  EXPECT_EQ(jobs->total(), 2);
}

// A job with an input that changes its size may write out.2.mkv, out.3.mkv and so on.
TEST_F(QueueFilesTest, NoTwoJobsMayWriteOneFurtherFile) {
  const auto job = [](const std::string& input, const std::string& output, bool splits) {
    Submission submission = make_submission();
    submission.spec.mutable_video()->set_input(input);
    submission.spec.mutable_video()->set_output(output);
    if (splits)
      submission.spec.mutable_video()->mutable_decoding()->set_on_size_change(v1::SIZE_CHANGE_SPLIT);
    return submission;
  };
  const auto refused = [&](const Submission& submission, const char* why) {
    EXPECT_THAT(submit(submission).status(), StatusIs(StatusCode::kFailedPrecondition, why));
  };
  const std::string splits = submit(job("/in/a.ts", "/out/x.mkv", true))->id();
  refused(job("/in/b.ts", "/out/x.2.mkv", false), "writes the same output");
  refused(job("/in/b.ts", "/out/./x.17.mkv", true), "writes the same output");
  EXPECT_TRUE(submit(job("/in/b.ts", "/out/x.1.mkv", false)).ok());
  EXPECT_TRUE(submit(job("/in/b.ts", "/out/x.2.mp4", false)).ok());
  ASSERT_TRUE(call(&Queue::cancel, splits).ok());
  EXPECT_TRUE(submit(job("/in/b.ts", "/out/x.2.mkv", false)).ok()) << "that job has ended";
  const std::string third = submit(job("/in/b.ts", "/out/x.3.mkv", false))->id();
  refused(job("/in/a.ts", "/out/x.mkv", true), "writes the same output");
  ASSERT_TRUE(call(&Queue::cancel, third).ok());
  refused(job("/in/a.ts", "/out/x.mkv", true), "writes the same output");
  EXPECT_TRUE(submit(job("/in/a.ts", "/out/x.mkv", false)).ok()) << "one file comes of it";
  EXPECT_TRUE(submit(job("/in/y.2.ts", "/out/z.mkv", false)).ok());
  refused(job("/in/c.ts", "/in/y.ts", true), "is the input of another job");
}

TEST_F(QueueFilesTest, WhereLinksLedIsKnownAfterARestart) {
  Submission linked = make_submission("a");
  linked.real_paths = linked.spec;
  linked.real_paths.mutable_video()->set_output("/real/a.mkv");
  linked.real_paths.mutable_video()->set_input("/real/a.ts");
  const std::string first = submit(linked)->id();
  reopen();
  Submission writes = make_submission("b");
  for (const char* path : {"/real/a.mkv", "/out/a.mkv"}) {
    writes.spec.mutable_video()->set_output(path);
    EXPECT_THAT(submit(writes).status(), StatusIs(StatusCode::kFailedPrecondition, "writes the same output"));
  }
  writes.spec.mutable_video()->set_output("/real/a.ts");
  EXPECT_THAT(submit(writes).status(),
              StatusIs(StatusCode::kFailedPrecondition, "is the input of another job"));
  ASSERT_TRUE(call(&Queue::cancel, first).ok());
  EXPECT_TRUE(submit(writes).ok());
}

}  // namespace
}  // namespace weft::queue
