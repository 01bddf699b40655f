// SPDX-License-Identifier: Apache-2.0
// Tests conflicts of a submit with waiting or running jobs, and their errors.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <sys/statvfs.h>

#include "server/rpc/callers.h"
#include "tests/server/rpc/rpc_fixture.h"

namespace weft::rpc {
namespace {

using ::testing::HasSubstr;
using AdmissionTest = RpcTest;

// A file of a few bytes that declares a large output must not block other users.
TEST_F(AdmissionTest, JobsThatWaitRefuseNobody) {
  struct statvfs space {};
  ASSERT_EQ(::statvfs(folder_.path().c_str(), &space), 0);
  v1::JobEstimate estimate;
  estimate.set_output_bytes(int64_t(space.f_bavail) * int64_t(space.f_frsize) * 2 / 3);
  prober_.answer_with(estimate);
  const v1::Job first = submitted("1.mkv");
  EXPECT_EQ(first.estimate().output_bytes(), estimate.output_bytes());
  v1::PauseJobRequest pause;
  pause.set_id(first.id());
  v1::PauseJobResponse paused;
  ASSERT_TRUE(jobs_->PauseJob(context().get(), pause, &paused).ok());
  submitted("2.mkv");
  submitted("3.mkv");
}

TEST_F(AdmissionTest, AnOutputThatCanNeverFitIsRefusedWithTheNumbers) {
  struct statvfs space {};
  ASSERT_EQ(::statvfs(folder_.path().c_str(), &space), 0);
  const int64_t all = int64_t(space.f_blocks) * int64_t(space.f_frsize);
  v1::JobEstimate estimate;
  estimate.set_output_bytes(all);
  prober_.answer_with(estimate);
  submitted("1.mkv");  // The job waits until the files of other jobs are removed.
  admission_->set_low_disk_bytes(4096);
  v1::SubmitJobResponse response;
  v1::SubmitJobRequest second = request("2.mkv");
  for (const bool validate_only : {true, false}) {
    second.set_validate_only(validate_only);
    const grpc::Status refused = submit(second, &response);
    EXPECT_EQ(refused.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
    EXPECT_THAT(refused.error_message(),
                HasSubstr(fmt::format("can never fit ({0} bytes estimated; the file system of {1} has {0}, "
                                      "of which 4096 are kept free)",
                                      all, folder_.path())));
    EXPECT_EQ(detail_of<google::rpc::QuotaFailure>(refused).violations_size(), 1);
  }
}

TEST_F(AdmissionTest, TheOwnerIsWhoTheKernelSaysItIs) {
  const std::string us = caller_of(::geteuid(), ::geteuid()).user;
  EXPECT_EQ(submitted("1.mkv").settings().owner(), us);
  // The test runs as the daemon's user, which may submit for other owners.
  v1::SubmitJobResponse response;
  v1::SubmitJobRequest named = request("2.mkv");
  named.mutable_settings()->set_owner("ada");
  ASSERT_TRUE(submit(named, &response).ok());
  EXPECT_EQ(response.job().settings().owner(), "ada");
  // Each connection has its own identity.
  const auto other = v1::JobService::NewStub(new_channel());
  ASSERT_TRUE(other->SubmitJob(context().get(), request("3.mkv"), &response).ok());
  EXPECT_EQ(response.job().settings().owner(), us);
}

TEST_F(AdmissionTest, OnlyTheDaemonsUserAndRootNameOtherOwners) {
  const auto owner_of = [&](const std::string& owner, const queue::Caller& caller) {
    v1::SubmitJobRequest only = request();
    only.set_validate_only(true);
    only.mutable_settings()->set_owner(owner);
    const auto answer = queue::ask<v1::SubmitJobResponse>(
        [&](auto done) { admission_->submit(only, caller, std::move(done)); });
    return answer.ok() ? answer->job().settings().owner() : message_of(answer.status());
  };
  EXPECT_EQ(owner_of("", {"grace", false}), "grace");
  EXPECT_EQ(owner_of("grace", {"grace", false}), "grace");
  EXPECT_THAT(owner_of("ada", {"grace", false}), HasSubstr("(ada) is somebody else than the caller (grace)"));
  EXPECT_EQ(owner_of("ada", {"root", true}), "ada");
  EXPECT_EQ(owner_of("ada", {}), "ada") << "over TCP";
  EXPECT_EQ(owner_of("", {}), "unknown");
  EXPECT_TRUE(caller_of(0, 5).speaks_for_others);
  EXPECT_TRUE(caller_of(5, 5).speaks_for_others);
  EXPECT_FALSE(caller_of(6, 5).speaks_for_others);
  EXPECT_TRUE(caller_of(0, 5).is_operator);
  EXPECT_TRUE(caller_of(5, 5).is_operator);
  EXPECT_FALSE(caller_of(6, 5).is_operator);
  EXPECT_EQ(caller_of(0, 5).user, "root");
  EXPECT_EQ(caller_of(4'000'000'000, 5).user, "4000000000");
}

TEST_F(AdmissionTest, OnlyOperatorsGoBeyondTheOrdinaryPriorities) {
  const auto submit_at = [&](int priority, bool is_operator) {
    v1::SubmitJobRequest only = request();
    only.set_validate_only(true);
    only.mutable_settings()->set_priority(priority);
    return queue::ask<v1::SubmitJobResponse>([&](auto done) {
             admission_->submit(only, {.user = "grace", .is_operator = is_operator}, std::move(done));
           })
        .status();
  };
  for (const int priority : {-100, 100}) EXPECT_TRUE(submit_at(priority, false).ok()) << priority;
  for (const int priority : {-1000, 1000}) EXPECT_TRUE(submit_at(priority, true).ok()) << priority;
  for (const int priority : {-1000, -101, 101, 1000}) {
    const Status refused = submit_at(priority, false);
    EXPECT_EQ(refused.code(), StatusCode::kPermissionDenied) << priority;
    EXPECT_THAT(message_of(refused),
                HasSubstr(fmt::format("priority ({}) is out of range for grace (-100 to 100)", priority)));
  }
  for (const int priority : {-1001, 1001, std::numeric_limits<int>::min()}) {
    EXPECT_EQ(submit_at(priority, true).code(), StatusCode::kInvalidArgument) << priority;
    EXPECT_EQ(queue::check_priority({.user = "root", .is_operator = true}, priority).code(),
              StatusCode::kInvalidArgument);
    EXPECT_EQ(queue::check_priority({}, priority).code(), StatusCode::kInvalidArgument);
  }
}

TEST_F(AdmissionTest, AJobIsDescribedByALimitedNumberOfBytes) {
  v1::SubmitJobRequest large = request();
  auto& options = *large.mutable_spec()->mutable_video()->mutable_encoding()->mutable_encoder_options();
  for (int i = 0; i < 100; i++) options[std::to_string(i)] = std::string(4000, 'x');
  v1::SubmitJobResponse response;
  const grpc::Status refused = submit(large, &response);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(refused.error_message(), HasSubstr("too many bytes"));
  EXPECT_THAT(refused.error_message(), HasSubstr("at most 262144"));
}

// 150 jobs with the largest permitted labels do not fit in a page, with any page size.
TEST_F(AdmissionTest, APageHasAMegabyteAtMost) {
  constexpr size_t kJobs = 150;
  constexpr size_t kMegabyte = 1 << 20;
  std::vector<std::string> ids;
  for (size_t i = 0; i < kJobs; i++) {
    v1::SubmitJobRequest large = request(fmt::format("{}.mkv", i));
    for (int label = 0; label < 16; label++)
      (*large.mutable_settings()->mutable_labels())[fmt::format("{:02}", label)] = std::string(1021, 'v');
    v1::SubmitJobResponse response;
    ASSERT_TRUE(submit(large, &response).ok());
    ids.push_back(response.job().id());
  }
  v1::ListJobsRequest list;
  list.set_page_size(1000);
  std::vector<std::string> seen;
  size_t largest = 0;
  do {
    v1::ListJobsResponse response;
    ASSERT_TRUE(jobs_->ListJobs(context().get(), list, &response).ok());
    EXPECT_EQ(response.total(), kJobs);
    largest = std::max(largest, response.ByteSizeLong());
    for (const v1::Job& job : response.jobs()) seen.insert(seen.begin(), job.id());
    list.set_page_token(response.next_page_token());
  } while (!list.page_token().empty());
  EXPECT_EQ(seen, ids);
  EXPECT_LE(largest, kMegabyte);
  EXPECT_GT(largest, kMegabyte - kMegabyte / 20) << "a page is filled";
}

TEST_F(AdmissionTest, ValidateOnlySeesWhatASubmitSees) {
  submitted();
  v1::SubmitJobResponse response;
  v1::SubmitJobRequest same_output = request();
  same_output.set_validate_only(true);
  const grpc::Status refused = submit(same_output, &response);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(field_of(refused), "spec.video.output");
}

TEST_F(AdmissionTest, TheInputOfAWaitingJobIsNotOverwritten) {
  const v1::Job first = submitted();
  const std::string other = folder_.path() + "/other.ts";
  std::ofstream(other) << "another file";
  v1::SubmitJobRequest over = request();
  over.mutable_spec()->mutable_video()->set_input(other);
  over.mutable_spec()->mutable_video()->set_output(input_);
  over.mutable_settings()->set_overwrite(true);
  v1::SubmitJobResponse response;
  for (const bool validate_only : {true, false}) {
    over.set_validate_only(validate_only);
    const grpc::Status refused = submit(over, &response);
    EXPECT_EQ(refused.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
    EXPECT_EQ(field_of(refused), "spec.video.output");
    EXPECT_THAT(refused.error_message(), HasSubstr(first.id()));
  }
  v1::CancelJobRequest cancel;
  cancel.set_id(first.id());
  v1::CancelJobResponse answer;
  ASSERT_TRUE(jobs_->CancelJob(context().get(), cancel, &answer).ok());
  EXPECT_TRUE(submit(over, &response).ok());
}

// The folders may be named through links.
TEST_F(AdmissionTest, JobsThatWriteOneFileThroughLinksAreKnown) {
  std::filesystem::create_directory(folder_.path() + "/real");
  std::filesystem::create_directory_symlink("real", folder_.path() + "/link");
  std::filesystem::create_directory_symlink(folder_.path() + "/link", folder_.path() + "/far");
  const auto refused = [&](const std::string& output, const char* why) {
    v1::SubmitJobResponse response;
    v1::SubmitJobRequest second = request(output);
    second.mutable_settings()->set_overwrite(true);
    const grpc::Status status = submit(second, &response);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION) << output;
    EXPECT_THAT(status.error_message(), HasSubstr(why)) << output;
  };
  submitted("link/a.mkv");
  submitted("real/b.mkv");
  for (const char* folder : {"real", "link", "far"})
    for (const char* name : {"/a.mkv", "/b.mkv"})
      refused(std::string(folder) + name, "writes the same output");
  submitted("far/c.mkv");
  std::filesystem::create_symlink(input_, folder_.path() + "/linked.ts");
  v1::SubmitJobRequest reads = request("d.mkv");
  reads.mutable_spec()->mutable_video()->set_input(folder_.path() + "/linked.ts");
  v1::SubmitJobResponse response;
  ASSERT_TRUE(submit(reads, &response).ok());
  const std::string other = folder_.path() + "/real/in.ts";
  std::ofstream(other) << "a clip";
  reads = request("e.mkv");
  reads.mutable_spec()->mutable_video()->set_input(folder_.path() + "/link/in.ts");
  ASSERT_TRUE(submit(reads, &response).ok());
  refused("real/in.ts", "is the input of another job");
}

TEST_F(AdmissionTest, AKernelIsAnInputOfAWaitingJob) {
  const std::string kernel = folder_.path() + "/kernel.exr";
  std::ofstream(kernel) << "a kernel";
  v1::SubmitJobRequest reads = request("a.mkv");
  reads.mutable_spec()->mutable_video()->add_filters()->mutable_bloom()->set_kernel(kernel);
  v1::SubmitJobResponse response;
  const grpc::Status taken = submit(reads, &response);
  ASSERT_TRUE(taken.ok()) << taken.error_message();
  v1::SubmitJobRequest writes = request("kernel.exr");
  writes.mutable_settings()->set_overwrite(true);
  const grpc::Status status = submit(writes, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(), HasSubstr("is the input of another job"));
}

}  // namespace
}  // namespace weft::rpc
