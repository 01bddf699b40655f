// SPDX-License-Identifier: Apache-2.0
// Tests the public state of jobs that do not run: the changing reasons of their waits, and their
// finished work.
#include <gmock/gmock.h>

#include "tests/server/queue/core_fixture.h"

namespace weft::queue {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

class WaitingTest : public CoreTest {
 protected:
  WaitingTest() { open(); }

  std::shared_ptr<JobSubscription> watch() {
    auto watch = std::make_shared<JobSubscription>(v1::JobFilter(), watches_);
    core_->watch(watch, "");
    for (auto event = next_of(*watch); (*event)->kind() != v1::WatchJobsResponse::KIND_SNAPSHOT_END;)
      event = next_of(*watch);
    return watch;
  }
  // Returns the newest state of each job that the watch reports within some seconds.
  std::map<std::string, v1::Job> heard(JobSubscription& watch) {
    std::map<std::string, v1::Job> jobs;
    // The queue reports the reason of this job last.
    const std::string last = submit("z" + std::to_string(lasts_++));
    live(seconds(5));
    while (true) {
      const auto event = next_of(watch);
      EXPECT_TRUE(event.ok()) << event.status();
      if (!event.ok()) return jobs;
      const v1::Job& job = (*event)->job();
      if (job.id() == last && (*event)->kind() == v1::WatchJobsResponse::KIND_PROGRESS) return jobs;
      jobs[job.id()] = job;
    }
  }

  std::shared_ptr<std::atomic<int>> watches_ = std::make_shared<std::atomic<int>>(0);
  int lasts_ = 0;
};

TEST_F(WaitingTest, WhoWatchesHearsWhatAQueuedJobWaitsForNow) {
  core_->on_device(make_device("cpu"));
  const std::string first = submit("first"), second = submit("second"), third = submit("third");
  const auto watching = watch();
  heard(*watching);
  EXPECT_EQ(core_->views().get(third)->waiting_reason(),
            fmt::format("Waits for cpu: first.ts (job {}) is running there; 1 job is ahead.", first));
  EXPECT_EQ(core_->views().get(third)->position(), 2);
  take(first, event::Stopped{1, invalid_argument("broken"), false, {}});
  ASSERT_EQ(core_->views().get(second)->state(), v1::JOB_STATE_RUNNING);
  const auto jobs = heard(*watching);
  ASSERT_TRUE(jobs.contains(third));
  EXPECT_EQ(jobs.at(third).position(), 1);
  EXPECT_EQ(core_->views().get(second)->position(), 0) << "it runs";
  EXPECT_EQ(jobs.at(third).waiting_reason(),
            fmt::format("Waits for cpu: second.ts (job {}) is running there; this job is next.", second));
}

TEST_F(WaitingTest, NobodyHearsWhatHasNotChanged) {
  core_->on_device(make_device("cpu"));
  submit("first");
  const std::string second = submit("second");
  const auto watching = watch();
  heard(*watching);
  for (int i = 0; i < 3; i++) core_->on_device(make_device("cpu"));
  EXPECT_FALSE(heard(*watching).contains(second));
}

TEST_F(WaitingTest, ADaemonThatIsAboutToStopIsSeen) {
  core_->on_device(make_device("cpu"));
  const std::string first = submit("first"), second = submit("second");
  const auto watching = watch();
  const auto devices = std::make_shared<DeviceSubscription>(std::vector<std::string>(), watches_);
  core_->device_watches().subscribe(devices);
  EXPECT_FALSE((*next_of(*devices))->server_draining());
  core_->drain([] {});
  live(seconds(2));
  EXPECT_TRUE((*next_of(*devices))->server_draining());
  EXPECT_THAT(core_->views().get(second)->waiting_reason(), HasSubstr("about to stop"));
}

// Worker and daemon end without notice.
TEST_F(WaitingTest, FinishedSegmentsAreShownAfterARestart) {
  core_->on_device(make_device("cpu"));
  const std::string id = submit("first", 1000);
  take(id, event::SegmentDone{1, 300});
  live(seconds(10));
  open();
  const v1::Job job = *core_->views().get(id);
  EXPECT_EQ(job.state(), v1::JOB_STATE_QUEUED);
  EXPECT_EQ(job.progress().units_done(), 300);
  EXPECT_EQ(job.progress().units_total(), 1000);
  core_->on_device(make_device("cpu"));
  settle();
  ASSERT_EQ(core_->views().get(id)->state(), v1::JOB_STATE_RUNNING);
  v1::JobProgress progress;  // progress of an attempt that has just begun
  progress.set_units_total(1000);
  core_->on_progress({id, 2}, progress);
  EXPECT_EQ(core_->views().get(id)->progress().units_done(), 300);
}

// The encoder of a GPU permits two sessions, as it shows when the third job opens one.
TEST_F(WaitingTest, AJobWithoutAnEncoderSessionWaitsForOneAndTheDeviceShowsTheLimit) {
  config_.jobs_per_device = 3;
  open();
  core_->on_device(make_device("cuda:0", v1::DEVICE_KIND_CUDA));
  const auto submit_nvenc = [&](const std::string& name) {
    Submission submission = make_submission(name);
    submission.settings.set_max_attempts(1);
    submission.estimate.set_encoder_sessions(1);
    std::string id;
    core_->submit(submission, [&](const StatusOr<v1::Job>& job) { id = job->id(); });
    settle();
    return id;
  };
  const std::string first = submit_nvenc("a"), second = submit_nvenc("b"), third = submit_nvenc("c");
  ASSERT_EQ(core_->views().get(third)->state(), v1::JOB_STATE_RUNNING);
  take(third, event::SessionRefused{{1, resource_exhausted("No session is left.")}, 2, {}});
  live(seconds(5));
  EXPECT_EQ(core_->views().get(third)->state(), v1::JOB_STATE_QUEUED);
  EXPECT_THAT(core_->views().get(third)->waiting_reason(),
              HasSubstr("Waits for an encoder session: jobs have 2 of 2 sessions of the encoder of cuda:0"));
  EXPECT_EQ(core_->devices().view("cuda:0").encoder_sessions(), 2);
  EXPECT_EQ(core_->devices().view("cuda:0").encoder_session_limit(), 2);
  take(first, event::Finished{1, {}});
  EXPECT_EQ(core_->views().get(third)->state(), v1::JOB_STATE_RUNNING);
  EXPECT_EQ(core_->views().get(third)->attempt(), 2);
  take(third, event::Stopped{2, data_loss("broken"), false, {}});
  take(second, event::Stopped{1, data_loss("broken"), false, {}});
  // Without a session of a job the refusal is an error like others.
  const std::string alone = submit_nvenc("d");
  take(alone, event::SessionRefused{{1, resource_exhausted("No session is left.")}, 0, {}});
  EXPECT_EQ(core_->views().get(alone)->state(), v1::JOB_STATE_FAILED);
  EXPECT_EQ(core_->views().get(alone)->error().message(), "No session is left.");
  core_->resume_devices({"cuda:0"}, false, [](const StatusOr<std::vector<v1::DeviceStatus>>&) {});
  settle();
  EXPECT_EQ(core_->devices().view("cuda:0").encoder_session_limit(), 0);
}

}  // namespace
}  // namespace weft::queue
