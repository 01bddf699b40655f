// SPDX-License-Identifier: Apache-2.0
#include "client/watch.h"

#include <mutex>
#include <thread>

#include <gmock/gmock.h>

#include "client/errors.h"
#include "tests/client/fake_server.h"

namespace weft::client {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

// Records calls, such as "begin", "job 1 running", "progress 1", "end", "gone", "back".
class Diary final : public WatchHandler {
 public:
  void on_snapshot_begin() override { add("begin"); }
  void on_snapshot_end() override { add("end"); }
  void on_job(const v1::Job& job, bool progress_only) override {
    add(fmt::format("{} {} {}", progress_only ? "progress" : "job", job.id(), int(job.state())));
  }
  void on_forgotten(const v1::Job& job) override { add("forgotten " + job.id()); }
  void on_disconnected(const Status& why, std::chrono::milliseconds) override {
    EXPECT_TRUE(is_unreachable(why)) << why;
    add("gone");
  }
  void on_reconnected() override { add("back"); }

  std::vector<std::string> lines() {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  bool has(const std::string& line) {
    const std::lock_guard lock(mutex_);
    return std::find(lines_.begin(), lines_.end(), line) != lines_.end();
  }

 private:
  void add(std::string line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(std::move(line));
  }

  std::mutex mutex_;
  std::vector<std::string> lines_;
};

class WatchTest : public ::testing::Test {
 protected:
  WatchTest() {
    v1::Job job;
    job.set_id("A");
    job.set_state(v1::JOB_STATE_QUEUED);
    server_.add(job);
  }
  ~WatchTest() override { static_cast<void>(finish().ok()); }

  WatchOptions quick() {
    WatchOptions options;
    options.first_delay = std::chrono::milliseconds(1);
    options.longest_delay = std::chrono::milliseconds(20);
    return options;
  }
  void begin(WatchOptions options) {
    const auto connection = Connection::open({.server = server_.address()}).value();
    watch_ = std::make_unique<Watch>(connection, std::move(options), diary_);
    thread_ = std::thread([this] { end_ = watch_->run(stop_.get_token()); });
  }
  Status finish() {
    stop_.request_stop();
    if (thread_.joinable()) thread_.join();
    return end_;
  }
  bool wait_for_line(const std::string& line) {
    return server_.wait_for([&] { return diary_.has(line); });
  }
  void run_job(v1::JobState state) {
    server_.change("A", [&](v1::Job& job) { job.set_state(state); });
  }

  test::FakeServer server_;
  Diary diary_;
  std::stop_source stop_;
  std::unique_ptr<Watch> watch_;
  std::thread thread_;
  Status end_;
};

TEST_F(WatchTest, BeginsWithASnapshotThenTellsChanges) {
  begin(quick());
  ASSERT_TRUE(wait_for_line("end"));
  run_job(v1::JOB_STATE_RUNNING);
  server_.change(
      "A", [](v1::Job& job) { job.mutable_progress()->set_units_done(3); }, true);
  ASSERT_TRUE(wait_for_line("progress A 2"));
  EXPECT_THAT(finish(), IsOk());
  EXPECT_THAT(diary_.lines(), ElementsAre("begin", "job A 1", "end", "job A 2", "progress A 2"));
}

TEST_F(WatchTest, AForgottenJobIsNoChange) {
  begin(quick());
  ASSERT_TRUE(wait_for_line("end"));
  server_.forget("A");
  ASSERT_TRUE(wait_for_line("forgotten A"));
  EXPECT_THAT(finish(), IsOk());
  EXPECT_THAT(diary_.lines(), ElementsAre("begin", "job A 1", "end", "forgotten A"));
}

TEST_F(WatchTest, GoesOnWithItsTokenAfterARestart) {
  begin(quick());
  ASSERT_TRUE(wait_for_line("end"));
  server_.stop();
  run_job(v1::JOB_STATE_RUNNING);
  ASSERT_TRUE(wait_for_line("gone"));
  server_.start();
  ASSERT_TRUE(wait_for_line("back"));
  ASSERT_TRUE(wait_for_line("job A 2"));
  EXPECT_THAT(finish(), IsOk());
  const std::vector<std::string> lines = diary_.lines();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "begin"), 1) << "nothing was sent twice";
  // A reconnection that the stopping server ends is repeated with the same token.
  std::vector<std::string> tokens = server_.watch_tokens();
  ASSERT_GE(tokens.size(), 2u);
  EXPECT_EQ(tokens.front(), "");
  tokens.erase(tokens.begin());
  EXPECT_THAT(tokens, Each("1"));
}

TEST_F(WatchTest, ATokenThatIsTooOldStartsOver) {
  server_.forget_history();
  WatchOptions options = quick();
  options.resume_token = "1";
  begin(options);
  ASSERT_TRUE(wait_for_line("end"));
  EXPECT_THAT(finish(), IsOk());
  EXPECT_THAT(diary_.lines(), ElementsAre("begin", "job A 1", "end"));
  EXPECT_THAT(server_.watch_tokens(), ElementsAre("1", ""));
}

TEST_F(WatchTest, FailsAtFirstWhenNobodyListens) {
  server_.stop();
  begin(quick());
  thread_.join();
  EXPECT_TRUE(is_unreachable(end_)) << end_;
}

TEST_F(WatchTest, WaitsForADaemonWhenAsked) {
  server_.stop();
  WatchOptions options = quick();
  options.fail_at_first = false;
  begin(options);
  ASSERT_TRUE(wait_for_line("gone"));
  server_.start();
  ASSERT_TRUE(wait_for_line("end"));
}

TEST_F(WatchTest, TriesAgainAtOnceWhenHurried) {
  server_.stop();
  WatchOptions options = quick();
  options.fail_at_first = false;
  options.first_delay = options.longest_delay = std::chrono::hours(1);
  begin(options);
  ASSERT_TRUE(wait_for_line("gone"));
  server_.start();
  watch_->retry_now();
  ASSERT_TRUE(wait_for_line("end"));
}

TEST_F(WatchTest, GivesUpInTheEnd) {
  server_.stop();
  WatchOptions options = quick();
  options.fail_at_first = false;
  options.give_up_after = std::chrono::milliseconds(50);
  begin(options);
  thread_.join();
  EXPECT_TRUE(is_unreachable(end_)) << end_;
  EXPECT_TRUE(diary_.has("gone"));
}

}  // namespace
}  // namespace weft::client
