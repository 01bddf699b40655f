// SPDX-License-Identifier: Apache-2.0
// The queue's core without its thread, by a clock that a test sets.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "server/queue/core.h"
#include "tests/server/queue/queue_fixture.h"
#include "tests/server/queue/settable_clock.h"

namespace weft::queue {

class CoreTest : public testing::Test {
 protected:
  // The machine, and so the daemon, starts; its clock says so much more than the right time. What was not committed is lost.
  void open(Duration ahead = {}) {
    core_.reset();
    clock_.set_wall(ahead);
    store_ = Store::open(folder_.path(), Durability::kProcess).value();
    logs_ = LogStore::open(folder_.path()).value();
    config_.state_folder = folder_.path();
    core_ = Core::make(
                config_, clock_, *store_, *logs_, [](const std::function<void()>& work) { work(); },
                [](const std::vector<std::string>&, const auto& work, const auto& done) { done(work()); })
                .value();
    core_->start(workers_);
    settle();
  }
  void settle() {
    do ASSERT_TRUE(core_->commit().ok());
    while (core_->has_work());
  }
  std::string submit(const std::string& name, int64_t units = 0) {
    Submission submission = make_submission(name);
    submission.estimate.set_units_in(units);
    std::string id;
    core_->submit(submission, [&](const StatusOr<v1::Job>& job) { id = job->id(); });
    settle();
    return id;
  }
  void request(const std::string& id, const Event& event) {
    core_->request(id, event, [](const StatusOr<v1::Job>& job) { EXPECT_TRUE(job.ok()) << job.status(); });
    settle();
  }
  void take(const std::string& id, const Event& event) {
    core_->take(JobEvent{id, event});
    settle();
  }
  // As the actor does: it looks when something is due.
  void live(Duration time) {
    const TimePoint end = clock_.now() + time;
    while (clock_.now() < end) {
      clock_.advance(std::clamp(core_->next_due() - clock_.now(), Duration(std::chrono::seconds(1)),
                                end - clock_.now()));
      settle();
    }
  }

  TemporaryFolder folder_;
  SettableClock clock_;
  QueueConfig config_;
  RecordingWorkers workers_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<LogStore> logs_;
  std::unique_ptr<Core> core_;
};

}  // namespace weft::queue
