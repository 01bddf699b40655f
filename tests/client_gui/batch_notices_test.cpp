// SPDX-License-Identifier: Apache-2.0
#include "client_gui/models/batch_notices.h"

#include <gmock/gmock.h>

#include "tests/client_gui/events.h"

namespace weft::gui {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Makes a job of one owner, submitted at 1790000000 + `number`.
JobRow make(int number, v1::JobState state, const QString& labels = {}) {
  JobRow job = make_job(number, state);
  job.owner = "ann";
  job.labels = labels;
  return job;
}
constexpr double at(double seconds) { return 1790000000.0 + seconds; }

TEST(BatchNotices, OneNoticeForJobsThatWereSubmittedTogether) {
  BatchNotices notices;
  for (int i = 0; i < 30; i += 5) notices.see(1, make(i, v1::JOB_STATE_QUEUED));
  for (int i = 0; i < 25; i += 5) notices.see(1, make(i, v1::JOB_STATE_SUCCEEDED));
  EXPECT_THAT(notices.take(at(100)), IsEmpty()) << "one is not done";
  notices.see(1, make(25, v1::JOB_STATE_FAILED));
  EXPECT_THAT(notices.take(at(100)),
              ElementsAre(BatchNotice{"in0.ts -> out0.mkv", 5, 1, 0, {"in25.ts -> out25.mkv"}}));
  EXPECT_THAT(notices.take(at(200)), IsEmpty()) << "told once";
}

TEST(BatchNotices, MoreJobsAreWaitedFor) {
  BatchNotices notices;
  notices.see(1, make(0, v1::JOB_STATE_RUNNING));
  notices.see(1, make(0, v1::JOB_STATE_SUCCEEDED));
  EXPECT_THAT(notices.take(at(kBatchSeconds - 1)), IsEmpty());
  notices.see(1, make(8, v1::JOB_STATE_QUEUED));
  EXPECT_THAT(notices.take(at(8 + kBatchSeconds)), IsEmpty());
  notices.see(1, make(8, v1::JOB_STATE_CANCELLED));
  EXPECT_THAT(notices.take(at(8 + kBatchSeconds)),
              ElementsAre(BatchNotice{"in0.ts -> out0.mkv", 1, 0, 1, {}}));
}

TEST(BatchNotices, JobsFarApartOrOfOthersAreBatchesOfTheirOwn) {
  BatchNotices notices;
  JobRow other = make(1, v1::JOB_STATE_QUEUED);
  other.owner = "bob";
  const std::vector<std::pair<int, JobRow>> jobs = {{1, make(0, v1::JOB_STATE_QUEUED)},
                                                    {1, make(11, v1::JOB_STATE_QUEUED)},
                                                    {2, make(2, v1::JOB_STATE_QUEUED)},
                                                    {1, other}};
  for (const auto& [server, job] : jobs) notices.see(server, job);
  for (auto [server, job] : jobs) {
    job.state = v1::JOB_STATE_SUCCEEDED;
    notices.see(server, job);
    EXPECT_EQ(notices.take(at(1000)).size(), 1u);
  }
}

TEST(BatchNotices, TheSameLabelsAreABatchHoweverFarApart) {
  BatchNotices notices;
  notices.see(1, make(0, v1::JOB_STATE_RUNNING, "reel=7"));
  notices.see(1, make(500, v1::JOB_STATE_RUNNING, "reel=7"));
  notices.see(1, make(1, v1::JOB_STATE_RUNNING, "reel=8"));
  notices.see(1, make(0, v1::JOB_STATE_SUCCEEDED, "reel=7"));
  EXPECT_THAT(notices.take(at(1000)), IsEmpty());
  notices.see(1, make(500, v1::JOB_STATE_SUCCEEDED, "reel=7"));
  EXPECT_THAT(notices.take(at(1000)), ElementsAre(BatchNotice{"reel=7", 2, 0, 0, {}}));
}

TEST(BatchNotices, WhatWasOverAtTheStartIsNoNews) {
  BatchNotices notices;
  notices.see(1, make(0, v1::JOB_STATE_SUCCEEDED));
  EXPECT_THAT(notices.take(at(1000)), IsEmpty());
}

TEST(BatchNotices, AJobThatIsTriedAgainIsWaitedFor) {
  BatchNotices notices;
  notices.see(1, make(0, v1::JOB_STATE_RUNNING));
  notices.see(1, make(0, v1::JOB_STATE_FAILED));
  notices.see(1, make(0, v1::JOB_STATE_QUEUED));
  EXPECT_THAT(notices.take(at(1000)), IsEmpty());
  notices.see(1, make(0, v1::JOB_STATE_SUCCEEDED));
  EXPECT_THAT(notices.take(at(1000)), ElementsAre(BatchNotice{"in0.ts -> out0.mkv", 1, 0, 0, {}}));
}

TEST(BatchNotices, WhatIsForgottenIsNotWaitedFor) {
  BatchNotices notices;
  notices.see(1, make(0, v1::JOB_STATE_RUNNING));
  notices.see(1, make(1, v1::JOB_STATE_RUNNING));
  notices.see(2, make(2, v1::JOB_STATE_RUNNING));
  notices.see(1, make(0, v1::JOB_STATE_SUCCEEDED));
  notices.forget(1, make(0, v1::JOB_STATE_SUCCEEDED).id);
  notices.forget(1, make(1, v1::JOB_STATE_RUNNING).id);
  notices.forget_server(2);
  EXPECT_THAT(notices.take(at(1000)), ElementsAre(BatchNotice{"in0.ts -> out0.mkv", 1, 0, 0, {}}));
}

}  // namespace
}  // namespace weft::gui
