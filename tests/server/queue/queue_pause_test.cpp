// SPDX-License-Identifier: Apache-2.0
// Tests the pause of the whole queue: no job starts, running jobs continue.
#include <gmock/gmock.h>

#include "tests/server/queue/queue_fixture.h"

namespace weft::queue {
namespace {

using testing::HasSubstr;

using QueuePauseTest = QueueTest;

TEST_F(QueuePauseTest, APausedQueueStartsNothingUntilResumedAlsoAfterARestart) {
  queue_->on_device(make_device("cpu"));
  const v1::Job running = *submit(make_submission("first"));
  const AttemptId attempt = workers_.next().attempt;
  const auto pause = [&] { return ask<bool>([&](auto done) { queue_->pause_queue(done); }); };
  const auto is_paused = [&] { return ask<QueueCounts>([&](auto done) { queue_->counts(done); })->paused; };
  EXPECT_FALSE(is_paused());
  EXPECT_TRUE(*pause());
  EXPECT_TRUE(*pause()) << "repeating it is harmless";
  EXPECT_TRUE(is_paused());
  EXPECT_EQ(get(running.id())->state(), v1::JOB_STATE_RUNNING);
  const v1::Job job = *submit(make_submission("second"));
  queue_->on_finished(attempt, {});
  EXPECT_EQ(workers_.next().what, "publish");
  EXPECT_THAT(get(job.id())->waiting_reason(), HasSubstr("The queue is paused"));
  const auto devices = ask<Devices>([&](auto done) { queue_->list_devices(done); });
  EXPECT_TRUE(devices->front().queue_paused());
  EXPECT_TRUE(ask<v1::ListJobsResponse>([&](auto done) { queue_->list({}, done); })->queue_paused());
  reopen();
  queue_->on_device(make_device("cpu"));
  EXPECT_TRUE(is_paused());
  EXPECT_EQ(get(job.id())->state(), v1::JOB_STATE_QUEUED);
  EXPECT_FALSE(*ask<bool>([&](auto done) { queue_->resume_queue(done); }));
  EXPECT_EQ(workers_.next().attempt.job_id, job.id());
}

}  // namespace
}  // namespace weft::queue
