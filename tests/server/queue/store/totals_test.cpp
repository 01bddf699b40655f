// SPDX-License-Identifier: Apache-2.0
// Compares the work of jobs by day with sums of the test, over retries and the removal of jobs.
#include "server/queue/store/totals.h"

#include <cstdlib>
#include <ctime>

#include <gmock/gmock.h>
#include <google/protobuf/util/time_util.h>

#include "server/queue/store/store.h"
#include "tests/server/queue/queue_fixture.h"

namespace weft::queue {
namespace {

using google::protobuf::util::TimeUtil;
using testing::ElementsAre;
using testing::SizeIs;

constexpr int64_t kNoon = 1795348800;  // 2026-11-22 12:00:00 UTC
constexpr int64_t kDaySeconds = 86400;

JobRecord ended(const std::string& id, v1::JobState state, int64_t time, int64_t units = 0,
                int64_t gpu_ms = 0) {
  JobRecord record;
  record.job.set_id(id);
  record.job.set_state(state);
  *record.job.mutable_spec() = make_submission(id).spec;
  record.job.mutable_spec()->mutable_video();
  record.job.mutable_settings()->set_owner("ann");
  record.job.mutable_end_time()->set_seconds(time);
  record.job.mutable_result()->set_units_in(units);
  *record.job.mutable_result()->mutable_gpu_time() = TimeUtil::MillisecondsToDuration(gpu_ms);
  return record;
}

JobRecord failed(const std::string& id, int64_t time, int code, const std::string& message) {
  JobRecord record = ended(id, v1::JOB_STATE_FAILED, time);
  record.job.mutable_error()->set_code(code);
  record.job.mutable_error()->set_message(message);
  return record;
}

class Totals : public testing::Test {
 protected:
  Totals() {
    setenv("TZ", "UTC", 1);
    tzset();
    store_ = Store::open(folder_.path()).value();
  }
  void commit(const JobRecord* before, const JobRecord& after) {
    StoreChange change;
    change.jobs = {std::make_shared<JobRecord>(after)};
    change.last_id = after.job.id();
    change.totals = totals_of(before, after);
    ASSERT_THAT(store_->commit(change), IsOk());
  }
  void add(const JobRecord& record) { commit(nullptr, record); }
  StatusOr<v1::GetStatisticsResponse> read(const std::string& first = "", const std::string& last = "") {
    v1::GetStatisticsRequest request;
    request.set_first_day(first);
    request.set_last_day(last);
    return read_statistics(folder_.path(), request, WallTime(std::chrono::seconds(kNoon)));
  }

  TemporaryFolder folder_;
  std::unique_ptr<Store> store_;
};

TEST_F(Totals, AreSumsByDayOwnerAndFilter) {
  add(ended("01A", v1::JOB_STATE_SUCCEEDED, kNoon, 100, 1500));
  add(ended("01B", v1::JOB_STATE_SUCCEEDED, kNoon - kDaySeconds, 50, 250));
  add(ended("01C", v1::JOB_STATE_CANCELLED, kNoon, 7, 10));
  JobRecord other = ended("01D", v1::JOB_STATE_SUCCEEDED, kNoon, 1, 9000);
  other.job.mutable_settings()->set_owner("bob");
  other.job.mutable_spec()->mutable_image();
  add(other);
  const v1::GetStatisticsResponse response = read().value();
  ASSERT_THAT(response.days(), SizeIs(kDaysByDefault));
  const v1::DayTotals& today = response.days()[kDaysByDefault - 1];
  EXPECT_EQ(today.day(), "2026-11-22");
  EXPECT_EQ(today.totals().succeeded(), 2);
  EXPECT_EQ(today.totals().cancelled(), 1);
  EXPECT_EQ(today.totals().units(), 108);
  EXPECT_EQ(TimeUtil::DurationToMilliseconds(today.totals().gpu_time()), 10510);
  EXPECT_EQ(response.days()[kDaysByDefault - 2].totals().units(), 50);
  EXPECT_EQ(response.days()[0].totals().succeeded(), 0);
  EXPECT_EQ(response.total().units(), 158);
  ASSERT_THAT(response.owners(), SizeIs(2));
  EXPECT_EQ(response.owners()[0].name(), "bob") << "the most device time first";
  EXPECT_EQ(TimeUtil::DurationToMilliseconds(response.owners()[1].totals().gpu_time()), 1760);
  ASSERT_THAT(response.kinds(), SizeIs(2));
  EXPECT_EQ(response.kinds()[0].name(), "image");
  EXPECT_EQ(response.kinds()[1].name(), "video");
}

TEST_F(Totals, FailuresAreToldByReason) {
  add(failed("01A", kNoon - kDaySeconds, 15, "The file (a) is damaged."));
  add(failed("01B", kNoon, 15, "The file (b) is damaged. " + std::string(400, 'x')));
  add(failed("01C", kNoon, 5, "There is no file (c)."));
  const v1::GetStatisticsResponse response = read().value();
  ASSERT_THAT(response.failures(), SizeIs(2));
  EXPECT_EQ(response.failures()[0].reason(), "data-loss");
  EXPECT_EQ(response.failures()[0].jobs(), 2);
  EXPECT_THAT(response.failures()[0].newest_message(), testing::StartsWith("The file (b) is damaged."));
  EXPECT_THAT(response.failures()[0].newest_message(), SizeIs(kLongestExample));
  EXPECT_EQ(response.failures()[1].reason(), "not-found");
  EXPECT_EQ(response.total().failed(), 3);
}

TEST_F(Totals, WhatARetryGoesOnFromCountsOnce) {
  JobRecord first = failed("01A", kNoon, 14, "The disk is away.");
  first.job.mutable_result()->set_units_in(60);
  *first.job.mutable_result()->mutable_gpu_time() = TimeUtil::SecondsToDuration(6);
  first.keeps_work = true;
  add(first);
  JobRecord queued = first;
  queued.job.set_state(v1::JOB_STATE_QUEUED);
  queued.job.clear_result();
  queued.job.clear_error();
  queued.keeps_work = false;
  commit(&first, queued);
  EXPECT_EQ(read()->total().units(), 0);
  commit(&queued, ended("01A", v1::JOB_STATE_SUCCEEDED, kNoon, 100, 10000));
  const v1::JobTotals total = read()->total();
  EXPECT_EQ(total.failed(), 1) << "it did fail";
  EXPECT_EQ(total.succeeded(), 1);
  EXPECT_EQ(total.units(), 100);
  EXPECT_EQ(total.gpu_time().seconds(), 10);
  EXPECT_EQ(read()->failures()[0].newest_message(), "The disk is away.");
}

TEST_F(Totals, OutliveTheJobs) {
  add(ended("01A", v1::JOB_STATE_SUCCEEDED, kNoon, 100));
  StoreChange change;
  change.removed = {"01A"};
  ASSERT_THAT(store_->commit(change), IsOk());
  EXPECT_EQ(read()->total().units(), 100);
  store_ = nullptr;
  store_ = Store::open(folder_.path()).value();
  static_cast<void>(store_->load().value());
  EXPECT_EQ(read()->total().units(), 100) << "not added up twice";
}

TEST_F(Totals, AreKeptForSoManyDaysAndNoLonger) {
  add(ended("01A", v1::JOB_STATE_SUCCEEDED, kNoon - (kDaysKept + 1) * kDaySeconds, 100));
  add(ended("01B", v1::JOB_STATE_SUCCEEDED, kNoon, 1));
  auto db = Database::open(folder_.path() + "/jobs.db").value();
  EXPECT_EQ(*db.query_integer("SELECT count(*) FROM totals"), 1);
}

TEST_F(Totals, DaysAreThoseOfTheTimeZone) {
  const WallTime noon(std::chrono::seconds{kNoon});
  const int day = day_of(noon);
  setenv("TZ", "UTC-14", 1);  // fourteen hours east of UTC
  tzset();
  EXPECT_EQ(day_of(noon), day + 1);
  setenv("TZ", "UTC", 1);
  tzset();
}

TEST_F(Totals, RangesAreChecked) {
  v1::GetStatisticsRequest request;
  const auto read_range = [&] {
    return read_statistics(folder_.path(), request, WallTime(std::chrono::seconds(kNoon)));
  };
  request.set_days(7);
  EXPECT_EQ(read_range()->days()[0].day(), "2026-11-16");
  request.set_first_day("2026-11-01");
  EXPECT_THAT(read_range(), StatusIs(StatusCode::kInvalidArgument, "not both"));
  request.set_days(-1);
  EXPECT_THAT(read_range(), StatusIs(StatusCode::kInvalidArgument, "(-1)"));
  EXPECT_THAT(read("2026-11-22", "2026-11-22")->days(), SizeIs(1));
  EXPECT_THAT(read("2024-02-29", "2024-03-01")->days(), SizeIs(2));
  for (const char* day : {"2026-02-30", "2026-1-1", "yesterday", "2026-11-2x", "2026/11/22", "-026-11-22"})
    EXPECT_THAT(read(day), StatusIs(StatusCode::kInvalidArgument, day));
  EXPECT_THAT(read("2026-11-23", "2026-11-22"), StatusIs(StatusCode::kInvalidArgument, "lies behind"));
  EXPECT_THAT(read("2020-01-01", "2026-11-22"), StatusIs(StatusCode::kInvalidArgument, "too long"));
}

TEST_F(Totals, AHundredThousandJobsAreAnsweredFromAFewRows) {
  StoreChange change;
  const Total one = total_of(ended("01A", v1::JOB_STATE_SUCCEEDED, kNoon, 1).job);
  for (int i = 0; i < 100'000; i++) {
    change.totals.push_back(one);
    change.totals.back().day -= i % 30;
  }
  ASSERT_THAT(store_->commit(change), IsOk());
  EXPECT_EQ(read()->total().units(), 100'000);
  auto db = Database::open(folder_.path() + "/jobs.db").value();
  EXPECT_EQ(*db.query_integer("SELECT count(*) FROM totals"), 30);
}

}  // namespace
}  // namespace weft::queue
