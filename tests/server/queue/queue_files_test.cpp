// SPDX-License-Identifier: Apache-2.0
// The queue and a file system that hangs where outputs go.
#include <filesystem>
#include <future>
#include <vector>

#include <gmock/gmock.h>

#include "server/queue/files/mount_table.h"
#include "tests/server/queue/queue_fixture.h"

namespace weft::queue {
namespace {

using ::testing::HasSubstr;

constexpr int kHungJobs = 6;  // more than one file system has threads

class QueueFilesTest : public QueueTest {
 protected:
  QueueFilesTest() { config_.jobs_per_device = kHungJobs + 1; }

  // A job that its worker has finished.
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
  workers_.at_publish = [&, answered = answers.get_future().share()](const v1::Job& job) {
    if (job.spec().video().output().starts_with(hangs)) answered.wait();
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
  // What waits says so, also what none of the threads has begun.
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
  // The next attempt begins without.
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

}  // namespace
}  // namespace weft::queue
