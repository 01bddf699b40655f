// SPDX-License-Identifier: Apache-2.0
// Which jobs are forgotten when, whatever the wall clock says.
#include <gmock/gmock.h>

#include "server/queue/core.h"
#include "tests/server/queue/queue_fixture.h"
#include "tests/server/queue/settable_clock.h"

namespace weft::queue {
namespace {

using Hours = std::chrono::hours;
using Minutes = std::chrono::minutes;

constexpr Duration kDay = Hours(24);
constexpr Duration kKept = 30 * kDay;

class RetentionTest : public testing::Test {
 protected:
  RetentionTest() { open(); }

  // The machine, and so the daemon, starts; its clock says so much more than the right time.
  void open(Duration ahead = {}) {
    core_.reset();
    clock_.set_wall(ahead);
    store_ = Store::open(folder_.path(), Durability::kProcess).value();
    logs_ = LogStore::open(folder_.path()).value();
    QueueConfig config;
    config.state_folder = folder_.path();
    config.ended_age = kKept;
    core_ = Core::make(
                config, clock_, *store_, *logs_, [](const std::function<void()>& work) { work(); },
                [](const std::vector<std::string>&, const auto& work, const auto& done) { done(work()); })
                .value();
    core_->start(workers_);
    settle();
  }
  void settle() {
    do ASSERT_TRUE(core_->commit().ok());
    while (core_->has_work());
  }
  // A job that is cancelled, and so has ended.
  std::string end_job(const std::string& name) {
    std::string id;
    core_->submit(make_submission(name), [&](const StatusOr<v1::Job>& job) { id = job->id(); });
    settle();
    core_->request(id, event::Cancel{}, [](const StatusOr<v1::Job>&) {});
    settle();
    EXPECT_EQ(core_->get(id)->state(), v1::JOB_STATE_CANCELLED);
    return id;
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
  bool is_known(const std::string& id) const { return core_->get(id).ok(); }

  TemporaryFolder folder_;
  SettableClock clock_;
  RecordingWorkers workers_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<LogStore> logs_;
  std::unique_ptr<Core> core_;
};

TEST_F(RetentionTest, JobsAreForgottenWhenTheirTimeIsOver) {
  const std::string here = end_job("a");
  live(kKept - kDay);
  EXPECT_TRUE(is_known(here));
  live(kDay + Hours(1));
  EXPECT_FALSE(is_known(here));
  const std::string before = end_job("b");
  clock_.advance(kKept - kDay);
  open();
  live(kDay - Hours(1));
  EXPECT_TRUE(is_known(before));
  live(Hours(2));
  EXPECT_FALSE(is_known(before));
}

TEST_F(RetentionTest, AClockThatIsAheadAtTheStartForgetsNothing) {
  const std::string id = end_job("a");
  clock_.advance(kDay);
  open(1000 * kDay);
  live(Minutes(50));
  EXPECT_TRUE(is_known(id));
  clock_.set_wall({});
  live(kDay);
  EXPECT_TRUE(is_known(id));
  live(kKept);
  EXPECT_FALSE(is_known(id));
}

TEST_F(RetentionTest, AClockThatIsSetForwardForgetsNoJobOfToday) {
  open(-1000 * kDay);  // no battery: long ago
  const std::string id = end_job("a");
  clock_.set_wall({});
  live(kDay);
  EXPECT_TRUE(is_known(id));
  live(kKept);
  EXPECT_FALSE(is_known(id));
}

// Old ones behind one that the wall clock takes for older.
TEST_F(RetentionTest, AJobThatIsKeptKeepsNoOther) {
  const std::string old = end_job("a");
  clock_.advance(kKept);
  open(-1000 * kDay);
  const std::string id = end_job("b");
  clock_.set_wall({});
  live(Hours(2));
  EXPECT_FALSE(is_known(old));
  EXPECT_TRUE(is_known(id));
}

TEST_F(RetentionTest, AClockThatStaysAsItIsIsTrusted) {
  const std::string id = end_job("a");
  clock_.advance(kDay);
  open(kKept);
  live(Hours(2));
  EXPECT_FALSE(is_known(id));
}

}  // namespace
}  // namespace weft::queue
