// SPDX-License-Identifier: Apache-2.0
// Tests the queue as the rest of the daemon uses it: with its thread, its store and real time.
#include "server/queue/queue.h"

#include <atomic>
#include <set>
#include <thread>

#include <gmock/gmock.h>

#include "tests/server/queue/queue_fixture.h"

namespace weft::queue {
namespace {

using testing::HasSubstr;

TEST_F(QueueTest, AJobRunsFromSubmitToSuccess) {
  queue_->on_device(make_device("cpu"));
  const StatusOr<v1::Job> job = submit();
  ASSERT_THAT(job, IsOk());
  const RecordingWorkers::Call start = workers_.next();
  EXPECT_EQ(start.what, "start");
  EXPECT_EQ(start.attempt, (AttemptId{job->id(), 1}));
  EXPECT_EQ(start.device, "cpu");
  EXPECT_EQ(get(job->id())->state(), v1::JOB_STATE_RUNNING);

  v1::JobProgress progress;
  progress.set_units_done(7);
  queue_->on_progress(start.attempt, progress);
  v1::JobResult result;
  result.set_units_out(14);
  queue_->on_finished(start.attempt, result);
  EXPECT_EQ(workers_.next().what, "publish");

  const v1::Job last = wait_for_state(job->id(), v1::JOB_STATE_SUCCEEDED);
  EXPECT_TRUE(workers_.was_removed(job->id()));
  EXPECT_EQ(last.result().units_out(), 14);
  EXPECT_TRUE(last.attempts_size() == 1 && last.has_end_time());
}

TEST_F(QueueTest, WaitingJobsSayWhy) {
  const v1::Job alone = *submit(make_submission("a"));
  EXPECT_THAT(get(alone.id())->waiting_reason(), HasSubstr("none is there yet"));
  queue_->on_device(make_device("cpu"));
  EXPECT_EQ(workers_.next().what, "start");
  submit(make_submission("b")).value();
  const v1::Job third = *submit(make_submission("c"));
  EXPECT_EQ(get(third.id())->waiting_reason(),
            fmt::format("Waits for cpu: a.ts (job {}) is running there; 1 job is ahead.", alone.id()));
}

TEST_F(QueueTest, OneRequestIdIsOneJobHoweverOftenItComes) {
  constexpr int kThreads = 20;
  constexpr int kRepeats = 50;
  Submission submission = make_submission();
  submission.request_id = "e8a1a7a2-3c52-4a57-b6f0-0d4b1e2f3a4b";
  std::mutex mutex;
  std::set<std::string> ids;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; i++)
    threads.emplace_back([&] {
      for (int repeat = 0; repeat < kRepeats; repeat++) {
        const StatusOr<v1::Job> job = submit(submission);
        std::lock_guard lock(mutex);
        ids.insert(job.ok() ? job->id() : job.status().ToString());
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ids.size(), 1u);
  const auto list = ask<v1::ListJobsResponse>([&](auto done) { queue_->list({}, done); });
  EXPECT_EQ(list->total(), 1);

  reopen();
  EXPECT_EQ(submit(submission)->id(), *ids.begin());
  submission.settings.set_priority(5);
  EXPECT_THAT(submit(submission), StatusIs(StatusCode::kAlreadyExists, *ids.begin()));
}

TEST_F(QueueTest, WhatADeadDaemonLeftRunningGoesOnWithTheNextAttempt) {
  queue_->on_device(make_device("cpu"));
  const v1::Job job = *submit();
  EXPECT_EQ(workers_.next().attempt.attempt, 1);
  reopen();
  queue_->on_device(make_device("cpu"));
  const RecordingWorkers::Call start = workers_.next();
  EXPECT_EQ(start.attempt, (AttemptId{job.id(), 2}));
  // A late message of the attempt that ended with the old daemon.
  queue_->on_finished({job.id(), 1}, {});
  const v1::Job now = *get(job.id());
  EXPECT_EQ(now.state(), v1::JOB_STATE_RUNNING);
  EXPECT_EQ(now.attempts(0).error().code(), int(StatusCode::kAborted));
  EXPECT_EQ(workers_.waiting_calls(), 0u);
}

TEST_F(QueueTest, OneDaemonAStateFolder) {
  const auto second = Queue::open(config_, clock_);
  EXPECT_THAT(second, StatusIs(StatusCode::kAborted, std::to_string(getpid())));
}

TEST_F(QueueTest, TheWorkerIsToldBeforeACancelIsAnswered) {
  queue_->on_device(make_device("cpu"));
  const v1::Job job = *submit();
  workers_.next();
  std::promise<size_t> answered;
  queue_->cancel(job.id(), [&](const StatusOr<v1::Job>&) { answered.set_value(workers_.waiting_calls()); });
  EXPECT_EQ(answered.get_future().get(), 1u);
  EXPECT_EQ(workers_.next().kind, internal::v1::STOP_KIND_CANCEL);
}

TEST_F(QueueTest, OfJobsThatEndedTheNewestAreKept) {
  config_.ended_jobs = 2;
  reopen();
  queue_->on_device(make_device("cpu"));
  std::vector<std::string> ids;
  for (const char* name : {"a", "b", "c", "d"}) {
    Submission submission = make_submission(name);
    submission.request_id = name;
    ids.push_back(submit(submission)->id());
    queue_->on_finished(workers_.next().attempt, {});
    EXPECT_EQ(workers_.next().what, "publish");
    wait_for_state(ids.back(), v1::JOB_STATE_SUCCEEDED);
  }
  EXPECT_THAT(get(ids[0]), StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(get(ids[1]), StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(get(ids[2]), IsOk());
  EXPECT_THAT(get(ids[3]), IsOk());
  reopen();
  EXPECT_EQ(ask<v1::ListJobsResponse>([&](auto done) { queue_->list({}, done); })->total(), 2);
  const auto log = queue_->read_log(ids[0], 0, false);
  EXPECT_THAT(next_of(*log), StatusIs(StatusCode::kNotFound));
  // Its request id is free again. Its job id is not given to another job.
  Submission again = make_submission("a");
  again.request_id = "a";
  EXPECT_GT(submit(again)->id(), ids[3]);
}

TEST_F(QueueTest, JobsThatEndedLongAgoAreForgottenWithTheirWorkFolders) {
  config_.ended_age = std::chrono::milliseconds(1);
  reopen();
  queue_->on_device(make_device("cpu"));
  Submission fails = make_submission("a");
  fails.settings.set_max_attempts(1);
  const std::string id = submit(fails)->id();
  queue_->on_stopped(workers_.next().attempt, unavailable("Busy."), true, {});
  EXPECT_EQ(workers_.next().what, "discard");
  const TimePoint deadline = clock_.now() + kDeadline;
  while (get(id).ok() && clock_.now() < deadline) std::this_thread::yield();
  EXPECT_THAT(get(id), StatusIs(StatusCode::kNotFound));
}

TEST_F(QueueTest, WhatRunsMayFinishWhileTheQueueDrains) {
  queue_->on_device(make_device("cpu"));
  const v1::Job first = *submit();
  const v1::Job second = *submit(make_submission("b"));
  const AttemptId attempt = workers_.next().attempt;
  std::promise<void> drained;
  queue_->drain([&] { drained.set_value(); });
  queue_->on_finished(attempt, {});
  EXPECT_EQ(workers_.next().what, "publish");
  ASSERT_EQ(drained.get_future().wait_for(kDeadline), std::future_status::ready);
  EXPECT_EQ(get(first.id())->state(), v1::JOB_STATE_SUCCEEDED);
  EXPECT_EQ(get(second.id())->state(), v1::JOB_STATE_QUEUED);
  EXPECT_EQ(workers_.waiting_calls(), 0u);
}

TEST_F(QueueTest, DrainWaitsUntilNothingRunsAndTakesNothingMore) {
  queue_->on_device(make_device("cpu"));
  const v1::Job job = *submit();
  const AttemptId attempt = workers_.next().attempt;
  std::promise<void> drained;
  queue_->drain([&] { drained.set_value(); });
  // Running jobs continue until the daemon stops them.
  EXPECT_THAT(submit(make_submission("b")), StatusIs(StatusCode::kUnavailable, "about to stop"));
  EXPECT_EQ(workers_.waiting_calls(), 0u);
  EXPECT_EQ(get(job.id())->state(), v1::JOB_STATE_RUNNING);
  queue_->checkpoint();
  const RecordingWorkers::Call stop = workers_.next();
  EXPECT_EQ(stop.what, "stop");
  EXPECT_EQ(stop.kind, internal::v1::STOP_KIND_CHECKPOINT);
  auto future = drained.get_future();
  EXPECT_EQ(future.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  queue_->on_stopped(attempt, cancelled("Stopped."), false, {});
  ASSERT_EQ(future.wait_for(kDeadline), std::future_status::ready);
  EXPECT_EQ(get(job.id())->state(), v1::JOB_STATE_QUEUED);
  EXPECT_TRUE(ask<QueueCounts>([&](auto done) { queue_->counts(done); })->draining);

  reopen();
  queue_->on_device(make_device("cpu"));
  EXPECT_EQ(workers_.next().attempt, (AttemptId{job.id(), 2}));
}

TEST_F(QueueTest, JobsThatWaitAreCountedByClass) {
  const auto queued = [this] {
    return ask<QueueCounts>([&](auto done) { queue_->counts(done); })->queued_by_class;
  };
  EXPECT_EQ(queued(), (std::map<std::string, int64_t>{{"normal", 0}, {"spare", 0}}));
  Submission spare = make_submission("a");
  spare.settings.set_job_class(v1::JOB_CLASS_SPARE);
  const v1::Job job = *submit(spare);
  ASSERT_TRUE(submit(make_submission("b")).ok());
  ASSERT_TRUE(submit(make_submission("c")).ok());
  EXPECT_EQ(queued(), (std::map<std::string, int64_t>{{"normal", 2}, {"spare", 1}}));
  reopen();
  EXPECT_EQ(queued(), (std::map<std::string, int64_t>{{"normal", 2}, {"spare", 1}}));
  ASSERT_TRUE(ask<v1::Job>([&](auto done) { queue_->cancel(job.id(), done); }).ok());
  EXPECT_EQ(queued(), (std::map<std::string, int64_t>{{"normal", 2}, {"spare", 0}}));
}

TEST_F(QueueTest, ADrainedDeviceTakesNothingUntilResumedAlsoAfterARestart) {
  queue_->on_device(make_device("cpu"));
  const auto drain = [&](auto ids) {
    return ask<Devices>([&](auto done) { queue_->drain_devices(ids, done); });
  };
  EXPECT_THAT(drain(std::vector<std::string>{"cuda:7"}), StatusIs(StatusCode::kNotFound, "cuda:7"));
  EXPECT_EQ(drain(std::vector<std::string>{"cpu"})->front().state(), v1::DEVICE_STATE_DRAINED);
  reopen();
  queue_->on_device(make_device("cpu"));
  const v1::Job job = *submit();
  EXPECT_THAT(get(job.id())->waiting_reason(), HasSubstr("cpu: it is drained"));
  ask<Devices>([&](auto done) { queue_->resume_devices({}, false, done); }).value();
  EXPECT_EQ(workers_.next().attempt.job_id, job.id());
}

TEST_F(QueueTest, ADrainedDeviceThatHasStreamsIsDraining) {
  v1::DeviceStatus device = make_device("cpu");
  device.set_streams(2);
  queue_->on_device(device);
  const auto drained = ask<Devices>([&](auto done) { queue_->drain_devices({}, done); });
  EXPECT_EQ(drained->front().state(), v1::DEVICE_STATE_DRAINING);
  EXPECT_EQ(drained->front().reason(),
            "It finishes what it has (jobs: 0, streams: 2) and takes nothing else.");
  device.set_streams(0);
  queue_->on_device(device);
  auto watch = queue_->watch_devices({"cpu"});
  while (device.state() != v1::DEVICE_STATE_DRAINED) {
    const auto event = next_of(*watch);
    ASSERT_THAT(event, IsOk());
    device = **event;
  }
  EXPECT_EQ(device.reason(), "");
}

TEST_F(QueueTest, ThreeDeathsAtDifferentJobsTakeTheDeviceOutOfService) {
  queue_->on_device(make_device("cpu"));
  std::vector<v1::Job> jobs;
  for (int i = 0; i < 3; i++) {
    jobs.push_back(*submit(make_submission(std::to_string(i))));
    EXPECT_EQ(workers_.next().attempt.job_id, jobs.back().id());
    call(&Queue::pause, jobs.back().id()).value();
    EXPECT_EQ(workers_.next().what, "stop");
    call(&Queue::resume, jobs.back().id()).value();
    // The worker was lost while the job was to stop. A loss after a user's stop is not counted
    // against the job.
    queue_->on_worker_lost("cpu", {{jobs.back().id(), 1}}, "It was killed because it did not stop.");
    EXPECT_EQ(workers_.next().attempt, (AttemptId{jobs.back().id(), 2}));
    queue_->on_worker_lost("cpu", {{jobs.back().id(), 2}}, "It ended with signal 11.");
    if (i < 2) {
      EXPECT_EQ(workers_.next().attempt, (AttemptId{jobs.back().id(), 3}));
      call(&Queue::cancel, jobs.back().id()).value();
      EXPECT_EQ(workers_.next().what, "stop");
      queue_->on_stopped({jobs.back().id(), 3}, cancelled("Stopped."), true, {});
      EXPECT_EQ(workers_.next().what, "discard");
    }
  }
  auto watch = queue_->watch_devices({"cpu"});
  v1::DeviceStatus device;
  while (device.state() != v1::DEVICE_STATE_OUT_OF_SERVICE) {
    const auto event = next_of(*watch);
    ASSERT_THAT(event, IsOk());
    device = **event;
  }
  EXPECT_THAT(device.reason(), HasSubstr("died 3 times"));
  ask<Devices>([&](auto done) { queue_->resume_devices({"cpu"}, false, done); }).value();
  EXPECT_EQ(workers_.next().attempt, (AttemptId{jobs.back().id(), 3}));
}

TEST_F(QueueTest, ACancelledJobIsCleanedUpOnceItsWorkerHasStopped) {
  queue_->on_device(make_device("cpu"));
  const v1::Job job = *submit();
  const AttemptId attempt = workers_.next().attempt;
  EXPECT_EQ(call(&Queue::cancel, job.id())->state(), v1::JOB_STATE_CANCELLED);
  EXPECT_EQ(workers_.next().kind, internal::v1::STOP_KIND_CANCEL);
  EXPECT_EQ(call(&Queue::cancel, job.id())->state(), v1::JOB_STATE_CANCELLED) << "repeating it is harmless";
  EXPECT_EQ(workers_.waiting_calls(), 0u);
  queue_->on_stopped(attempt, cancelled("Stopped."), false, {});
  EXPECT_EQ(workers_.next().what, "discard");
  EXPECT_THAT(call(&Queue::pause, job.id()),
              StatusIs(StatusCode::kFailedPrecondition, "the state cancelled"));
}

TEST_F(QueueTest, StartsThatAreRefusedForNowCountAsNoFailure) {
  workers_.answer_with(unavailable("The worker of cpu is not ready."));
  queue_->on_device(make_device("cpu"));
  const v1::Job job = *submit();
  for (int i = 1; i <= 5; i++) EXPECT_EQ(workers_.next().attempt, (AttemptId{job.id(), i}));
  workers_.answer_with(ok_status());
  // Only the accepted start can finish.
  for (RecordingWorkers::Call start = workers_.next(); start.what == "start"; start = workers_.next())
    queue_->on_finished(start.attempt, {});
  EXPECT_EQ(wait_for_state(job.id(), v1::JOB_STATE_SUCCEEDED).attempts_size(), 1);
}

TEST_F(QueueTest, StartsThatAreRefusedForGoodFailTheJob) {
  workers_.answer_with(not_found("The input (/in/a.ts) is gone."));
  queue_->on_device(make_device("cpu"));
  const v1::Job job = *submit();
  EXPECT_EQ(workers_.next().what, "start");
  EXPECT_EQ(workers_.next().what, "discard");
  const v1::Job failed = wait_for_state(job.id(), v1::JOB_STATE_FAILED);
  EXPECT_THAT(failed.error().message(), HasSubstr("is gone"));
}

TEST_F(QueueTest, TheLogKeepsWhatTheJobSaidAndFollowEndsWithIt) {
  queue_->on_device(make_device("cpu"));
  const v1::Job job = *submit();
  const AttemptId attempt = workers_.next().attempt;
  queue_->on_log(attempt, "warning", "Packet 3 is corrupt.");
  auto reader = queue_->read_log(job.id(), 0, true);
  EXPECT_THAT((*next_of(*reader))->text(), HasSubstr("Attempt 1 starts on cpu"));
  const auto line = *next_of(*reader);
  EXPECT_EQ(line->text(), "Packet 3 is corrupt.");
  EXPECT_EQ(line->level(), "warning");
  EXPECT_EQ(line->line(), 1);
  queue_->on_finished(attempt, {});
  EXPECT_THAT((*next_of(*reader))->text(), HasSubstr("succeeded"));
  EXPECT_FALSE((*next_of(*reader)).has_value()) << "the job has ended, and so has its log";

  reopen();
  auto from_one = queue_->read_log(job.id(), 1, false);
  EXPECT_EQ((*next_of(*from_one))->text(), "Packet 3 is corrupt.");
  EXPECT_THAT(next_of(*queue_->read_log("00000000", 0, false)), StatusIs(StatusCode::kNotFound));
}

TEST_F(QueueTest, ExplainNamesTheReasonsAndWhatWentWrongBefore) {
  queue_->on_device(make_device("cpu"));
  const v1::Job job = *submit();
  const AttemptId attempt = workers_.next().attempt;
  queue_->on_stopped(attempt, data_loss("The file ends in the middle of a frame."), false, {});
  EXPECT_EQ(workers_.next().what, "discard");
  const auto explained = ask<v1::ExplainJobResponse>([&](auto done) { queue_->explain(job.id(), done); });
  ASSERT_GE(explained->reasons_size(), 3);
  EXPECT_THAT(explained->reasons(0), HasSubstr("It failed: The file ends"));
  EXPECT_THAT(explained->reasons(2), HasSubstr("Attempt 1 on cpu ended with an error: The file ends"));
}

TEST_F(QueueTest, ExplainDoesNotCallAPauseAnError) {
  queue_->on_device(make_device("cpu"));
  const v1::Job job = *submit();
  const AttemptId attempt = workers_.next().attempt;
  call(&Queue::pause, job.id()).value();
  queue_->on_stopped(attempt, cancelled("The job is paused; its finished part is kept."), false, {});
  wait_for(job.id(), "stopped", [](const v1::Job& now) { return now.attempts(0).has_error(); });
  const auto explained = ask<v1::ExplainJobResponse>([&](auto done) { queue_->explain(job.id(), done); });
  ASSERT_EQ(explained->reasons_size(), 2);
  EXPECT_THAT(explained->reasons(1), HasSubstr("Attempt 1 on cpu was stopped: The job is paused"));
}

TEST_F(QueueTest, StatisticsCountAJobThatEnded) {
  queue_->on_device(make_device("cpu"));
  static_cast<void>(*submit());
  v1::JobResult result;
  result.set_units_in(40);
  queue_->on_stopped(workers_.next().attempt, data_loss("The file ends too early."), false, result);
  EXPECT_EQ(workers_.next().what, "discard");
  const auto statistics = *ask<v1::GetStatisticsResponse>([&](auto done) { queue_->statistics({}, done); });
  EXPECT_EQ(statistics.total().failed(), 1);
  EXPECT_EQ(statistics.total().units(), 40);
  EXPECT_EQ(statistics.failures(0).reason(), "data-loss");
}

TEST_F(QueueTest, AfterStopEveryCallIsAnswered) {
  queue_->stop();
  EXPECT_THAT(ask<v1::GetStatisticsResponse>([&](auto done) { queue_->statistics({}, done); }),
              StatusIs(StatusCode::kUnavailable));
  EXPECT_THAT(submit(), StatusIs(StatusCode::kUnavailable));
  EXPECT_THAT(get("0000"), StatusIs(StatusCode::kUnavailable));
  EXPECT_THAT(next_of(*queue_->watch({}, "")), StatusIs(StatusCode::kUnavailable));
}

TEST_F(QueueTest, AFullQueueRefuses) {
  config_.max_queued_jobs = 2;
  reopen();
  submit(make_submission("a")).value();
  submit(make_submission("b")).value();
  EXPECT_THAT(submit(make_submission("c")), StatusIs(StatusCode::kResourceExhausted, "at most 2"));
}

}  // namespace
}  // namespace weft::queue
