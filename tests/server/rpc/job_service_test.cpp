// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "options/validate.h"
#include "server/rpc/callers.h"
#include "tests/server/rpc/rpc_fixture.h"

namespace weft::rpc {
namespace {

using ::testing::HasSubstr;
using JobServiceTest = RpcTest;

// Reads events until `wanted` returns true for one. The end of the stream before that fails the
// test.
template <class Wanted>
v1::WatchJobsResponse read_until(grpc::ClientReader<v1::WatchJobsResponse>& reader, Wanted wanted) {
  v1::WatchJobsResponse event;
  while (reader.Read(&event))
    if (wanted(event)) return event;
  ADD_FAILURE() << "The watch ended: " << reader.Finish().error_message();
  return {};
}

TEST_F(JobServiceTest, ASubmittedJobIsThereWithItsDefaultsAndOwner) {
  v1::JobEstimate estimate;
  estimate.set_units_in(7);
  prober_.answer_with(estimate);
  v1::SubmitJobResponse response;
  const grpc::Status status = submit(request(), &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.job().id().size(), 26u);
  EXPECT_EQ(response.job().state(), v1::JOB_STATE_QUEUED);
  EXPECT_EQ(response.job().settings().owner(), caller_of(::geteuid(), ::geteuid()).user);
  EXPECT_EQ(response.job().settings().max_attempts(), 3);
  EXPECT_EQ(response.job().spec().video().decoding().decoder(), v1::DECODER_AUTO);
  EXPECT_EQ(response.estimate().units_in(), 7);
  EXPECT_GT(response.estimate().free_bytes(), 0);

  v1::GetJobRequest get;
  get.set_id(response.job().id());
  v1::GetJobResponse got;
  ASSERT_TRUE(jobs_->GetJob(context().get(), get, &got).ok());
  EXPECT_EQ(got.job().id(), response.job().id());
}

TEST_F(JobServiceTest, ValidateOnlyAddsNothing) {
  v1::SubmitJobRequest only = request();
  only.set_validate_only(true);
  v1::SubmitJobResponse response;
  ASSERT_TRUE(submit(only, &response).ok());
  EXPECT_EQ(response.job().id(), "");
  EXPECT_EQ(response.job().settings().owner(), caller_of(::geteuid(), ::geteuid()).user);
  v1::ListJobsResponse list;
  ASSERT_TRUE(jobs_->ListJobs(context().get(), {}, &list).ok());
  EXPECT_EQ(list.total(), 0);
  EXPECT_EQ(response.predictions_size(), 0) << "there is no device yet";
  add_device("cpu");
  ASSERT_TRUE(submit(only, &response).ok());
  ASSERT_EQ(response.predictions_size(), 1);
  EXPECT_EQ(response.predictions(0).device(), "cpu");
  EXPECT_FALSE(response.predictions(0).has_finish()) << "nothing is known of it";
}

TEST_F(JobServiceTest, EveryWrongFieldIsNamed) {
  v1::SubmitJobRequest wrong = request();
  wrong.mutable_spec()->mutable_video()->set_input("relative.ts");
  wrong.mutable_spec()->mutable_video()->mutable_encoding()->set_segment_frames(0);
  wrong.mutable_settings()->set_priority(2000);
  wrong.mutable_settings()->set_device("cuda:7");
  wrong.set_request_id(std::string(65, 'x'));
  v1::SubmitJobResponse response;
  const grpc::Status status = submit(wrong, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  std::set<std::string> fields;
  const auto request_errors = detail_of<google::rpc::BadRequest>(status);
  for (const auto& violation : request_errors.field_violations()) fields.insert(violation.field());
  EXPECT_EQ(fields, (std::set<std::string>{"spec.video.input", "spec.video.encoding.segment_frames",
                                           "settings.priority", "settings.device", "request_id"}));
  EXPECT_EQ(submit({}, &response).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(JobServiceTest, WhatTheProbeFindsIsAboutTheField) {
  v1::SubmitJobResponse response;
  prober_.answer_with(invalid_argument("The file has no video stream."));
  const grpc::Status nameless = submit(request("1.mkv"), &response);
  EXPECT_EQ(nameless.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(field_of(nameless), "spec.video.input");
  // For the same file the error is returned from memory, until the file changes.
  const int asked = prober_.asked();
  prober_.answer_with(options::to_status({{"spec.video.encoding.encoder", "No."}}));
  EXPECT_EQ(field_of(submit(request("2.mkv"), &response)), "spec.video.input");
  EXPECT_EQ(prober_.asked(), asked);
  std::ofstream(input_) << "another file";
  EXPECT_EQ(field_of(submit(request("3.mkv"), &response)), "spec.video.encoding.encoder");
}

TEST_F(JobServiceTest, TooLittleSpaceIsAQuotaFailure) {
  v1::JobEstimate estimate;
  estimate.set_output_bytes(int64_t{1} << 60);
  prober_.answer_with(estimate);
  v1::SubmitJobResponse response;
  const grpc::Status status = submit(request(), &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  const auto failure = detail_of<google::rpc::QuotaFailure>(status);
  ASSERT_EQ(failure.violations_size(), 1);
  EXPECT_EQ(failure.violations(0).subject(), folder_.path());
}

TEST_F(JobServiceTest, TwoJobsDoNotWriteOneOutput) {
  const v1::Job first = submitted();
  v1::SubmitJobResponse response;
  v1::SubmitJobRequest second = request("x/../out.mkv");
  std::filesystem::create_directory(folder_.path() + "/x");
  const grpc::Status refused = submit(second, &response);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(field_of(refused), "spec.video.output");
  EXPECT_THAT(refused.error_message(), HasSubstr(first.id()));

  v1::CancelJobRequest cancel;
  cancel.set_id(first.id());
  v1::CancelJobResponse answer;
  ASSERT_TRUE(jobs_->CancelJob(context().get(), cancel, &answer).ok());
  ASSERT_TRUE(submit(second, &response).ok());
  v1::RetryJobRequest retry;
  retry.set_id(first.id());
  v1::RetryJobResponse retried;
  EXPECT_EQ(jobs_->RetryJob(context().get(), retry, &retried).error_code(),
            grpc::StatusCode::FAILED_PRECONDITION);
}

TEST_F(JobServiceTest, ARequestIdTwiceIsOneJobEvenWhenItsOutputIsThere) {
  v1::SubmitJobRequest twice = request();
  twice.set_request_id("4c1c3f5e");
  v1::SubmitJobResponse first, second;
  ASSERT_TRUE(submit(twice, &first).ok());
  std::ofstream(folder_.path() + "/out.mkv") << "the output";
  ASSERT_TRUE(submit(twice, &second).ok());
  EXPECT_EQ(first.job().id(), second.job().id());
  twice.mutable_settings()->set_priority(5);
  EXPECT_EQ(submit(twice, &second).error_code(), grpc::StatusCode::ALREADY_EXISTS);
}

TEST_F(JobServiceTest, ARequestIdFromManyThreadsAtOnceIsOneJob) {
  v1::SubmitJobRequest same = request();
  same.set_request_id("from-many");
  std::mutex mutex;
  std::set<std::string> ids;
  std::vector<std::thread> threads;
  for (int i = 0; i < 20; i++)
    threads.emplace_back([&] {
      for (int k = 0; k < 50; k++) {
        v1::SubmitJobResponse response;
        const grpc::Status status = submit(same, &response);
        EXPECT_TRUE(status.ok()) << status.error_message();
        const std::lock_guard lock(mutex);
        ids.insert(response.job().id());
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ids.size(), 1u);
}

TEST_F(JobServiceTest, EveryVerbAnswersWithTheJob) {
  const v1::Job job = submitted();
  v1::PauseJobRequest pause;
  pause.set_id(job.id());
  v1::PauseJobResponse paused;
  ASSERT_TRUE(jobs_->PauseJob(context().get(), pause, &paused).ok());
  EXPECT_EQ(paused.job().state(), v1::JOB_STATE_PAUSED);
  v1::ResumeJobRequest resume;
  resume.set_id(job.id());
  v1::ResumeJobResponse resumed;
  ASSERT_TRUE(jobs_->ResumeJob(context().get(), resume, &resumed).ok());
  EXPECT_EQ(resumed.job().state(), v1::JOB_STATE_QUEUED);
  v1::ChangeJobPriorityRequest change;
  change.set_id(job.id());
  change.set_priority(-3);
  v1::ChangeJobPriorityResponse changed;
  ASSERT_TRUE(jobs_->ChangeJobPriority(context().get(), change, &changed).ok());
  EXPECT_EQ(changed.job().settings().priority(), -3);
  v1::ExplainJobRequest explain;
  explain.set_id(job.id());
  v1::ExplainJobResponse explained;
  ASSERT_TRUE(jobs_->ExplainJob(context().get(), explain, &explained).ok());
  EXPECT_GT(explained.reasons_size(), 0);
  v1::CancelJobRequest cancel;
  cancel.set_id(job.id());
  v1::CancelJobResponse cancelled_job;
  ASSERT_TRUE(jobs_->CancelJob(context().get(), cancel, &cancelled_job).ok());
  EXPECT_EQ(cancelled_job.job().state(), v1::JOB_STATE_CANCELLED);
  v1::RetryJobRequest retry;
  retry.set_id(job.id());
  v1::RetryJobResponse retried;
  ASSERT_TRUE(jobs_->RetryJob(context().get(), retry, &retried).ok());
  EXPECT_EQ(retried.job().state(), v1::JOB_STATE_QUEUED);
  EXPECT_EQ(jobs_->RetryJob(context().get(), retry, &retried).error_code(),
            grpc::StatusCode::FAILED_PRECONDITION);
}

TEST_F(JobServiceTest, AnEndedJobIsForgotten) {
  const v1::Job job = submitted();
  v1::ForgetJobRequest forget;
  forget.set_id(job.id());
  v1::ForgetJobResponse forgotten;
  const grpc::Status early = jobs_->ForgetJob(context().get(), forget, &forgotten);
  EXPECT_EQ(early.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(early.error_message(), HasSubstr("cancel it first"));
  v1::CancelJobRequest cancel;
  cancel.set_id(job.id());
  v1::CancelJobResponse cancelled_job;
  ASSERT_TRUE(jobs_->CancelJob(context().get(), cancel, &cancelled_job).ok());
  ASSERT_TRUE(jobs_->ForgetJob(context().get(), forget, &forgotten).ok());
  EXPECT_EQ(forgotten.job().id(), job.id());
  EXPECT_EQ(forgotten.job().state(), v1::JOB_STATE_CANCELLED);
  const grpc::Status again = jobs_->ForgetJob(context().get(), forget, &forgotten);
  EXPECT_EQ(again.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(again.error_message(), HasSubstr("the job was forgotten"));
}

TEST_F(JobServiceTest, WhatIsNotThereIsNotFound) {
  const std::string id = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
  v1::GetJobRequest get;
  get.set_id(id);
  v1::GetJobResponse got;
  EXPECT_EQ(jobs_->GetJob(context().get(), get, &got).error_code(), grpc::StatusCode::NOT_FOUND);
  v1::ReadJobLogRequest log;
  log.set_id(id);
  auto call = context();
  EXPECT_EQ(jobs_->ReadJobLog(call.get(), log)->Finish().error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(JobServiceTest, ListsPageByPage) {
  std::set<std::string> ids;
  for (int i = 0; i < 5; i++) ids.insert(submitted(fmt::format("{}.mkv", i)).id());
  v1::ListJobsRequest list;
  list.set_page_size(2);
  std::set<std::string> seen;
  for (int page = 0; page < 3; page++) {
    v1::ListJobsResponse response;
    ASSERT_TRUE(jobs_->ListJobs(context().get(), list, &response).ok());
    EXPECT_EQ(response.total(), 5);
    for (const v1::Job& job : response.jobs()) seen.insert(job.id());
    list.set_page_token(response.next_page_token());
  }
  EXPECT_EQ(seen, ids);
  EXPECT_EQ(list.page_token(), "");
  list.set_page_token("nonsense");
  v1::ListJobsResponse response;
  EXPECT_EQ(jobs_->ListJobs(context().get(), list, &response).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(JobServiceTest, AWatchTellsWhatIsThereThenEveryChangeAndGoesOnFromItsToken) {
  const v1::Job job = submitted();
  auto call = context();
  auto reader = jobs_->WatchJobs(call.get(), {});
  const auto snapshot = read_until(
      *reader, [](const auto& event) { return event.kind() == v1::WatchJobsResponse::KIND_SNAPSHOT; });
  EXPECT_EQ(snapshot.job().id(), job.id());
  const auto end = read_until(
      *reader, [](const auto& event) { return event.kind() == v1::WatchJobsResponse::KIND_SNAPSHOT_END; });
  add_device();
  read_until(*reader, [](const auto& event) { return event.job().state() == v1::JOB_STATE_RUNNING; });
  const auto started = workers_.next();
  queue_->on_finished(started.attempt, {});
  read_until(*reader, [](const auto& event) { return event.job().state() == v1::JOB_STATE_SUCCEEDED; });
  call->TryCancel();
  EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::CANCELLED);

  v1::WatchJobsRequest again;
  again.set_resume_token(end.resume_token());
  auto second_call = context();
  auto second = jobs_->WatchJobs(second_call.get(), again);
  const auto first_event = read_until(*second, [](const auto&) { return true; });
  EXPECT_EQ(first_event.kind(), v1::WatchJobsResponse::KIND_CHANGED);
  read_until(*second, [](const auto& event) { return event.job().state() == v1::JOB_STATE_SUCCEEDED; });
  second_call->TryCancel();

  again.set_resume_token("stale");
  auto third_call = context();
  EXPECT_EQ(jobs_->WatchJobs(third_call.get(), again)->Finish().error_code(), grpc::StatusCode::OUT_OF_RANGE);
}

TEST_F(JobServiceTest, ALogIsReadAndFollowedToItsEnd) {
  add_device();
  const v1::Job job = submitted();
  const auto started = workers_.next();
  queue_->on_log(started.attempt, "warning", "A packet is corrupt.");
  v1::ReadJobLogRequest request;
  request.set_id(job.id());
  request.set_follow(true);
  auto call = context();
  auto reader = jobs_->ReadJobLog(call.get(), request);
  v1::ReadJobLogResponse line;
  bool seen = false;
  while (!seen && reader->Read(&line)) seen = line.text() == "A packet is corrupt.";
  EXPECT_TRUE(seen);
  queue_->on_finished(started.attempt, {});
  while (reader->Read(&line)) {
  }
  EXPECT_TRUE(reader->Finish().ok());
}

TEST_F(JobServiceTest, ADeadlineEndsACallAndTheServerGoesOn) {
  prober_.hold();
  v1::SubmitJobResponse response;
  const grpc::Status late =
      jobs_->SubmitJob(context(std::chrono::milliseconds(200)).get(), request(), &response);
  EXPECT_EQ(late.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  auto call = context(std::chrono::milliseconds(200));
  auto reader = jobs_->WatchJobs(call.get(), {});
  v1::WatchJobsResponse event;
  while (reader->Read(&event)) {
  }
  EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  prober_.release();
  submitted("other.mkv");
}

TEST_F(JobServiceTest, AWatcherThatNeverReadsDisturbsNobody) {
  auto silent_call = context();
  auto silent_channel = new_channel();
  auto silent = v1::JobService::NewStub(silent_channel)->WatchJobs(silent_call.get(), {});
  add_device();
  const v1::Job job = submitted();
  const auto started = workers_.next();
  v1::JobProgress progress;
  progress.set_stage(std::string(1000, 'x'));
  for (int i = 0; i < 20'000; i++) {
    progress.set_units_done(i);
    queue_->on_progress(started.attempt, progress);
  }
  queue_->on_finished(started.attempt, {});
  auto call = context();
  auto reader = jobs_->WatchJobs(call.get(), {});
  read_until(*reader, [](const auto& event) { return event.job().state() == v1::JOB_STATE_SUCCEEDED; });
  call->TryCancel();
  silent_call->TryCancel();
}

TEST_F(JobServiceTest, AFloodOfBadInputIsRefusedAndTheServerGoesOn) {
  v1::SubmitJobResponse response;
  v1::SubmitJobRequest large = request();
  (*large.mutable_settings()->mutable_labels())["x"] = std::string(2 << 20, 'x');
  EXPECT_EQ(submit(large, &response).error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);

  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; thread++)
    threads.emplace_back([&] {
      auto own = v1::JobService::NewStub(new_channel());
      for (int i = 0; i < 200; i++) {
        v1::SubmitJobRequest bad = request();
        switch (i % 4) {
          case 0:
            bad.mutable_spec()->mutable_video()->set_input(folder_.path() + "/none.ts");
            break;
          case 1:
            bad.mutable_spec()->mutable_video()->set_output(std::string("/tmp/a\0b.mkv", 12));
            break;
          case 2:
            for (int k = 0; k < 1000; k++)
              (*bad.mutable_settings()->mutable_labels())[std::to_string(k)] = "x";
            break;
          default:
            bad.mutable_spec()->mutable_video()->mutable_decoding()->set_decoder(v1::Decoder(99));
        }
        v1::SubmitJobResponse answer;
        EXPECT_EQ(own->SubmitJob(context().get(), bad, &answer).error_code(),
                  grpc::StatusCode::INVALID_ARGUMENT)
            << i % 4;
      }
    });
  for (std::thread& thread : threads) thread.join();
  submitted();
}

// Makes the same call with bytes as a broken client could send them.
TEST_F(JobServiceTest, BytesThatAreNoMessageAreRefused) {
  std::string answer;
  EXPECT_FALSE(call_raw(channel_, "/weft.v1.JobService/SubmitJob", std::string(20, '\xff'), answer).ok());
  EXPECT_EQ(call_raw(channel_, "/weft.v1.JobService/NoSuchCall", "", answer).error_code(),
            grpc::StatusCode::UNIMPLEMENTED);
  submitted();
}

}  // namespace
}  // namespace weft::rpc
