// SPDX-License-Identifier: Apache-2.0
#include "server/worker/job/job_runner.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/server/worker/jobs.h"

namespace weft::worker {
namespace {

class NoEvents final : public JobEvents {
 public:
  void on_segment_finished(int, int64_t) override {}
  void on_log(std::string_view, std::string_view) override {}
};

// A runner with a body from the test.
class OtherRunner final : public JobRunner {
 public:
  using Body = std::function<Status(OtherRunner&)>;
  OtherRunner(JobOrder order, const DeviceShare& share, JobEvents& events, Body body)
      : JobRunner(std::move(order), share, events, "counting"), body_(std::move(body)) {}

  using JobRunner::meter_, JobRunner::notes_, JobRunner::resumed_, JobRunner::source, JobRunner::start_thread,
      JobRunner::state_, JobRunner::step_;

 private:
  Status work() override { return body_(*this); }
  void add_properties(v1::JobResult& result) const override { result.set_segments(7); }

  const Body body_;
};

class JobRunnerTest : public testing::Test {
 protected:
  JobEnd run(OtherRunner::Body body) {
    JobOrder order;
    order.source.priority = 3;
    return OtherRunner(std::move(order), {cpu_device(), loop_, caches()}, events_, std::move(body)).run();
  }

  DeviceLoop loop_;
  NoEvents events_;
};

TEST_F(JobRunnerTest, TheResultHasTheCountersTheNotesAndTheKindsOwnFacts) {
  const JobEnd end = run([](OtherRunner& runner) {
    runner.meter_.units_done = 5;
    runner.meter_.units_total = 6;
    runner.resumed_ = 2;
    runner.notes_.add("Twice.");
    runner.notes_.add("Twice.");
    EXPECT_EQ(runner.progress().stage(), "counting");
    EXPECT_EQ(runner.progress().units_done(), 5);
    return ok_status();
  });
  EXPECT_THAT(end.status, IsOk());
  EXPECT_EQ(end.result.units_in(), 5);
  EXPECT_EQ(end.result.segments(), 7);
  EXPECT_THAT(end.result.notes(), testing::ElementsAre("Twice."));
}

TEST_F(JobRunnerTest, AnErrorHasTheOriginThatItsPartGaveOrIsTheOutputs) {
  const auto fails = [](OtherRunner&) -> Status { return data_loss("A segment is damaged."); };
  EXPECT_TRUE(run(fails).retriable);
  EXPECT_FALSE(run(fails).device_failed);
  const auto fails_of_input = [&](OtherRunner& runner) {
    return runner.state_.check(fails(runner), Origin::kInput);
  };
  EXPECT_FALSE(run(fails_of_input).retriable);
  const auto fails_on_thread = [&](OtherRunner& runner) {
    runner.start_thread([&] { return fails(runner); }, Origin::kDevice).join();
    return ok_status();
  };
  EXPECT_TRUE(run(fails_on_thread).device_failed);
}

TEST_F(JobRunnerTest, ACheckpointEndsAnAttemptUnlessItIsFinishing) {
  const auto stopped_in = [](const char* step) {
    return [step](OtherRunner& runner) {
      runner.step_ = step;
      runner.stop(internal::v1::STOP_KIND_CHECKPOINT);
      return runner.state_.error();
    };
  };
  EXPECT_THAT(run(stopped_in(kProcessing)).status,
              StatusIs(StatusCode::kCancelled, "resumes from its finished part"));
  EXPECT_THAT(run(stopped_in(kFinishing)).status, IsOk());
  EXPECT_THAT(run([](OtherRunner& runner) {
                runner.step_ = kFinishing;
                runner.stop(internal::v1::STOP_KIND_PAUSE);
                return ok_status();
              }).status,
              StatusIs(StatusCode::kCancelled, "paused"));
}

TEST_F(JobRunnerTest, TheSourceIsAsLastChanged) {
  run([](OtherRunner& runner) {
    EXPECT_EQ(runner.source().priority, 3);
    schedule::SourceChanged change;
    change.priority = 9;
    runner.change(change);
    EXPECT_EQ(runner.source().priority, 9);
    return ok_status();
  });
}

TEST_F(JobRunnerTest, ItsFilesAreClosedWhenItHasRun) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const channel::FileDescriptor reading(ends[0]);
  JobOrder order;
  order.work_folder = channel::FileDescriptor(ends[1]);
  OtherRunner runner(std::move(order), {cpu_device(), loop_, caches()}, events_,
                     [](OtherRunner&) { return ok_status(); });
  EXPECT_THAT(runner.run().status, IsOk());
  char byte = 0;
  EXPECT_EQ(::read(reading.get(), &byte, 1), 0);  // No process has the other end of the pipe.
}

TEST(FailureCallbackTest, IsCalledAtAFailureAsLongAsItLives) {
  PipelineState state;
  int ended = 0, calls = 0, late = 0;
  {
    const FailureCallback callback(state, [&] { ended++; });
  }
  const FailureCallback callback(state, [&] { calls++; });
  state.fail(cancelled("It is stopped."), Origin::kStop);
  state.fail(cancelled("Once more."), Origin::kStop);
  const FailureCallback after(state, [&] { late++; });
  EXPECT_EQ(ended, 0);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(late, 1);
}

}  // namespace
}  // namespace weft::worker
