// SPDX-License-Identifier: Apache-2.0
// What a submit may not do to jobs that wait or run, and how it hears of it.
#include <gmock/gmock.h>
#include <sys/statvfs.h>

#include "tests/server/rpc/rpc_fixture.h"

namespace weft::rpc {
namespace {

using ::testing::HasSubstr;
using AdmissionTest = RpcTest;

TEST_F(AdmissionTest, JobsThatWaitReserveTheirSpace) {
  struct statvfs space {};
  ASSERT_EQ(::statvfs(folder_.path().c_str(), &space), 0);
  v1::JobEstimate estimate;
  estimate.set_output_bytes(int64_t(space.f_bavail) * int64_t(space.f_frsize) * 2 / 3);
  prober_.answer_with(estimate);
  const v1::Job first = submitted("1.mkv");
  EXPECT_EQ(first.estimate().output_bytes(), estimate.output_bytes());
  v1::SubmitJobResponse response;
  v1::SubmitJobRequest second = request("2.mkv");
  for (const bool validate_only : {true, false}) {
    second.set_validate_only(validate_only);
    const grpc::Status refused = submit(second, &response);
    EXPECT_EQ(refused.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
    EXPECT_THAT(refused.error_message(),
                HasSubstr(fmt::format("{} are reserved for 1 jobs", estimate.output_bytes())));
  }
  // What a job has written is in use, no longer reserved: here a sixth of all.
  add_device();
  const queue::AttemptId attempt = workers_.next().attempt;
  v1::JobProgress progress;
  progress.set_units_done(1);
  progress.set_units_total(2);
  queue_->on_progress(attempt, progress);
  EXPECT_THAT(
      submit(second, &response).error_message(),
      HasSubstr(fmt::format("{} are reserved", estimate.output_bytes() - estimate.output_bytes() / 4)));
  v1::CancelJobRequest cancel;
  cancel.set_id(first.id());
  v1::CancelJobResponse answer;
  ASSERT_TRUE(jobs_->CancelJob(context().get(), cancel, &answer).ok());
  EXPECT_TRUE(submit(second, &response).ok());
}

TEST_F(AdmissionTest, ValidateOnlySeesWhatASubmitSees) {
  submitted();
  v1::SubmitJobResponse response;
  v1::SubmitJobRequest same_output = request();
  same_output.set_validate_only(true);
  const grpc::Status refused = submit(same_output, &response);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(field_of(refused), "spec.deinterlace.output");
}

TEST_F(AdmissionTest, TheInputOfAWaitingJobIsNotOverwritten) {
  const v1::Job first = submitted();
  const std::string other = folder_.path() + "/other.ts";
  std::ofstream(other) << "another file";
  v1::SubmitJobRequest over = request();
  over.mutable_spec()->mutable_deinterlace()->set_input(other);
  over.mutable_spec()->mutable_deinterlace()->set_output(input_);
  over.mutable_settings()->set_overwrite(true);
  v1::SubmitJobResponse response;
  for (const bool validate_only : {true, false}) {
    over.set_validate_only(validate_only);
    const grpc::Status refused = submit(over, &response);
    EXPECT_EQ(refused.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
    EXPECT_EQ(field_of(refused), "spec.deinterlace.output");
    EXPECT_THAT(refused.error_message(), HasSubstr(first.id()));
  }
  v1::CancelJobRequest cancel;
  cancel.set_id(first.id());
  v1::CancelJobResponse answer;
  ASSERT_TRUE(jobs_->CancelJob(context().get(), cancel, &answer).ok());
  EXPECT_TRUE(submit(over, &response).ok());
}

}  // namespace
}  // namespace weft::rpc
