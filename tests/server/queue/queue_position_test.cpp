// SPDX-License-Identifier: Apache-2.0
// Tests the queue with two devices of different speed: the placement of jobs and its explanation.
#include <atomic>
#include <map>
#include <string>
#include <utility>

#include <gmock/gmock.h>

#include "server/queue/placement/device_memory.h"
#include "tests/server/queue/queue_fixture.h"

namespace weft::queue {
namespace {

using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;

using QueuePositionTest = QueueTest;

Submission estimated(const std::string& name, int64_t frames) {
  Submission submission = make_submission(name);
  submission.estimate.set_units_in(frames);
  submission.estimate.set_cost_key("bwdif");
  submission.estimate.set_pace_key("bwdif x264");
  submission.estimate.mutable_unit_work()->set_bytes(500'000);
  return submission;
}

v1::DeviceSample sample_of(const std::string& device, int unit_nanoseconds) {
  v1::DeviceSample sample;
  sample.set_device(device);
  v1::LearntCost& cost = *sample.mutable_schedule()->add_costs();
  cost.set_key("bwdif");
  cost.mutable_unit()->set_nanos(unit_nanoseconds);
  return sample;
}

TEST_F(QueuePositionTest, AJobGoesWhereItIsDoneFirstAndExplainSaysWhy) {
  queue_->on_device(make_device("cpu"));
  queue_->on_device(make_device("cuda:0", v1::DEVICE_KIND_CUDA));
  report_sample(*queue_, sample_of("cpu", 100'000'000));
  report_sample(*queue_, sample_of("cuda:0", 1'000'000));
  const v1::Job first = submit(estimated("a", 10'000)).value();
  EXPECT_EQ(workers_.next().device, "cuda:0");
  v1::JobProgress progress;
  progress.set_units_done(5'000);
  progress.set_units_total(10'000);
  progress.set_units_per_second(1'000);
  progress.set_stage("processing");
  queue_->on_progress({first.id(), 1}, progress);

  const v1::Job second = submit(estimated("b", 1'000)).value();
  EXPECT_EQ(second.state(), v1::JOB_STATE_QUEUED) << "5 s and 1 s there, 100 s on the one that is free";
  EXPECT_THAT(get(second.id())->waiting_reason(), HasSubstr("Waits for cuda:0, where it will be done first"));
  const auto explain = [&](const v1::Job& job) {
    return ask<v1::ExplainJobResponse>([&](auto done) { queue_->explain(job.id(), done); }).value();
  };
  v1::ExplainJobResponse explained = explain(second);
  ASSERT_EQ(explained.predictions_size(), 2);
  EXPECT_FALSE(explained.predictions(0).chosen());
  EXPECT_EQ(explained.predictions(0).finish().seconds(), 100);
  EXPECT_TRUE(explained.predictions(1).chosen());
  EXPECT_EQ(explained.predictions(1).running().seconds(), 5);
  EXPECT_EQ(explained.predictions(1).own().seconds(), 1);
  EXPECT_EQ(explained.predictions(1).unit_cost_source(), "learnt there");

  // A third job, submitted now, is predicted to run after the second.
  const auto check = [&](int priority) {
    Submission third = estimated("c", 1'000);
    third.settings.set_priority(priority);
    return ask<v1::SubmitJobResponse>([&](auto done) { queue_->check(third, done); }).value();
  };
  const v1::SubmitJobResponse later = check(0);
  ASSERT_EQ(later.predictions_size(), 2);
  EXPECT_TRUE(later.predictions(1).chosen());
  EXPECT_EQ(later.predictions(1).running().seconds(), 5);
  EXPECT_EQ(later.predictions(1).ahead().seconds(), 1);
  EXPECT_EQ(later.predictions(1).finish().seconds(), 7);
  EXPECT_EQ(later.predictions(0).finish().seconds(), 100);
  EXPECT_EQ(later.estimate().units_in(), 1'000);
  EXPECT_EQ(check(1).predictions(1).finish().seconds(), 6) << "before the second";
  EXPECT_EQ(ask<v1::ListJobsResponse>([&](auto done) { queue_->list({}, done); })->total(), 2);

  queue_->on_finished({first.id(), 1}, {});
  // Another thread publishes, so the two calls arrive in any order.
  std::map<std::string, std::string> asked;
  for (int i = 0; i < 2; i++) {
    const RecordingWorkers::Call call = workers_.next();
    asked[call.what] = call.device;
  }
  EXPECT_THAT(asked, UnorderedElementsAre(Pair("publish", ""), Pair("start", "cuda:0")));
  explained = explain(second);
  EXPECT_EQ(explained.reasons(1),
            "It was given to cuda:0: of all devices it is predicted to be done first there.");
  ASSERT_EQ(explained.predictions_size(), 2);
  EXPECT_EQ(explained.predictions(1).finish().seconds(), 1);
  EXPECT_THAT(explained.reasons(2), HasSubstr("cpu: done in about 1 min 40 s"));
}

TEST_F(QueuePositionTest, WhatIsPredictedIsCountedInTheUnitsOfItsKind) {
  queue_->on_device(make_device("cpu"));
  report_sample(*queue_, sample_of("cpu", 1'000'000));
  Submission video = estimated("a", 1'000), texture = estimated("b", 1'000);
  texture.spec.mutable_texture()->set_input("/in/b.dds");
  for (const auto& [submission, unit] : {std::pair(video, "frames"), std::pair(texture, "blocks")}) {
    const std::string id = submit(submission)->id();
    const auto explained = ask<v1::ExplainJobResponse>([&](auto done) { queue_->explain(id, done); });
    ASSERT_EQ(explained->predictions_size(), 1);
    EXPECT_THAT(explained->predictions(0).summary(), HasSubstr(fmt::format("for its own 1000 {}", unit)));
  }
}

TEST_F(QueuePositionTest, AJobThatWaitsForAFasterDeviceTakesTheSlowOneInTheEnd) {
  queue_->on_device(make_device("cpu"));
  queue_->on_device(make_device("cuda:0", v1::DEVICE_KIND_CUDA));
  report_sample(*queue_, sample_of("cpu", 2'000'000));
  report_sample(*queue_, sample_of("cuda:0", 1'000));
  submit(estimated("a", 100)).value();
  EXPECT_EQ(workers_.next().device, "cuda:0");  // the job reports no progress
  submit(estimated("b", 100)).value();          // 0.2 s on the CPU
  EXPECT_EQ(workers_.next().device, "cpu");
}

TEST_F(QueuePositionTest, AJobThatGoesOnIsPredictedWithWhatIsLeftAlsoAfterARestart) {
  const auto own_seconds = [&](const std::string& id) {
    return ask<v1::ExplainJobResponse>([&](auto done) { queue_->explain(id, done); })
        .value()
        .predictions(0)
        .own()
        .seconds();
  };
  const auto come_up = [&] {
    queue_->on_device(make_device("cpu"));
    report_sample(*queue_, sample_of("cpu", 100'000'000));
  };
  come_up();
  const std::string id = submit(estimated("a", 1'000))->id();
  EXPECT_EQ(workers_.next().what, "start");
  Submission urgent = estimated("b", 1'000);
  urgent.settings.set_priority(1);
  const std::string before = submit(urgent)->id();
  queue_->on_segment_finished({id, 1}, 0, 900);
  call(&Queue::pause, id).value();
  EXPECT_EQ(workers_.next().what, "stop");
  queue_->on_stopped({id, 1}, cancelled("It was asked to stop."), false, {});
  EXPECT_EQ(workers_.next().attempt.job_id, before);
  call(&Queue::resume, id).value();
  EXPECT_EQ(own_seconds(id), 10);

  reopen();
  come_up();
  EXPECT_EQ(workers_.next().attempt, (AttemptId{before, 2}));
  EXPECT_EQ(own_seconds(id), 10);
}

Submission owned_submission(const std::string& owner, const std::string& name) {
  Submission submission = make_submission(name);
  submission.settings.set_owner(owner);
  return submission;
}

TEST_F(QueuePositionTest, OwnersShareTheLine) {
  queue_->on_device(make_device("cpu"));
  std::vector<std::string> alices;
  for (int i = 0; i < 5; i++)
    alices.push_back(submit(owned_submission("alice", fmt::format("a{}", i))).value().id());
  ASSERT_EQ(workers_.next().attempt.job_id, alices[0]);
  const v1::Job bobs = submit(owned_submission("bob", "b")).value();
  EXPECT_THAT(get(bobs.id())->waiting_reason(), HasSubstr("this job is next"));
  const auto explained =
      ask<v1::ExplainJobResponse>([&](auto done) { queue_->explain(alices[1], done); }).value();
  EXPECT_THAT(explained.reasons(), testing::Contains(HasSubstr("Next is bob, then alice.")));
  queue_->on_finished({alices[0], 1}, {});
  RecordingWorkers::Call call = workers_.next();
  if (call.what == "publish") call = workers_.next();
  EXPECT_EQ(call.what + " " + call.attempt.job_id, "start " + bobs.id());
}

// The second job waits for the memory of the first, although the device accepts three jobs at once.
// The responses of explain and list contain the reason.
TEST_F(QueuePositionTest, AJobWaitsForTheMachinesMemory) {
  config_.host_memory_bytes = 8'000'000'000;
  config_.jobs_per_device = 3;
  reopen();
  queue_->on_device(make_device("cpu"));
  Submission large = make_submission("a");
  large.estimate.set_shared_bytes(4'900'000'000);
  const v1::Job first = submit(large).value();
  EXPECT_EQ(workers_.next().attempt.job_id, first.id());
  Submission larger = make_submission("b");
  larger.estimate.set_shared_bytes(7'800'000'000);
  const v1::Job second = submit(larger).value();
  EXPECT_THAT(
      get(second.id())->waiting_reason(),
      HasSubstr("Waits for host memory: it needs 7.8 GB of the machine's memory, 3.1 GB of 8 GB are free"));
  const auto explained =
      ask<v1::ExplainJobResponse>([&](auto done) { queue_->explain(second.id(), done); }).value();
  EXPECT_THAT(explained.reasons(0), HasSubstr("Waits for host memory"));
  queue_->on_stopped({first.id(), 1}, invalid_argument("It ends."), false, {});
  auto next = workers_.next();
  // The work folder of the first job is removed.
  while (next.attempt.job_id == first.id()) next = workers_.next();
  EXPECT_EQ(next.attempt.job_id, second.id());
}

TEST_F(QueuePositionTest, AJobThatNeedsMoreMemoryThanThereIsIsRefusedWithTheNumbers) {
  config_.host_memory_bytes = 8'000'000'000;
  reopen();
  queue_->on_device(make_device("cpu"));
  Submission submission = make_submission("a");
  submission.estimate.set_shared_bytes(8'100'000'000);
  const Status refused = submit(submission).status();
  EXPECT_THAT(refused, StatusIs(StatusCode::kResourceExhausted, "it needs 8.1 GB of the machine's memory"));
  EXPECT_THAT(message_of(refused), HasSubstr("jobs may take 8 GB together (host_memory_bytes)"));
  const auto checked = ask<v1::SubmitJobResponse>([&](auto done) { queue_->check(submission, done); });
  EXPECT_EQ(checked.status().code(), StatusCode::kResourceExhausted);
  // A GPU has its own memory.
  queue_->on_device(make_device("cuda:0", v1::DEVICE_KIND_CUDA));
  EXPECT_THAT(submit(submission), IsOk());
}

// External load is measured while no job runs.
TEST_F(QueuePositionTest, WhatOthersTakeIsNotGivenToJobs) {
  std::atomic<int64_t> available{3'000'000'000};
  config_.host_memory_bytes = 8'000'000'000;
  config_.available_memory = [&] { return available.load(); };
  reopen();
  queue_->on_device(make_device("cpu"));
  Submission submission = make_submission("a");
  submission.estimate.set_shared_bytes(5'000'000'000);
  const v1::Job job = submit(submission).value();
  EXPECT_THAT(get(job.id())->waiting_reason(), HasSubstr("3 GB of 3 GB are free"));
  available = 6'000'000'000;
  // Any change of the queue makes it look again.
  EXPECT_THAT(submit(make_submission("b")), IsOk());
  EXPECT_EQ(workers_.next().attempt.job_id, job.id());
}

// A GPU with 8 GB for jobs. Another program takes 1 GB.
class DeviceMemoryTest : public QueuePositionTest {
 protected:
  void SetUp() override {
    config_.jobs_per_device = 2;
    QueuePositionTest::SetUp();
    v1::DeviceStatus gpu = make_device("cuda:0", v1::DEVICE_KIND_CUDA);
    gpu.set_memory_bytes(8'000'000'000 + kDeviceMarginBytes);
    queue_->on_device(gpu);
    v1::DeviceSample sample;
    sample.set_device("cuda:0");
    sample.mutable_readings()->set_memory_other_bytes(1'000'000'000);
    report_sample(*queue_, sample);
  }
  static Submission needing(const std::string& name, const std::vector<int64_t>& bytes) {
    Submission submission = make_submission(name);
    submission.estimate.mutable_device_bytes()->Assign(bytes.begin(), bytes.end());
    return submission;
  }
  v1::ExplainJobResponse explain(const std::string& id) {
    return ask<v1::ExplainJobResponse>([&](auto done) { queue_->explain(id, done); }).value();
  }
  int64_t free_bytes() {
    const auto devices = ask<Devices>([&](auto done) { queue_->list_devices(std::move(done)); }).value();
    return devices.at(0).has_memory_free_bytes() ? devices.at(0).memory_free_bytes() : -1;
  }
};

TEST_F(DeviceMemoryTest, AJobWaitsForTheMemoryOfItsDevice) {
  const v1::Job first = submit(needing("a", {5'000'000'000})).value();
  EXPECT_EQ(workers_.next().attempt.job_id, first.id());
  EXPECT_EQ(free_bytes(), 2'000'000'000);
  const v1::Job second = submit(needing("b", {4'000'000'000, 2'500'000'000})).value();
  const std::string reason =
      "Waits for memory of cuda:0: it needs 2.5 GB of the device's memory, 2 GB of 8 GB are free";
  EXPECT_THAT(get(second.id())->waiting_reason(), HasSubstr(reason));
  EXPECT_THAT(explain(second.id()).reasons(0), HasSubstr(reason));
  EXPECT_THAT(explain(first.id()).reasons(),
              testing::Contains("5 GB of the memory of cuda:0 are planned for it."));
  queue_->on_stopped({first.id(), 1}, invalid_argument("It ends."), false, {});
  auto next = workers_.next();
  while (next.attempt.job_id == first.id()) next = workers_.next();  // the work folder is removed
  EXPECT_EQ(next.attempt.job_id, second.id());
  EXPECT_EQ(free_bytes(), 3'000'000'000);
}

TEST_F(DeviceMemoryTest, ASmallerBatchIsPartOfTheAttempt) {
  EXPECT_THAT(submit(needing("a", {5'000'000'000})), IsOk());
  EXPECT_EQ(workers_.next().what, "start");
  const v1::Job job = submit(needing("b", {4'000'000'000, 2'500'000'000, 1'500'000'000})).value();
  EXPECT_EQ(workers_.next().attempt.job_id, job.id());
  const v1::JobAttempt attempt = get(job.id())->attempts(0);
  EXPECT_EQ(attempt.batch_halvings(), 2);
  EXPECT_EQ(attempt.device_bytes(), 1'500'000'000);
  EXPECT_THAT(
      explain(job.id()).reasons(),
      testing::Contains(HasSubstr("1.5 GB of the memory of cuda:0 are planned for it, with batches of "
                                  "1/4 of the usual size")));
}

TEST_F(DeviceMemoryTest, AJobThatFitsNoDeviceIsRefusedWithTheNumbers) {
  const Submission submission = needing("a", {12'000'000'000, 9'000'000'000});
  const Status refused = submit(submission).status();
  EXPECT_THAT(refused, StatusIs(StatusCode::kResourceExhausted,
                                "it needs at least 9 GB of a device's memory, and cuda:0 has 8 GB for jobs"));
  const auto checked = ask<v1::SubmitJobResponse>([&](auto done) { queue_->check(submission, done); });
  EXPECT_EQ(checked.status().code(), StatusCode::kResourceExhausted);
  const auto fits = ask<v1::SubmitJobResponse>([&](auto done) {
    queue_->check(needing("a", {12'000'000'000, 6'000'000'000}), done);
  });
  ASSERT_THAT(fits, IsOk());
  ASSERT_EQ(fits->predictions_size(), 1);
  EXPECT_THAT(fits->predictions(0).summary(),
              HasSubstr("There it needs 6 GB of the device's memory, 7 GB of 8 GB are free."));
}

TEST_F(QueueTest, ExplainSaysThatStreamsLeaveARunningJobNoPlace) {
  queue_->on_device(make_device("cpu"));
  const v1::Job job = *submit();
  EXPECT_EQ(workers_.next().what, "start");
  v1::DeviceSample sample;
  sample.set_device("cpu");
  v1::StarvingJob& starving = *sample.mutable_schedule()->add_starving();
  starving.set_job_id(job.id());
  starving.mutable_unit()->set_nanos(12'500'000);
  starving.mutable_waited()->set_seconds(61);
  const auto explain = [&] {
    // Reads may overtake events of workers, but not a cancel.
    ask<v1::Job>([&](auto done) { queue_->cancel("0000", done); }).status().IgnoreError();
    return ask<v1::ExplainJobResponse>([&](auto done) { queue_->explain(job.id(), done); });
  };
  const auto turn = testing::Contains(HasSubstr("61 s for its turn on cpu: a unit of it takes 12.50 ms"));
  EXPECT_THAT(explain()->reasons(), testing::Not(turn));
  report_sample(*queue_, sample);
  EXPECT_THAT(explain()->reasons(), turn);
  sample.mutable_schedule()->clear_starving();
  report_sample(*queue_, sample);
  EXPECT_THAT(explain()->reasons(), testing::Not(turn));
}

TEST_F(QueueTest, ExplainNamesTheStreamsThatKeepTheDevicesTimeFree) {
  queue_->on_device(make_device("cpu"));
  const v1::Job job = *submit();
  EXPECT_EQ(workers_.next().what, "start");
  v1::DeviceSample sample;
  sample.set_device("cpu");
  for (const double reserved : {0.32, 0.41, 0.0}) {
    v1::StreamSample& stream = *sample.add_streams();
    stream.set_stream(uint64_t(sample.streams_size()));
    stream.set_owner("alice");
    stream.set_filter("bwdif");
    stream.set_reserved(reserved);
  }
  sample.mutable_streams(1)->mutable_silent()->set_nanos(700'000'000);
  report_sample(*queue_, sample);
  ask<v1::Job>([&](auto done) { queue_->cancel("0000", done); })
      .status()
      .IgnoreError();  // Reads may overtake the report.
  const auto explained = ask<v1::ExplainJobResponse>([&](auto done) { queue_->explain(job.id(), done); });
  std::vector<std::string> reported;
  for (const std::string& reason : explained->reasons())
    if (reason.find("realtime stream") != std::string::npos) reported.push_back(reason);
  EXPECT_THAT(
      reported,
      testing::ElementsAre(
          HasSubstr("stream 2 of alice (bwdif) keeps 41% of the time of cpu free for its frames, of which "
                    "none came for 0.7 s"),
          HasSubstr("stream 1 of alice (bwdif) keeps 32% of the time of cpu free for its frames;")))
      << "the third keeps nothing";
}

}  // namespace
}  // namespace weft::queue
