// SPDX-License-Identifier: Apache-2.0
// long file: each event in each state, one after the other.
// Tests the lifecycle of a job: every event in every state, then the rules for several events.
#include "server/queue/lifecycle.h"

#include <map>
#include <random>

#include <gmock/gmock.h>

namespace weft::queue {
namespace {

using internal::v1::STOP_KIND_CANCEL;
using internal::v1::STOP_KIND_CHECKPOINT;
using internal::v1::STOP_KIND_PAUSE;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr RetryDelays kDelays{std::chrono::seconds(1), std::chrono::seconds(60)};
const Now kNow{TimePoint(std::chrono::hours(1)), WallTime(std::chrono::hours(400'000))};

// All situations of a job. "Stopping" means that a worker still runs the attempt.
enum class Situation {
  kNew,
  kQueued,  // after a failed attempt
  kQueuedStopping,
  kRunning,
  kCheckpointing,
  kPublishing,
  kPublished,
  kPaused,
  kPausedStopping,
  kSucceeded,
  kFailed,
  kCancelled,
  kCancelledStopping,
};
constexpr Situation kAll[] = {Situation::kNew,
                              Situation::kQueued,
                              Situation::kQueuedStopping,
                              Situation::kRunning,
                              Situation::kCheckpointing,
                              Situation::kPublishing,
                              Situation::kPublished,
                              Situation::kPaused,
                              Situation::kPausedStopping,
                              Situation::kSucceeded,
                              Situation::kFailed,
                              Situation::kCancelled,
                              Situation::kCancelledStopping};

StatusOr<Transition> try_event(const JobRecord& record, const Event& event) {
  return apply(record, event, kNow, kDelays);
}

JobRecord after(const JobRecord& record, const Event& event) {
  const StatusOr<Transition> transition = try_event(record, event);
  EXPECT_TRUE(transition.ok()) << transition.status();
  return transition.ok() ? transition->record : record;
}

JobRecord new_job() {
  JobRecord record;
  record.job.set_id("01ARZ3NDEKTSV4RRFFQ69G5FAV");
  record.job.set_state(v1::JOB_STATE_QUEUED);
  record.job.mutable_settings()->set_max_attempts(3);
  return record;
}

const event::Stopped kStoppedAsAsked{1, cancelled("It was asked to stop."), false, {}};

JobRecord make(Situation situation) {
  const JobRecord fresh = new_job();
  const JobRecord running = after(fresh, event::Start{"cpu"});
  switch (situation) {
    case Situation::kNew:
      return fresh;
    case Situation::kQueued:
      return after(running, event::Stopped{1, unavailable("Busy."), true, {}});
    case Situation::kQueuedStopping:
      return after(after(running, event::Pause{}), event::Resume{});
    case Situation::kRunning:
      return running;
    case Situation::kCheckpointing:
      return after(running, event::Checkpoint{});
    case Situation::kPublishing:
      return after(running, event::Finished{1, {}});
    case Situation::kPublished:
      return after(make(Situation::kPublishing), event::Published{1, ok_status()});
    case Situation::kPaused:
      return after(after(running, event::Pause{}), kStoppedAsAsked);
    case Situation::kPausedStopping:
      return after(running, event::Pause{});
    case Situation::kSucceeded:
      return after(make(Situation::kPublished), event::Discarded{ok_status()});
    case Situation::kFailed:
      return after(running, event::Stopped{1, data_loss("Broken."), false, {}});
    case Situation::kCancelled:
      return after(after(running, event::Cancel{}), kStoppedAsAsked);
    case Situation::kCancelledStopping:
      return after(running, event::Cancel{});
  }
  return fresh;
}

// Returns a cell of a table, which has one letter per situation in the order of kAll. Q R P S F C:
// the state after the event. Lower case: the same state with the attempt still open. '*':
// publishing; '+': published; '.': no change; '!': refused.
char letter_of(const StatusOr<Transition>& transition) {
  if (!transition.ok()) return transition.status().code() == StatusCode::kFailedPrecondition ? '!' : '?';
  if (transition->change == Transition::Change::kNone) return '.';
  const v1::Job& job = transition->record.job;
  if (transition->record.publishing) return transition->record.published ? '+' : '*';
  const char letter = "?QRPSFC"[job.state()];
  return attempt_is_open(job) ? char(letter - 'A' + 'a') : letter;
}

// Returns the record as the next daemon reads it from the store.
JobRecord reloaded(JobRecord record) {
  record.discarding = record.checkpointing = false;
  record.publish_failures = record.refusals = 0;
  record.not_before = {};
  return record;
}

std::string row_of(const Event& event) {
  std::string row;
  for (const Situation situation : kAll) {
    const bool restart = std::holds_alternative<event::Recover>(event);
    row += letter_of(try_event(restart ? reloaded(make(situation)) : make(situation), event));
  }
  return row;
}

TEST(Lifecycle, EveryStateMeetsEveryEvent) {
  // Situations: New Queued q-stopping Running Checkpointing *Publishing +Published Paused
  // p-stopping S F C c-stopping
  EXPECT_EQ(row_of(event::Start{"cpu"}), "rr!!!!!!!!!!!");
  EXPECT_EQ(row_of(event::StartRefused{1, unavailable("x")}), "..QQQ...P...C");
  EXPECT_EQ(row_of(event::StartRefused{1, not_found("x")}), "..QFF...P...C");
  EXPECT_EQ(row_of(event::Finished{1, {}}), "..***...*...C");
  EXPECT_EQ(row_of(event::Stopped{1, data_loss("x"), false, {}}), "..QFF...P...C");
  EXPECT_EQ(row_of(event::Stopped{1, unavailable("x"), true, {}}), "..QQQ...P...C");
  EXPECT_EQ(row_of(kStoppedAsAsked), "..QQQ...P...C");
  EXPECT_EQ(row_of(event::NoRoom{1, resource_exhausted("x")}), "..QQQ...P...C");
  EXPECT_EQ(row_of(event::SessionRefused{{1, resource_exhausted("x")}, 2, {}}), "..QQQ...P...C");
  EXPECT_EQ(row_of(event::WorkerLost{1, "x"}), "..QQQ...P...C");
  EXPECT_EQ(row_of(event::Published{1, ok_status()}), ".....+.......");
  EXPECT_EQ(row_of(event::Published{1, unavailable("x")}), ".....*.......");
  EXPECT_EQ(row_of(event::Published{1, not_found("x")}), ".....F.......");
  EXPECT_EQ(row_of(event::PublishDue{}), ".............");
  EXPECT_EQ(row_of(event::Discarded{ok_status()}), "......S...FCc");
  EXPECT_EQ(row_of(event::Cancel{}), "CCccc!!Cc!!..");
  EXPECT_EQ(row_of(event::Pause{}), "PPppp!!..!!!!");
  EXPECT_EQ(row_of(event::Resume{}), ".......Qq!!!!");
  EXPECT_EQ(row_of(event::Retry{}), "!!!!!!!!!!QQq");
  EXPECT_EQ(row_of(event::ChangePriority{7}), "QQqrr*+Pp!!!!");
  EXPECT_EQ(row_of(event::Checkpoint{}), "...r.........");
  EXPECT_EQ(row_of(event::Recover{}), "..QQQ.+.P.FCC");
}

TEST(Lifecycle, AWorkerAtWorkHearsOfAChangedPriority) {
  for (const Situation situation : kAll) {
    const JobRecord record = make(situation);
    const StatusOr<Transition> transition = try_event(record, event::ChangePriority{7});
    if (!transition.ok()) continue;
    const bool works = record.job.state() == v1::JOB_STATE_RUNNING && !record.job.attempts().empty() &&
                       !record.job.attempts().rbegin()->has_end_time();
    const std::vector<Action> reported = {{Action::Kind::kChange}};
    EXPECT_EQ(transition->actions, works ? reported : std::vector<Action>()) << int(situation);
  }
}

TEST(Lifecycle, AnOlderAttemptChangesNothingInAnySituation) {
  for (const Situation situation : kAll) {
    JobRecord record = make(situation);
    // The job is two attempts further.
    record.job.set_attempt(record.job.attempt() + 2);
    if (!record.job.attempts().empty())
      record.job.mutable_attempts(record.job.attempts_size() - 1)->set_number(record.job.attempt());
    for (const Event& late : std::initializer_list<Event>{
             event::StartRefused{1, not_found("x")}, event::SegmentDone{1, 40}, event::Finished{1, {}},
             event::Stopped{1, data_loss("x"), false, {}}, event::NoRoom{1, resource_exhausted("x")},
             event::SessionRefused{{1, resource_exhausted("x")}, 2, {}}, event::WorkerLost{1, "x"},
             event::Published{1, ok_status()}}) {
      const StatusOr<Transition> transition = try_event(record, late);
      ASSERT_TRUE(transition.ok());
      EXPECT_EQ(transition->change, Transition::Change::kNone) << int(situation) << " event " << late.index();
      EXPECT_THAT(transition->actions, IsEmpty());
    }
  }
}

TEST(Lifecycle, SucceededNeverChanges) {
  const JobRecord done = make(Situation::kSucceeded);
  for (const Event& event :
       std::initializer_list<Event>{event::Cancel{}, event::Pause{}, event::Resume{}, event::Retry{},
                                    event::ChangePriority{3}, event::Recover{}, event::Checkpoint{},
                                    event::Finished{1, {}}, event::Published{1, not_found("x")}}) {
    const StatusOr<Transition> transition = try_event(done, event);
    EXPECT_TRUE(!transition.ok() || transition->change == Transition::Change::kNone) << event.index();
  }
}

TEST(Lifecycle, RequestsTurnIntoActions) {
  const auto actions = [](Situation situation, const Event& event) {
    return try_event(make(situation), event)->actions;
  };
  using testing::ElementsAre;
  const Action start{Action::Kind::kStart};
  const Action publish{Action::Kind::kPublish};
  const Action discard{Action::Kind::kDiscard};
  const auto stop = [](internal::v1::StopKind kind) { return Action{Action::Kind::kStop, kind}; };
  EXPECT_THAT(actions(Situation::kNew, event::Start{"cpu"}), ElementsAre(start));
  EXPECT_THAT(actions(Situation::kNew, event::Cancel{}), IsEmpty()) << "it never had a work folder";
  EXPECT_THAT(actions(Situation::kQueued, event::Cancel{}), ElementsAre(discard));
  EXPECT_THAT(actions(Situation::kRunning, event::Cancel{}), ElementsAre(stop(STOP_KIND_CANCEL)));
  EXPECT_THAT(actions(Situation::kPausedStopping, event::Cancel{}), ElementsAre(stop(STOP_KIND_CANCEL)));
  EXPECT_THAT(actions(Situation::kCancelledStopping, kStoppedAsAsked), ElementsAre(discard));
  EXPECT_THAT(actions(Situation::kCancelledStopping, event::WorkerLost{1, "x"}), ElementsAre(discard));
  EXPECT_THAT(actions(Situation::kCancelledStopping, event::Finished{1, {}}), ElementsAre(discard));
  EXPECT_THAT(actions(Situation::kCancelledStopping, event::Recover{}), ElementsAre(discard));
  EXPECT_THAT(try_event(reloaded(make(Situation::kCancelled)), event::Recover{})->actions,
              ElementsAre(discard))
      << "not known to be done";
  EXPECT_THAT(actions(Situation::kRunning, event::Pause{}), ElementsAre(stop(STOP_KIND_PAUSE)));
  EXPECT_THAT(actions(Situation::kRunning, event::Checkpoint{}), ElementsAre(stop(STOP_KIND_CHECKPOINT)));
  EXPECT_THAT(actions(Situation::kRunning, event::Finished{1, {}}), ElementsAre(publish));
  EXPECT_THAT(actions(Situation::kPublishing, event::Recover{}), ElementsAre(publish));
  EXPECT_THAT(actions(Situation::kPublishing, event::PublishDue{}), ElementsAre(publish));
  EXPECT_THAT(actions(Situation::kPublishing, event::Published{1, ok_status()}), ElementsAre(discard));
  EXPECT_THAT(actions(Situation::kPublished, event::Recover{}), ElementsAre(discard));
  EXPECT_THAT(actions(Situation::kPublishing, event::Published{1, not_found("x")}), IsEmpty())
      << "what is finished is never removed";
  EXPECT_THAT(actions(Situation::kRunning, event::Stopped{1, data_loss("x"), false, {}}),
              ElementsAre(discard));
}

TEST(Lifecycle, RetriableErrorsAreTriedAgainUpToTheLimitWithGrowingWaits) {
  JobRecord record = new_job();
  Duration wait{0};
  for (int attempt = 1; attempt <= 2; attempt++) {
    record = after(record, event::Start{"cpu"});
    record = after(record, event::Stopped{attempt, unavailable("No session is free."), true, {}});
    ASSERT_EQ(record.job.state(), v1::JOB_STATE_QUEUED);
    EXPECT_GT(record.not_before - kNow.steady, wait);
    wait = record.not_before - kNow.steady;
  }
  record = after(record, event::Start{"cpu"});
  const Transition last = *try_event(record, event::Stopped{3, unavailable("No session is free."), true, {}});
  EXPECT_EQ(last.record.job.state(), v1::JOB_STATE_FAILED);
  EXPECT_THAT(last.record.job.error().message(), HasSubstr("failed 3 times"));
  EXPECT_THAT(last.actions, IsEmpty()) << "finished segments stay for a retry";
  EXPECT_EQ(last.record.job.attempts_size(), 3);
  EXPECT_EQ(after(after(last.record, event::Retry{}), event::Start{"cpu"}).job.attempt(), 4);
}

TEST(Lifecycle, ThreeDeathsInARowFailTheJobWhateverItsLimit) {
  JobRecord record = new_job();
  record.job.mutable_settings()->set_max_attempts(100);
  const auto die = [&] {
    record = after(record, event::Start{"cpu"});
    record = after(record, event::WorkerLost{record.job.attempt(), "It ended with signal 11."});
  };
  die();
  die();
  EXPECT_EQ(record.job.state(), v1::JOB_STATE_QUEUED);
  // A finished segment between the losses resets the count of losses in a row.
  record = after(record, event::Start{"cpu"});
  record = after(record, event::SegmentDone{record.job.attempt(), 40});
  record = after(record, event::WorkerLost{record.job.attempt(), "x"});
  die();
  EXPECT_EQ(record.job.state(), v1::JOB_STATE_QUEUED);
  die();
  EXPECT_EQ(record.job.state(), v1::JOB_STATE_FAILED);
  EXPECT_THAT(record.job.error().message(), HasSubstr("died 3 times in a row"));
  EXPECT_TRUE(record.cleanup);
}

TEST(Lifecycle, AnAttemptGoesOnFromFinishedSegments) {
  JobRecord record = after(new_job(), event::Start{"cpu"});
  record.job.mutable_estimate()->set_units_in(100);
  StatusOr<Transition> transition = try_event(record, event::SegmentDone{1, 40});
  ASSERT_TRUE(transition.ok());
  EXPECT_EQ(transition->change, Transition::Change::kNoted) << "a segment is no reason to write";
  record = transition->record;
  record.job.mutable_progress()->set_units_done(55);
  record.job.mutable_progress()->set_units_total(100);
  record = after(record, event::WorkerLost{1, "x"});
  EXPECT_EQ(record.job.progress().units_done(), 40) << "what was not in a segment is done again";
  EXPECT_EQ(record.job.progress().units_total(), 100) << "as its input's headers told";
  record = after(record, event::Start{"cpu"});
  EXPECT_EQ(record.job.progress().units_done(), 40);
  record = after(record, event::SegmentDone{1, 90});
  EXPECT_EQ(record.units_finished, 40) << "of a dead attempt";
  record = after(after(record, event::Pause{}), event::Resume{});
  EXPECT_EQ(record.job.progress().units_done(), 40);
  record = after(after(record, event::Cancel{}), event::Retry{});
  EXPECT_EQ(record.units_finished, 0) << "its work folder is removed";
  EXPECT_FALSE(record.job.has_progress());
}

TEST(Lifecycle, APausedJobShowsWhatIsFinishedOnceItsAttemptHasStopped) {
  JobRecord record = after(new_job(), event::Start{"cpu"});
  record = try_event(record, event::SegmentDone{1, 40})->record;
  record.job.mutable_progress()->set_units_done(55);
  record = after(record, event::Pause{});
  EXPECT_EQ(record.job.progress().units_done(), 55);
  record = after(record, event::Stopped{1, cancelled("paused"), false, {}});
  EXPECT_EQ(record.job.progress().units_done(), 40) << "where it will go on";
  EXPECT_EQ(record.job.progress().units_total(), 0) << "not known";
}

TEST(Lifecycle, AWorkerThatStopsUnaskedIsAFailureNotAnEndlessLoop) {
  JobRecord record = new_job();
  for (int attempt = 1; attempt <= 3; attempt++)
    record = after(after(record, event::Start{"cpu"}), event::Stopped{attempt, cancelled("x"), false, {}});
  EXPECT_EQ(record.job.state(), v1::JOB_STATE_FAILED);
}

TEST(Lifecycle, WhatAFailedJobKeptIsRemovedInTheEnd) {
  JobRecord record = new_job();
  record.job.mutable_settings()->set_max_attempts(1);
  record = after(after(record, event::Start{"cpu"}), event::Stopped{1, unavailable("Busy."), true, {}});
  ASSERT_EQ(record.job.state(), v1::JOB_STATE_FAILED);
  EXPECT_TRUE(record.keeps_work);
  EXPECT_FALSE(after(record, event::Retry{}).keeps_work);
  const Transition expired = *try_event(record, event::WorkExpired{});
  EXPECT_FALSE(expired.record.keeps_work);
  ASSERT_EQ(expired.actions.size(), 1u);
  EXPECT_EQ(expired.actions[0].kind, Action::Kind::kDiscard);
  EXPECT_THAT(try_event(expired.record, event::WorkExpired{})->actions, IsEmpty());
  // A work folder that could not be removed is removed at the next start.
  record = after(expired.record, event::Discarded{unavailable("The server does not answer.")});
  EXPECT_TRUE(record.cleanup);
  EXPECT_EQ(try_event(record, event::Recover{})->actions.size(), 1u);
  EXPECT_FALSE(after(record, event::Discarded{ok_status()}).cleanup);
}

TEST(Lifecycle, AFullDiskIsWaitedForAndCountsAsNothing) {
  JobRecord record = new_job();
  for (int attempt = 1; attempt <= 20; attempt++) {
    record =
        after(after(record, event::Start{"cpu"}), event::NoRoom{attempt, resource_exhausted("It is full.")});
    ASSERT_EQ(record.job.state(), v1::JOB_STATE_QUEUED);
    EXPECT_GT(record.not_before, kNow.steady);
    EXPECT_EQ(record.not_before_why, "It is full.");
    // The start is refused as long as the disk is full, each time for longer.
    record = after(after(record, event::Start{"cpu"}),
                   event::StartRefused{++attempt, resource_exhausted("Still.")});
    ASSERT_EQ(record.job.state(), v1::JOB_STATE_QUEUED);
  }
  EXPECT_EQ(record.failures, 0);
}

TEST(Lifecycle, ARefusedSessionIsWaitedForAndCountsAsNothing) {
  JobRecord record = new_job();
  for (int attempt = 1; attempt <= 20; attempt++) {
    record = after(after(record, event::Start{"cpu"}),
                   event::SessionRefused{{attempt, resource_exhausted("No session.")}, 2, {}});
    ASSERT_EQ(record.job.state(), v1::JOB_STATE_QUEUED);
    EXPECT_EQ(record.not_before_why, "No session.");
  }
  EXPECT_EQ(record.failures, 0);
}

TEST(Lifecycle, StopsAtACheckpointCountAsNothing) {
  JobRecord record = new_job();
  for (int attempt = 1; attempt <= 20; attempt++) {
    record = after(after(record, event::Start{"cpu"}), event::Checkpoint{});
    record = after(record, event::Stopped{attempt, cancelled("x"), false, {}});
    ASSERT_EQ(record.job.state(), v1::JOB_STATE_QUEUED);
    ASSERT_LE(record.not_before, kNow.steady);
  }
}

TEST(Lifecycle, NothingStartsWhileTheWorkFolderIsBeingRemovedAndItIsRemovedOnce) {
  JobRecord record = after(make(Situation::kCancelled), event::Retry{});
  EXPECT_EQ(record.job.state(), v1::JOB_STATE_QUEUED);
  EXPECT_FALSE(may_start(record));
  EXPECT_FALSE(try_event(record, event::Start{"cpu"}).ok());
  const Transition again = *try_event(record, event::Cancel{});
  EXPECT_THAT(again.actions, IsEmpty()) << "it is under way";
  record = after(again.record, event::Retry{});
  record = after(record, event::Discarded{ok_status()});
  EXPECT_TRUE(may_start(record));
  EXPECT_FALSE(record.cleanup);
}

TEST(Lifecycle, PublishingIsTriedAgainAndThenFails) {
  JobRecord record = make(Situation::kPublishing);
  for (int i = 1; i < kPublishFailuresThatFail; i++) {
    record = after(record, event::Published{1, unavailable("The folder does not answer.")});
    ASSERT_TRUE(record.publishing);
    ASSERT_GT(record.not_before, kNow.steady);
  }
  record = after(record, event::Published{1, unavailable("The folder does not answer.")});
  EXPECT_EQ(record.job.state(), v1::JOB_STATE_FAILED);
  EXPECT_FALSE(record.cleanup) << "the finished file stays";
}

TEST(Lifecycle, AWorkFolderThatCannotBeRemovedKeepsNoJobFromSucceeding) {
  JobRecord record = after(make(Situation::kPublished), event::Discarded{unavailable("The disk is slow.")});
  EXPECT_EQ(record.job.state(), v1::JOB_STATE_SUCCEEDED);
  EXPECT_TRUE(record.cleanup);
  const Transition again = *try_event(reloaded(record), event::Recover{});
  EXPECT_THAT(again.actions, testing::ElementsAre(Action{Action::Kind::kDiscard}));
  record = after(again.record, event::Discarded{ok_status()});
  EXPECT_FALSE(record.cleanup);
}

TEST(Lifecycle, TheListOfAttemptsIsBounded) {
  JobRecord record = new_job();
  for (int attempt = 1; attempt <= 100; attempt++)
    record = after(after(record, event::Start{"cpu"}), event::Recover{});
  EXPECT_EQ(record.job.attempts_size(), kAttemptsKept);
  EXPECT_EQ(record.job.attempts().rbegin()->number(), 100);
}

TEST(Lifecycle, RetryDelaysDoubleUpToTheLongest) {
  EXPECT_EQ(retry_delay(1, kDelays), std::chrono::seconds(1));
  EXPECT_EQ(retry_delay(3, kDelays), std::chrono::seconds(4));
  EXPECT_EQ(retry_delay(7, kDelays), std::chrono::seconds(60));
  EXPECT_EQ(retry_delay(1'000'000, kDelays), std::chrono::seconds(60));
}

// Checks the invariants of one transition of any record.
void check_transition(const JobRecord& record, const Event& event, const Transition& transition) {
  const v1::Job& before = record.job;
  const v1::Job& job = transition.record.job;
  EXPECT_GE(job.attempt(), before.attempt());
  EXPECT_LE(job.attempt(), before.attempt() + 1);
  EXPECT_EQ(job.has_end_time(), is_final(job.state()));
  const bool leaves_the_end = is_final(before.state()) && job.state() != before.state();
  EXPECT_TRUE(!leaves_the_end ||
              (std::holds_alternative<event::Retry>(event) && before.state() != v1::JOB_STATE_SUCCEEDED));
  const bool succeeds = job.state() == v1::JOB_STATE_SUCCEEDED && before.state() != job.state();
  EXPECT_TRUE(!succeeds || record.publishing);
  EXPECT_TRUE(!transition.record.publishing || job.state() == v1::JOB_STATE_RUNNING);
  for (const Action& action : transition.actions) {
    const bool touches_files = action.kind == Action::Kind::kDiscard || action.kind == Action::Kind::kPublish;
    EXPECT_FALSE(touches_files && attempt_is_open(job)) << "the work folder is in use";
  }
  EXPECT_TRUE(transition.change != Transition::Change::kNone ||
              job.SerializeAsString() == before.SerializeAsString());
}

// Random sequences of events, for errors that no single event shows.
TEST(Lifecycle, PropertiesHoldOnRandomWalks) {
  std::mt19937 random(7);
  for (int walk = 0; walk < 1000; walk++) {
    JobRecord record = new_job();
    for (int i = 0; i < 60 && !HasFailure(); i++) {
      const int attempt = int(record.job.attempt()) - int(random() % 4 == 0);
      const Event events[] = {event::Start{"cpu"},
                              event::StartRefused{attempt, unavailable("x")},
                              event::SegmentDone{attempt, i},
                              event::Finished{attempt, {}},
                              event::Stopped{attempt, cancelled("x"), false, {}},
                              event::Stopped{attempt, unavailable("x"), true, {}},
                              event::WorkerLost{attempt, "x"},
                              event::Published{attempt, random() % 2 == 0 ? ok_status() : unavailable("x")},
                              event::Discarded{ok_status()},
                              event::Cancel{},
                              event::Pause{},
                              event::Resume{},
                              event::Retry{},
                              event::ChangePriority{int(random() % 5)},
                              event::Checkpoint{},
                              event::Recover{}};
      const Event& event = events[random() % std::size(events)];
      const StatusOr<Transition> transition = try_event(record, event);
      if (!transition.ok()) continue;
      check_transition(record, event, *transition);
      record = transition->record;
    }
  }
}

// The job fails only after its other files are published. A retry processes the failed files.
TEST(Lifecycle, AJobWithFilesThatFailedFailsOnceTheOthersAreInTheirPlaces) {
  JobRecord record = make(Situation::kRunning);
  record.job.mutable_spec()->mutable_texture()->set_input("/t/*");
  record.job.mutable_spec()->mutable_texture()->set_output("/o/*");
  v1::JobResult result;
  for (int i = 0; i < 7; i++) {
    result.add_failed_inputs()->set_name(fmt::format("{}.dds", i));
    result.mutable_failed_inputs(i)->set_reason("It is damaged.");
  }
  record = after(record, event::Finished{record.job.attempt(), result});
  EXPECT_TRUE(record.publishing);
  record = after(record, event::Published{record.job.attempt(), ok_status()});
  EXPECT_EQ(record.job.state(), v1::JOB_STATE_RUNNING);
  record = after(record, event::Discarded{ok_status()});
  EXPECT_EQ(record.job.state(), v1::JOB_STATE_FAILED);
  EXPECT_THAT(record.job.error().message(), HasSubstr("7 of the input's files failed"));
  EXPECT_THAT(record.job.error().message(), HasSubstr("4.dds: It is damaged. And 2 more"));
  EXPECT_FALSE(record.publishing || record.published);
  record = after(record, event::Retry{});
  EXPECT_EQ(record.job.state(), v1::JOB_STATE_QUEUED);
  EXPECT_EQ(record.job.spec().texture().files_size(), 7);
  EXPECT_EQ(record.job.spec().texture().files(6), "6.dds");
}

TEST(Lifecycle, ASequenceOfAnotherLengthThanAtTheSubmitIsNoted) {
  v1::Job job;
  job.mutable_estimate()->set_units_in(30);
  job.mutable_result()->set_segments(24);
  note_length(job);
  EXPECT_EQ(job.result().notes_size(), 0) << "segments of a video";
  job.mutable_spec()->mutable_image();
  note_length(job);
  ASSERT_EQ(job.result().notes_size(), 1);
  EXPECT_EQ(job.result().notes(0),
            "The sequence had 30 frames when it was submitted, and 24 frames when the job ran.");
  job.mutable_result()->set_segments(30);
  note_length(job);
  EXPECT_EQ(job.result().notes_size(), 1);
}

}  // namespace
}  // namespace weft::queue
