// SPDX-License-Identifier: Apache-2.0
// Which jobs are forgotten when, whatever the wall clock says.
#include <gmock/gmock.h>

#include "tests/server/queue/core_fixture.h"

namespace weft::queue {
namespace {

using Hours = std::chrono::hours;
using Minutes = std::chrono::minutes;

constexpr Duration kDay = Hours(24);
constexpr Duration kKept = 30 * kDay;

class RetentionTest : public CoreTest {
 protected:
  RetentionTest() {
    config_.ended_age = kKept;
    open();
  }
  // A job that is cancelled, and so has ended.
  std::string end_job(const std::string& name) {
    const std::string id = submit(name);
    request(id, event::Cancel{});
    EXPECT_EQ(core_->get(id)->state(), v1::JOB_STATE_CANCELLED);
    return id;
  }
  bool is_known(const std::string& id) const { return core_->get(id).ok(); }
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
