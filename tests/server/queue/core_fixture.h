// SPDX-License-Identifier: Apache-2.0
// Fixture of the queue's core without its thread. The test sets the clock.
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
  // Opens the core as after a restart of the machine, with wall time `ahead` of the right time.
  // Uncommitted data is lost.
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
  // Advances the clock by `time` and commits at each due time, as the actor does.
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
