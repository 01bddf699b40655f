// SPDX-License-Identifier: Apache-2.0
// Tests watches of the queue: snapshot, changes, tokens, and clients that do not read.
#include "server/queue/watch.h"

#include <set>
#include <thread>

#include <gmock/gmock.h>

#include "tests/server/queue/queue_fixture.h"

namespace weft::queue {
namespace {

using WatchEvent = v1::WatchJobsResponse;

class WatchTest : public QueueTest {
 protected:
  // Reads the events up to the end of the snapshot. Returns the ids of its jobs and the token after
  // it.
  static std::pair<std::vector<std::string>, std::string> read_snapshot(JobWatch& watch) {
    std::vector<std::string> ids;
    while (true) {
      const auto event = next_of(watch);
      if (!event.ok()) {
        ADD_FAILURE() << event.status();
        return {};
      }
      if ((*event)->kind() == WatchEvent::KIND_SNAPSHOT_END) return {ids, (*event)->resume_token()};
      EXPECT_EQ((*event)->kind(), WatchEvent::KIND_SNAPSHOT);
      ids.push_back((*event)->job().id());
    }
  }
  static WatchEvent next_change(JobWatch& watch) {
    const auto event = next_of(watch);
    EXPECT_TRUE(event.ok()) << event.status();
    return event.ok() ? **event : WatchEvent();
  }
};

TEST_F(WatchTest, ASnapshotThenEveryChange) {
  const v1::Job first = *submit(make_submission("a"));
  const v1::Job second = *submit(make_submission("b"));
  auto watch = queue_->watch({}, "");
  EXPECT_THAT(read_snapshot(*watch).first, testing::ElementsAre(first.id(), second.id()));
  call(&Queue::pause, second.id()).value();
  call(&Queue::resume, second.id()).value();
  call(&Queue::cancel, second.id()).value();
  int64_t revision = 0;
  for (const v1::JobState state : {v1::JOB_STATE_PAUSED, v1::JOB_STATE_QUEUED, v1::JOB_STATE_CANCELLED}) {
    const WatchEvent event = next_change(*watch);
    EXPECT_EQ(event.kind(), WatchEvent::KIND_CHANGED);
    EXPECT_EQ(event.job().state(), state);
    EXPECT_GT(event.job().revision(), revision);
    revision = event.job().revision();
  }
}

TEST_F(WatchTest, ALongSnapshotComesInPiecesAndMissesNothing) {
  constexpr int kJobs = 2 * kStretchLength + 100;
  std::vector<Answer<v1::Job>> answers(kJobs);
  for (int i = 0; i < kJobs; i++)
    queue_->submit(make_submission(std::to_string(i)), answers[size_t(i)].callback());
  std::vector<std::string> ids;
  for (Answer<v1::Job>& answer : answers) ids.push_back(answer.get().value().id());
  auto watch = queue_->watch({}, "");
  ASSERT_THAT(next_of(*watch), IsOk());
  // A job that changes before its turn in the snapshot is reported once, in its new state.
  call(&Queue::pause, ids.back()).value();
  int reported = 1;
  WatchEvent event;
  while ((event = next_change(*watch)).kind() == WatchEvent::KIND_SNAPSHOT) {
    reported++;
    EXPECT_TRUE(event.job().id() != ids.back() || event.job().state() == v1::JOB_STATE_PAUSED);
  }
  EXPECT_EQ(reported, kJobs);
  EXPECT_EQ(event.kind(), WatchEvent::KIND_SNAPSHOT_END);
}

TEST_F(WatchTest, ProgressIsCoalescedAndChangesAreNot) {
  queue_->on_device(make_device("cpu"));
  const v1::Job job = *submit();
  const AttemptId attempt = workers_.next().attempt;
  wait_for_state(job.id(), v1::JOB_STATE_RUNNING);
  auto watch = queue_->watch({}, "");
  read_snapshot(*watch);
  const auto report = [&](int units) {
    v1::JobProgress progress;
    progress.set_units_done(units);
    queue_->on_progress(attempt, progress);
  };
  for (int i = 1; i <= 1000; i++) report(i);
  for (int priority = 1; priority <= 3; priority++)
    ask<v1::Job>([&](auto done) { queue_->change_priority(job.id(), priority, done); }).value();
  report(1001);
  report(1002);
  ask<v1::Job>([&](auto done) {
    queue_->change_priority(job.id(), 3, done);
  }).value();  // The queue handles all earlier events before the answer.
  for (int priority = 1; priority <= 3; priority++) {
    const WatchEvent event = next_change(*watch);
    EXPECT_EQ(event.kind(), WatchEvent::KIND_CHANGED);
    EXPECT_EQ(event.job().settings().priority(), priority);
  }
  const WatchEvent event = next_change(*watch);
  EXPECT_EQ(event.kind(), WatchEvent::KIND_PROGRESS);
  EXPECT_EQ(event.job().progress().units_done(), 1002);
}

TEST_F(WatchTest, AnIdThatSeveralJobsBeginWithListsThem) {
  const std::string first = submit(make_submission("a"))->id(), second = submit(make_submission("b"))->id();
  const std::string shared = first.substr(0, 4);
  ASSERT_EQ(second.substr(0, 4), shared) << "both of one year";
  const Status refused = get(shared).status();
  EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(message_of(refused), ::testing::AllOf(::testing::HasSubstr(first), ::testing::HasSubstr(second),
                                                    ::testing::HasSubstr("give more characters")));
  EXPECT_EQ(get(second)->id(), second);
}

TEST_F(WatchTest, FiltersFindKeysOfLabelsAndSubmitTimes) {
  Submission labelled = make_submission("a");
  (*labelled.settings.mutable_labels())["batch"] = "7";
  const v1::Job job = *submit(labelled);
  submit(make_submission("b")).value();
  const auto found = [&](const v1::JobFilter& filter) {
    v1::ListJobsRequest request;
    *request.mutable_filter() = filter;
    return ask<v1::ListJobsResponse>([&](auto done) { queue_->list(request, done); })->total();
  };
  v1::JobFilter filter;
  filter.add_label_keys("batch");
  EXPECT_EQ(found(filter), 1);
  *filter.mutable_since() = job.submit_time();
  EXPECT_EQ(found(filter), 1);
  filter.mutable_since()->set_seconds(job.submit_time().seconds() + 3600);
  EXPECT_EQ(found(filter), 0);
  filter.clear_since();
  filter.add_label_keys("other");
  EXPECT_EQ(found(filter), 0);
}

TEST_F(WatchTest, AFilteredWatchHearsWhenAJobLeavesTheFilter) {
  const v1::Job job = *submit();
  v1::JobFilter queued;
  queued.add_states(v1::JOB_STATE_QUEUED);
  auto watch = queue_->watch(queued, "");
  read_snapshot(*watch);
  call(&Queue::pause, job.id()).value();
  EXPECT_EQ(next_change(*watch).job().state(), v1::JOB_STATE_PAUSED);
  // A change between two states that do not match the filter is not reported.
  call(&Queue::cancel, job.id()).value();
  const v1::Job other = *submit(make_submission("b"));
  EXPECT_EQ(next_change(*watch).job().id(), other.id());
}

TEST_F(WatchTest, WhatIsForgottenIsToldToWhoMayKnowIt) {
  config_.ended_jobs = 1;
  reopen();
  const v1::Job first = *submit(make_submission("a"));
  const v1::Job second = *submit(make_submission("b"));
  auto all = queue_->watch({}, "");
  read_snapshot(*all);
  v1::JobFilter queued;
  queued.add_states(v1::JOB_STATE_QUEUED);
  auto others = queue_->watch(queued, "");
  read_snapshot(*others);
  for (const v1::Job& job : {first, second}) {
    call(&Queue::cancel, job.id()).value();
    EXPECT_EQ(next_change(*all).job().state(), v1::JOB_STATE_CANCELLED);
    EXPECT_EQ(next_change(*others).job().id(), job.id());
  }
  const WatchEvent forgotten = next_change(*all);
  EXPECT_EQ(forgotten.kind(), WatchEvent::KIND_FORGOTTEN);
  EXPECT_EQ(forgotten.job().id(), first.id());
  EXPECT_EQ(forgotten.job().state(), v1::JOB_STATE_CANCELLED);
  EXPECT_THAT(get(first.id()), StatusIs(StatusCode::kNotFound));
  const v1::Job third = *submit(make_submission("c"));
  EXPECT_EQ(next_change(*others).job().id(), third.id())
      << "it heard already that the first has left its filter";
  auto resumed = queue_->watch({}, forgotten.resume_token());
  EXPECT_EQ(next_change(*resumed).job().id(), third.id());
}

TEST_F(WatchTest, AReaderThatNeverReadsEndsAndHindersNobody) {
  const v1::Job job = *submit();
  auto silent = queue_->watch({}, "");
  read_snapshot(*silent);
  auto attentive = queue_->watch({}, "");
  read_snapshot(*attentive);
  std::vector<Answer<v1::Job>> answers(kChangesPerWatch + 10);
  int reported = 0;
  for (size_t i = 0; i < answers.size(); i++) {
    queue_->change_priority(job.id(), int(i % 2) + 1, answers[i].callback());
    if (i % 1000 != 999) continue;
    for (; reported <= int(i); reported++)
      ASSERT_EQ(next_change(*attentive).kind(), WatchEvent::KIND_CHANGED);
  }
  answers.back().get().value();
  EXPECT_THAT(next_of(*silent), StatusIs(StatusCode::kResourceExhausted, "too far behind"));
  for (; reported < int(answers.size()); reported++)
    ASSERT_EQ(next_change(*attentive).kind(), WatchEvent::KIND_CHANGED);
}

// The memory of changes is limited in bytes: those that a client has not read, and those that a
// token may resume from. For large jobs it has fewer changes.
TEST_F(WatchTest, WhatIsKeptOfLargeJobsIsLimitedByTheirBytes) {
  constexpr size_t kBytes = 1 << 20;
  Submission large = make_submission();
  (*large.settings.mutable_labels())["large"] = std::string(kBytes, 'x');
  const v1::Job job = *submit(large);
  auto silent = queue_->watch({}, "");
  const std::string token = read_snapshot(*silent).second;
  std::vector<Answer<v1::Job>> answers(size_t(kChangesBytes) / kBytes + 2);
  for (size_t i = 0; i < answers.size(); i++)
    queue_->change_priority(job.id(), int(i % 2) + 1, answers[i].callback());
  answers.back().get().value();
  EXPECT_THAT(next_of(*silent), StatusIs(StatusCode::kResourceExhausted, "too far behind"));
  EXPECT_THAT(next_of(*queue_->watch({}, token)), StatusIs(StatusCode::kOutOfRange, "too old"));
  auto newest = queue_->watch({}, "");
  EXPECT_THAT(read_snapshot(*newest).first, testing::ElementsAre(job.id()));
}

TEST_F(WatchTest, ATokenGoesOnWhereItWasAlsoAfterARestart) {
  const v1::Job first = *submit(make_submission("a"));
  auto watch = queue_->watch({}, "");
  const std::string token = read_snapshot(*watch).second;
  const v1::Job second = *submit(make_submission("b"));
  const WatchEvent seen = next_change(*watch);
  EXPECT_EQ(seen.job().id(), second.id());
  call(&Queue::pause, first.id()).value();

  reopen();
  EXPECT_THAT(next_of(*watch), StatusIs(StatusCode::kUnavailable));
  auto from_seen = queue_->watch({}, seen.resume_token());
  EXPECT_EQ(next_change(*from_seen).job().id(), first.id());
  auto from_start = queue_->watch({}, token);
  EXPECT_EQ(next_change(*from_start).job().id(), second.id());
  const WatchEvent last = next_change(*from_start);
  EXPECT_EQ(last.job().state(), v1::JOB_STATE_PAUSED);
  const auto list = ask<v1::ListJobsResponse>([&](auto done) { queue_->list({}, done); });
  EXPECT_EQ(list->resume_token(), last.resume_token());
}

TEST_F(WatchTest, TokensThatAreTooOldOrForeignAreOutOfRange) {
  auto watch = queue_->watch({}, "");
  const std::string token = read_snapshot(*watch).second;
  const v1::Job job = *submit();
  std::vector<Answer<v1::Job>> answers(kChangesKept + 10);
  for (size_t i = 0; i < answers.size(); i++)
    queue_->change_priority(job.id(), int(i % 2) + 1, answers[i].callback());
  answers.back().get().value();
  EXPECT_THAT(next_of(*queue_->watch({}, token)), StatusIs(StatusCode::kOutOfRange, "too old"));
  EXPECT_THAT(next_of(*queue_->watch({}, "0123456789abcdef-1")),
              StatusIs(StatusCode::kOutOfRange, "not of this store"));
  EXPECT_THAT(next_of(*queue_->watch({}, "nonsense")), StatusIs(StatusCode::kOutOfRange));
  const std::string future = token.substr(0, token.rfind('-')) + "-999999999";
  EXPECT_THAT(next_of(*queue_->watch({}, future)), StatusIs(StatusCode::kOutOfRange));
}

TEST_F(WatchTest, CancelAnswersWhoWaits) {
  auto watch = queue_->watch({}, "");
  read_snapshot(*watch);
  Answer<std::optional<WatchEvent>> answer;
  watch->next(answer.callback());
  Answer<std::optional<WatchEvent>> second;
  watch->next(second.callback());
  EXPECT_THAT(second.get(), StatusIs(StatusCode::kFailedPrecondition)) << "one call at a time";
  watch->cancel();
  EXPECT_THAT(answer.get(), StatusIs(StatusCode::kCancelled));
}

TEST_F(WatchTest, WatchesAreLimitedAndThoseThatAreGoneDoNotCount) {
  config_.max_watches = 2;
  reopen();
  auto first = queue_->watch({}, "");
  {
    auto second = queue_->watch_devices({});
    EXPECT_THAT(next_of(*queue_->watch({}, "")), StatusIs(StatusCode::kResourceExhausted, "2 at most"));
  }
  // The queue handles all earlier events before the answer.
  ask<QueueCounts>([&](auto done) { queue_->counts(done); }).value();
  read_snapshot(*queue_->watch({}, ""));
}

TEST_F(WatchTest, DeviceWatchesGetTheNewestOfEach) {
  queue_->on_device(make_device("cpu"));
  queue_->on_device(make_device("cuda:0", v1::DEVICE_KIND_CUDA));
  auto watch = queue_->watch_devices({"cpu"});
  EXPECT_EQ((*next_of(*watch))->id(), "cpu");
  for (int i = 1; i <= 100; i++) {
    v1::DeviceSample sample;
    sample.set_device(i % 2 == 0 ? "cpu" : "cuda:0");
    sample.set_units_per_second(i);
    report_sample(*queue_, sample);
  }
  ask<v1::Job>([&](auto done) { queue_->cancel("0000", done); })
      .status()
      .IgnoreError();  // The queue handles all earlier events before the answer.
  EXPECT_EQ((*next_of(*watch))->sample().units_per_second(), 100);
}

// Many clients read from one queue. This test is for the thread sanitizer more than for its
// assertions.
TEST_F(WatchTest, ReadersOnManyThreadsSeeEveryJob) {
  constexpr int kReaders = 4;
  constexpr int kJobs = 100;
  std::vector<std::thread> readers;
  std::vector<std::set<std::string>> seen(kReaders);
  for (int i = 0; i < kReaders; i++)
    readers.emplace_back([&, i] {
      auto watch = queue_->watch({}, "");
      while (seen[size_t(i)].size() < kJobs) {
        const auto event = next_of(*watch);
        if (!event.ok()) break;
        if ((*event)->has_job()) seen[size_t(i)].insert((*event)->job().id());
      }
    });
  for (int i = 0; i < kJobs; i++) submit(make_submission(std::to_string(i))).value();
  for (std::thread& reader : readers) reader.join();
  for (const auto& ids : seen) EXPECT_EQ(ids.size(), size_t(kJobs));
}

}  // namespace
}  // namespace weft::queue
