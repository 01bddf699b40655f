// SPDX-License-Identifier: Apache-2.0
// Tests the removal of ended jobs by age, which does not depend on the wall clock.
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
  // Submits a job and ends it by a cancel.
  std::string end_job(const std::string& name) {
    const std::string id = submit(name);
    request(id, event::Cancel{});
    EXPECT_EQ(core_->views().get(id)->state(), v1::JOB_STATE_CANCELLED);
    return id;
  }
  bool is_known(const std::string& id) const { return core_->views().get(id).ok(); }
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
  open(-1000 * kDay);  // wall time of a machine without a clock battery
  const std::string id = end_job("a");
  clock_.set_wall({});
  live(kDay);
  EXPECT_TRUE(is_known(id));
  live(kKept);
  EXPECT_FALSE(is_known(id));
}

// Jobs are removed although the wall clock gives a newer job an older time.
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

class OwnerBytesTest : public CoreTest {
 protected:
  static constexpr int64_t kLimit = 100'000;

  OwnerBytesTest() {
    config_.owner_bytes = kLimit;
    open();
  }
  // Submits a job of about 20,000 bytes.
  StatusOr<std::string> submit_large(const std::string& name, const std::string& owner) {
    Submission submission = make_submission(name);
    submission.settings.set_owner(owner);
    (*submission.settings.mutable_labels())["large"] = std::string(20'000, 'x');
    StatusOr<std::string> id = internal_error("No answer.");
    core_->submit(submission, [&](const StatusOr<v1::Job>& job) {
      id = job.ok() ? StatusOr<std::string>(job->id()) : job.status();
    });
    settle();
    return id;
  }
  bool is_known(const std::string& id) const { return core_->views().get(id).ok(); }
};

TEST_F(OwnerBytesTest, AnOwnerWithTooMuchIsRefusedAndNobodyElse) {
  std::vector<std::string> ids;
  for (const char* name : {"a", "b", "c", "d"}) ids.push_back(submit_large(name, "ada").value());
  EXPECT_THAT(submit_large("e", "ada"),
              StatusIs(StatusCode::kResourceExhausted, "at most 100000: owner_bytes"));
  EXPECT_TRUE(submit_large("f", "grace").ok());
  for (const std::string& id : ids) EXPECT_TRUE(is_known(id)) << "what waits is not forgotten";
  request(ids[0], event::Cancel{});
  EXPECT_TRUE(submit_large("e", "ada").ok()) << "what has ended makes room";
}

TEST_F(OwnerBytesTest, TheOldestEndsOfTheOwnerAreForgottenFirst) {
  const std::string others = submit_large("other", "grace").value();
  request(others, event::Cancel{});
  std::vector<std::string> ids;
  for (int i = 0; i < 12; i++) {
    ids.push_back(submit_large(std::to_string(i), "ada").value());
    request(ids.back(), event::Cancel{});
    EXPECT_LE(core_->jobs().bytes_of("ada").all, kLimit + 21'000)
        << "one more at most, until the next change";
  }
  EXPECT_FALSE(is_known(ids[0]));
  EXPECT_TRUE(is_known(ids[10]));
  EXPECT_TRUE(is_known(ids[11]));
  EXPECT_TRUE(is_known(others));
  const JobTable::OwnerBytes before = core_->jobs().bytes_of("ada");
  EXPECT_EQ(before.all, before.ended);
  open();
  EXPECT_FALSE(is_known(ids[0])) << "forgotten for good";
  EXPECT_EQ(core_->jobs().bytes_of("ada").all, before.all);
  EXPECT_EQ(core_->jobs().bytes_of("nobody").all, 0);
}

}  // namespace
}  // namespace weft::queue
