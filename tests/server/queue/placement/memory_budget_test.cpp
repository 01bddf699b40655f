// SPDX-License-Identifier: Apache-2.0
// Tests the placement of jobs by the memory of the machine, which all devices share.
#include "server/queue/placement/memory_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/queue/placement/memory_check.h"
#include "server/queue/placement/placement.h"
#include "tests/server/queue/placement/placement_fixture.h"

namespace weft::queue {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr int64_t kGigabyte = 1'000'000'000;

// Returns a job that needs this memory, in tenths of a gigabyte.
v1::Job job_taking(const std::string& id, int64_t shared, int64_t host = 1) {
  v1::Job job;
  job.set_id(id);
  *job.mutable_settings() = make_submission(id).settings;
  job.mutable_estimate()->set_host_bytes(host * kGigabyte / 10);
  job.mutable_estimate()->set_shared_bytes(shared * kGigabyte / 10);
  return job;
}

// A CPU that runs three jobs at once, and 8 GB of memory.
class PlacementMemory : public PlacementTest {
 protected:
  PlacementMemory() : PlacementTest(3) {
    placement_.set_device(make_device("cpu"), true, "");
    placement_.memory().host().set_limit(8 * kGigabyte);
  }
};

TEST(MemoryBudget, CountsWhatRunningJobsTake) {
  MemoryBudget memory;
  EXPECT_TRUE(memory.fits(INT64_MAX)) << "nothing is known";
  memory.set_limit(8 * kGigabyte);
  memory.take("a", 3 * kGigabyte);
  memory.take("a", 4'900'000'000);
  EXPECT_TRUE(memory.fits(3'100'000'000));
  EXPECT_FALSE(memory.fits(3'100'000'001));
  EXPECT_EQ(memory.describe(7'800'000'000),
            "it needs 7.8 GB of the machine's memory, 3.1 GB of 8 GB are free");
  memory.give_back("a");
  memory.give_back("a");
  EXPECT_EQ(memory.taken(), 0);
  EXPECT_TRUE(memory.fits_alone(8 * kGigabyte));
  EXPECT_FALSE(memory.fits_alone(8 * kGigabyte + 1));
  EXPECT_EQ(text_of_bytes(310'000'001), "311 MB");
}

TEST_F(PlacementMemory, AJobThatFindsNoMemoryWaitsAndSaysSo) {
  wait(job_taking("1", 49));
  wait(job_taking("2", 78));
  wait(job_taking("3", 31));
  EXPECT_EQ(start_next(), "1 on cpu");
  EXPECT_EQ(start_next(), "3 on cpu") << "it passes the one that does not fit";
  EXPECT_EQ(start_next(), "");
  EXPECT_THAT(placement_.waiting_reason("2", now_),
              HasSubstr("Waits for host memory: it needs 7.8 GB of the machine's memory, 0 MB of 8 GB are "
                        "free; this job is next"));
  EXPECT_LE(placement_.next_due(), now_ + Placement::kMemoryProbeInterval);
  placement_.release("cpu", "3", now_);
  EXPECT_EQ(start_next(), "");
  EXPECT_THAT(placement_.waiting_reason("2", now_), HasSubstr("3.1 GB of 8 GB are free"));
  placement_.release("cpu", "1", now_);
  EXPECT_EQ(start_next(), "2 on cpu");
}

// Without a limit, a series of small jobs would always use the memory that a large job waits for.
TEST_F(PlacementMemory, ALargeJobIsNotPassedForEver) {
  wait(job_taking("small 0", 40));
  EXPECT_EQ(start_next(), "small 0 on cpu");
  wait(job_taking("large", 60));
  int minute = 1;
  std::string started;
  for (; minute < 20 && started != "large on cpu"; minute++) {
    wait(job_taking("small " + std::to_string(minute), 40));
    started = start_next();
    placement_.release("cpu", "small " + std::to_string(minute - 1), now_);
    now_ += minutes(1);
  }
  EXPECT_EQ(started, "large on cpu");
  EXPECT_GE(minute, 6) << "it was passed as long as may be";
  EXPECT_LE(minute, 9);
  EXPECT_EQ(start_next(), "") << "its memory is taken";
}

// Further segments of a video take half of the free memory, and count as taken while the job runs.
TEST_F(PlacementMemory, SegmentsAtTheSameTimeTakeFreeMemory) {
  v1::Job job = job_taking("1", 20);
  job.mutable_estimate()->set_segment_bytes(kGigabyte);
  wait(job);
  const auto next = placement_.next(now_);
  ASSERT_TRUE(next.has_value());
  EXPECT_EQ(next->memory.segments_at_once, 1 + 3) << "half of 6 GB";
  EXPECT_EQ(start_next(), "1 on cpu");
  EXPECT_EQ(placement_.memory().host().taken(), 5 * kGigabyte);
  wait(job_taking("2", 30));
  EXPECT_EQ(placement_.next(now_)->memory.segments_at_once, 1) << "a job without a figure";
  EXPECT_EQ(start_next(), "2 on cpu");
  placement_.release("cpu", "1", now_);
  placement_.release("cpu", "2", now_);
  job.mutable_estimate()->set_segment_bytes(1);
  job.set_id("3");
  wait(job);
  EXPECT_EQ(placement_.next(now_)->memory.segments_at_once, MemoryBudget::kMostSegments);
}

// The memory limit may have been lowered since the job was submitted.
TEST_F(PlacementMemory, AJobThatCanNeverFitHoldsNobodyUp) {
  wait(job_taking("1", 90));
  wait(job_taking("2", 40));
  EXPECT_EQ(start_next(), "2 on cpu");
  now_ += std::chrono::hours(1);
  wait(job_taking("3", 40));
  EXPECT_EQ(start_next(), "3 on cpu");
  EXPECT_THAT(placement_.waiting_reason("1", now_), HasSubstr("it needs 9 GB"));
}

TEST_F(PlacementMemory, ADeviceWithMemoryOfItsOwnTakesLess) {
  placement_.set_device(make_device("cuda:0", v1::DEVICE_KIND_CUDA), true, "");
  EXPECT_EQ(MemoryCheck(placement_).least_host_bytes(job_taking("1", 90, 5)), 5 * kGigabyte / 10);
  v1::Job named = job_taking("2", 90, 5);
  named.mutable_settings()->set_device("cpu");
  EXPECT_EQ(MemoryCheck(placement_).least_host_bytes(named), 9 * kGigabyte);
  wait(job_taking("1", 90, 5));
  EXPECT_EQ(start_next(), "1 on cuda:0");
  EXPECT_EQ(placement_.memory().host().taken(), 5 * kGigabyte / 10);
}

}  // namespace
}  // namespace weft::queue
