// SPDX-License-Identifier: Apache-2.0
#include "server/queue/files/disk_budget.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/status.h"

namespace weft::queue {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

v1::Job job_of(int64_t output_bytes, int64_t units_in = 0, int64_t units_done = 0) {
  v1::Job job;
  job.mutable_estimate()->set_output_bytes(output_bytes);
  job.mutable_estimate()->set_units_in(units_in);
  job.mutable_progress()->set_units_done(units_done);
  return job;
}

std::vector<DiskSpace> space_of(int64_t free_bytes, uint64_t file_system = 1) {
  return {{.folder = "/videos", .file_system = file_system, .free_bytes = free_bytes}};
}

// Returns the spaces of a job with its work on /fast and its output on /videos.
std::vector<DiskSpace> spaces_of(int64_t work_bytes, int64_t output_bytes) {
  return {
      {.folder = "/fast", .file_system = 2, .free_bytes = work_bytes, .use = DiskSpace::Use::kWork},
      {.folder = "/videos", .file_system = 1, .free_bytes = output_bytes, .use = DiskSpace::Use::kFinished}};
}

TEST(DiskBudget, AJobReservesUntilItEnds) {
  DiskBudget budget;
  auto first = budget.reserve(job_of(600), space_of(1000), 100);
  ASSERT_TRUE(first.ok());
  EXPECT_TRUE(budget.reserve(job_of(300), space_of(1000), 100).ok()) << "and it is given back at once";
  const Status refused = budget.reserve(job_of(301), space_of(1000), 100).status();
  EXPECT_EQ(refused.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(message_of(refused),
              AllOf(HasSubstr("301 bytes wanted"), HasSubstr("1000 are free in /videos"),
                    HasSubstr("600 are reserved for 1 running job"), HasSubstr("100 are kept free")));
  EXPECT_TRUE(budget.reserve(job_of(301), space_of(1000, 2), 100).ok()) << "another file system";
  first->reset();
  EXPECT_TRUE(budget.reserve(job_of(900), space_of(1000), 100).ok());
}

TEST(DiskBudget, WhatIsWrittenIsNoLongerReserved) {
  DiskBudget budget;
  const auto first = budget.reserve(job_of(600), space_of(1000), 0);
  ASSERT_TRUE(first.ok());
  EXPECT_FALSE(budget.reserve(job_of(500), space_of(1000), 0).ok());
  // A third of the segments is written: a sixth of all bytes that the job writes.
  (*first)->progressed(1, 3);
  EXPECT_TRUE(budget.reserve(job_of(500), space_of(1000), 0).ok());
  EXPECT_FALSE(budget.reserve(job_of(501), space_of(1000), 0).ok());
  (*first)->progressed(7, 3);  // All segments are written; the finished file is not.
  EXPECT_TRUE(budget.reserve(job_of(700), space_of(1000), 0).ok());
  EXPECT_FALSE(budget.reserve(job_of(701), space_of(1000), 0).ok());
  (*first)->progressed(0, 3);  // begin of a second pass
  EXPECT_FALSE(budget.reserve(job_of(500), space_of(1000), 0).ok());
}

TEST(DiskBudget, AJobThatGoesOnHasWrittenSomeAlready) {
  DiskBudget budget;
  EXPECT_FALSE(budget.reserve(job_of(1000, 10, 0), space_of(800), 0).ok());
  EXPECT_TRUE(budget.reserve(job_of(1000, 10, 4), space_of(800), 0).ok());
  EXPECT_EQ(bytes_to_write(job_of(1000).estimate(), 5, 0), 1000) << "of how many is not known";
}

// The work folder holds the segments and the finished file, the other file system its copy.
TEST(DiskBudget, WorkAndOutputOnTwoFileSystemsNeedSpaceOnBoth) {
  DiskBudget budget;
  const Status no_work = budget.reserve(job_of(600), spaces_of(599, 1000), 0).status();
  EXPECT_THAT(message_of(no_work),
              AllOf(HasSubstr("space for the work (600 bytes wanted"), HasSubstr("/fast")));
  const Status no_output = budget.reserve(job_of(600), spaces_of(1000, 299), 0).status();
  EXPECT_THAT(message_of(no_output),
              AllOf(HasSubstr("space for the output (300 bytes wanted"), HasSubstr("/videos")));
  EXPECT_TRUE(budget.reserve(job_of(1000), space_of(1000, 2), 0).ok()) << "a refused job reserves nothing";
  const auto first = budget.reserve(job_of(600), spaces_of(1000, 1000), 0);
  ASSERT_TRUE(first.ok());
  EXPECT_FALSE(budget.reserve(job_of(701), space_of(1000), 0).ok());
  EXPECT_TRUE(budget.reserve(job_of(700), space_of(1000), 0).ok());
  (*first)->progressed(1, 1);  // All segments are written, and nothing of the output.
  EXPECT_TRUE(budget.reserve(job_of(700), space_of(1000, 2), 0).ok());
  EXPECT_FALSE(budget.reserve(job_of(701), space_of(1000), 0).ok());
}

// A job without an estimate, or without an output, starts independent of other reservations.
TEST(DiskBudget, WhatWritesNothingStartsAlways) {
  DiskBudget budget;
  const auto first = budget.reserve(job_of(100), space_of(100), 0);
  ASSERT_TRUE(first.ok());
  EXPECT_TRUE(budget.reserve(job_of(0), space_of(50), 10).ok());
}

TEST(DiskBudget, AReservationMayOutliveTheRoom) {
  StatusOr<DiskBudget::ReservationPtr> reservation = unavailable("not yet");
  {
    DiskBudget budget;
    reservation = budget.reserve(job_of(100), space_of(100), 0);
  }
  ASSERT_TRUE(reservation.ok());
  (*reservation)->progressed(1, 2);
}

}  // namespace
}  // namespace weft::queue
