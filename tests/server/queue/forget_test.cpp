// SPDX-License-Identifier: Apache-2.0
// Tests the removal of ended jobs on request.
#include <gmock/gmock.h>

#include "tests/server/queue/core_fixture.h"

namespace weft::queue {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class ForgetTest : public QueueTest {
 protected:
  ForgetTest() {
    workers_.at_discard = [this](const v1::Job&) { return discard_.get_future().get(); };
  }
  // Submits a job that fails after it has worked, so that it keeps its work folder.
  std::string fail(const std::string& name = "a") {
    queue_->on_device(make_device("cpu"));
    Submission submission = make_submission(name);
    submission.settings.set_max_attempts(1);
    const std::string id = submit(submission)->id();
    EXPECT_EQ(workers_.next().what, "start");
    queue_->on_log({id, 1}, "info", "a line");
    queue_->on_stopped({id, 1}, unavailable("It broke."), true, {});
    wait_for_state(id, v1::JOB_STATE_FAILED);
    return id;
  }
  StatusOr<v1::Job> forget(const std::string& id) { return call(&Queue::forget, id); }
  Answer<v1::Job> begin_to_forget(const std::string& id) {
    Answer<v1::Job> answer;
    queue_->forget(id, answer.callback());
    return answer;
  }

  std::promise<Status> discard_;  // result of the only removal of a work folder
};

TEST_F(ForgetTest, TheWorkFolderIsRemovedFirstAndTheAnswerComesLast) {
  const std::string id = fail();
  const auto watch = queue_->watch({}, "");
  while ((*next_of(*watch))->kind() != v1::WatchJobsResponse::KIND_SNAPSHOT_END) continue;
  Answer<v1::Job> answer = begin_to_forget(id);
  EXPECT_EQ(workers_.next().what, "discard");
  EXPECT_TRUE(get(id).ok()) << "the job is there as long as its folder is";
  discard_.set_value(ok_status());
  const StatusOr<v1::Job> job = answer.get();
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_EQ(job->state(), v1::JOB_STATE_FAILED);
  EXPECT_THAT(get(id).status(), StatusIs(StatusCode::kNotFound, "or the job was forgotten"));
  EXPECT_THAT(forget(id).status(), StatusIs(StatusCode::kNotFound, "or the job was forgotten"));
  const auto event = next_of(*watch);
  EXPECT_EQ((*event)->kind(), v1::WatchJobsResponse::KIND_FORGOTTEN);
  EXPECT_EQ((*event)->job().id(), id);
  reopen();
  EXPECT_EQ(get(id).status().code(), StatusCode::kNotFound) << "the removal is durable";
  EXPECT_EQ(workers_.waiting_calls(), 0u);
  const auto log = LogStore::open(folder_.path()).value();
  EXPECT_THAT(*log->read(id, 0, 10), IsEmpty());
  EXPECT_GT(submit(make_submission("b"))->id(), id) << "an id is not used again";
}

TEST_F(ForgetTest, JobsThatHaveNotEndedAreRefused) {
  const std::string queued = submit()->id();
  EXPECT_THAT(forget(queued).status(), StatusIs(StatusCode::kFailedPrecondition,
                                                "cannot be forgotten; wait for its end, or cancel it"));
  ASSERT_TRUE(call(&Queue::pause, queued).ok());
  EXPECT_EQ(forget(queued).status().code(), StatusCode::kFailedPrecondition);
  ASSERT_TRUE(call(&Queue::cancel, queued).ok());
  EXPECT_TRUE(forget(queued).ok()) << "it never ran and has no folder";
  EXPECT_EQ(workers_.waiting_calls(), 0u);
}

TEST_F(ForgetTest, ACancelledJobWaitsForTheEndOfItsAttempt) {
  queue_->on_device(make_device("cpu"));
  const std::string id = submit()->id();
  EXPECT_EQ(workers_.next().what, "start");
  ASSERT_TRUE(call(&Queue::cancel, id).ok());
  EXPECT_EQ(workers_.next().what, "stop");
  Answer<v1::Job> first = begin_to_forget(id);
  Answer<v1::Job> second = begin_to_forget(id);
  EXPECT_TRUE(get(id).ok());
  queue_->on_stopped({id, 1}, cancelled("It was asked to stop."), false, {});
  EXPECT_EQ(workers_.next().what, "discard");
  discard_.set_value(ok_status());
  EXPECT_TRUE(first.get().ok());
  EXPECT_TRUE(second.get().ok()) << "both asked while the job was there";
}

TEST_F(ForgetTest, AFolderThatStaysKeepsItsJob) {
  const std::string id = fail();
  discard_.set_value(permission_denied("The folder belongs to another user."));
  EXPECT_THAT(forget(id).status(),
              StatusIs(StatusCode::kUnavailable, "cannot be removed (The folder belongs to another user.)"));
  EXPECT_TRUE(get(id).ok());
  discard_ = {};
  discard_.set_value(ok_status());
  EXPECT_TRUE(forget(id).ok()) << "the removal is tried again";
}

TEST_F(ForgetTest, ARetryMeanwhileKeepsTheJob) {
  const std::string id = fail();
  Answer<v1::Job> answer = begin_to_forget(id);
  EXPECT_EQ(workers_.next().what, "discard");
  ASSERT_TRUE(call(&Queue::retry, id).ok());
  EXPECT_THAT(answer.get().status(), StatusIs(StatusCode::kFailedPrecondition, "was queued again meanwhile"));
  discard_.set_value(ok_status());
  EXPECT_EQ(workers_.next().what, "start");
}

TEST_F(ForgetTest, AQueueThatDrainsForgetsAndOneThatStopsAnswers) {
  const std::string first = fail("a"), second = fail("b");
  queue_->drain([] {});
  Answer<v1::Job> answer = begin_to_forget(first);
  EXPECT_EQ(workers_.next().what, "discard");
  Answer<v1::Job> late = begin_to_forget(first);
  discard_.set_value(ok_status());
  EXPECT_TRUE(answer.get().ok());
  late.get().status().IgnoreError();
  discard_ = {};
  Answer<v1::Job> unanswered = begin_to_forget(second);
  EXPECT_EQ(workers_.next().what, "discard");
  std::thread stopping([this] { queue_->stop(); });
  discard_.set_value(ok_status());
  stopping.join();
  const StatusOr<v1::Job> job = unanswered.get();
  EXPECT_TRUE(job.ok() || job.status().code() == StatusCode::kUnavailable) << job.status();
}

class ForgetCoreTest : public CoreTest {};

// The daemon ends between the removal of the folder and that of the job.
TEST_F(ForgetCoreTest, AnUnfinishedRemovalLeavesTheJobAndNoFolder) {
  open();
  core_->on_device(make_device("cpu"));
  Submission submission = make_submission();
  submission.settings.set_max_attempts(1);
  std::string id;
  core_->submit(submission, [&](const StatusOr<v1::Job>& job) { id = job->id(); });
  settle();
  take(id, event::Stopped{1, unavailable("It broke."), true, {}});
  ASSERT_TRUE(core_->jobs().find(id)->keeps_work);
  int answers = 0;
  core_->request(id, event::Forget{}, [&](const StatusOr<v1::Job>& job) { answers += job.ok() ? 1 : 0; });
  ASSERT_TRUE(core_->commit().ok());
  EXPECT_EQ(answers, 0);
  open();
  EXPECT_TRUE(core_->views().get(id).ok());
  EXPECT_FALSE(core_->jobs().find(id)->keeps_work);
  EXPECT_FALSE(core_->jobs().find(id)->cleanup) << "the folder is gone";
  int discards = 0;
  for (; workers_.waiting_calls() > 0;) discards += workers_.next().what == "discard" ? 1 : 0;
  EXPECT_EQ(discards, 2) << "the next daemon repeats the removal";
  core_->request(id, event::Forget{}, [&](const StatusOr<v1::Job>& job) { answers += job.ok() ? 1 : 0; });
  settle();
  EXPECT_EQ(answers, 1);
  EXPECT_FALSE(core_->views().get(id).ok());
}

}  // namespace
}  // namespace weft::queue
