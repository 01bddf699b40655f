// SPDX-License-Identifier: Apache-2.0
#include "server/rpc/server.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/rpc/callers.h"
#include "server/rpc/limits.h"
#include "server/rpc/listen.h"
#include "server/rpc/status.h"
#include "tests/server/rpc/rpc_fixture.h"

namespace weft::rpc {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ServerTest = RpcTest;

TEST_F(ServerTest, TellsWhatItIs) {
  submitted();
  v1::GetServerInfoResponse information;
  ASSERT_TRUE(information_->GetServerInfo(context().get(), {}, &information).ok());
  EXPECT_EQ(information.version(), WEFT_VERSION);
  EXPECT_THAT(information.api_versions(), ElementsAre("v1"));
  EXPECT_EQ(information.job_kinds_size(), v1::JobSpec::descriptor()->oneof_decl(0)->field_count());
  EXPECT_THAT(information.job_kinds(), Contains("video"));
  EXPECT_THAT(information.listening(), ElementsAre(address_));
  EXPECT_EQ(information.state_folder(), config_.state_folder);
  EXPECT_EQ(information.jobs_by_state().at("queued"), 1);
  EXPECT_EQ(information.limits().at("queued_jobs"), config_.max_queued_jobs);
  EXPECT_EQ(information.libraries().at("grpc"), grpc::Version());
  EXPECT_FALSE(information.instance().empty());
}

TEST_F(ServerTest, HealthFollowsWhatTheDaemonSays) {
  const std::string check("\x0a\x12weft.v1.JobService", 20);  // service = 1
  std::string answer;
  ASSERT_TRUE(call_raw(channel_, "/grpc.health.v1.Health/Check", check, answer).ok());
  EXPECT_EQ(answer, "\x08\x02");  // NOT_SERVING
  server_->set_serving(true);
  answer.clear();
  ASSERT_TRUE(call_raw(channel_, "/grpc.health.v1.Health/Check", check, answer).ok());
  EXPECT_EQ(answer, "\x08\x01");  // SERVING
}

TEST_F(ServerTest, ReflectionListsTheServices) {
  const auto call = context();
  grpc::GenericStub stub(channel_);
  grpc::CompletionQueue queue;
  auto stream =
      stub.PrepareCall(call.get(), "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", &queue);
  stream->StartCall(nullptr);
  ASSERT_TRUE(completed(queue));
  stream->Write(as_buffer("\x3a\x01*"), nullptr);  // list_services = 7
  ASSERT_TRUE(completed(queue));
  grpc::ByteBuffer answer;
  stream->Read(&answer, nullptr);
  ASSERT_TRUE(completed(queue));
  for (const char* service : {"weft.v1.JobService", "weft.v1.DeviceService", "weft.v1.ServerService"})
    EXPECT_THAT(as_text(answer), HasSubstr(service));
  call->TryCancel();
}

TEST_F(ServerTest, TunedKernelsAreThoseThatTheWorkerTold) {
  add_device("cpu");
  v1::ListTunedKernelsRequest request;
  request.set_id("cpu");
  v1::ListTunedKernelsResponse tuned;
  ASSERT_TRUE(devices_->ListTunedKernels(context().get(), request, &tuned).ok());
  EXPECT_EQ(tuned.kernels_size(), 0);
  internal::v1::DeviceReport report;
  report.mutable_tuning()->set_driver("a driver 1.0");
  report.mutable_tuning()->add_kernels()->set_kernel("video/bwdif.uint8_t");
  queue_->on_report("cpu", report);
  report.clear_tuning();
  report.mutable_sample();
  queue_->on_report("cpu", report);
  while (tuned.kernels_size() == 0)  // A read may overtake a report.
    ASSERT_TRUE(devices_->ListTunedKernels(context().get(), request, &tuned).ok());
  ASSERT_EQ(tuned.kernels_size(), 1);
  EXPECT_EQ(tuned.kernels(0).kernel(), "video/bwdif.uint8_t");
  EXPECT_EQ(tuned.driver(), "a driver 1.0");
  request.set_id("cuda:9");
  EXPECT_EQ(devices_->ListTunedKernels(context().get(), request, &tuned).error_code(),
            grpc::StatusCode::NOT_FOUND);
}

TEST_F(ServerTest, DevicesAreListedWatchedDrainedAndResumed) {
  add_device("cpu");
  v1::ListDevicesResponse list;
  ASSERT_TRUE(devices_->ListDevices(context().get(), {}, &list).ok());
  ASSERT_EQ(list.devices_size(), 1);
  EXPECT_EQ(list.devices(0).state(), v1::DEVICE_STATE_IN_SERVICE);
  EXPECT_THAT(list.notes(), ElementsAre("A note."));

  v1::WatchDeviceSamplesRequest watch;
  watch.add_ids("cpu");
  auto call = context();
  auto reader = devices_->WatchDeviceSamples(call.get(), watch);
  internal::v1::DeviceReport report;
  report.mutable_sample()->set_last_batch_units(5);
  queue_->on_report("cpu", report);
  v1::WatchDeviceSamplesResponse event;
  do {
    ASSERT_TRUE(reader->Read(&event));
  } while (event.device().sample().last_batch_units() != 5);
  call->TryCancel();

  v1::DrainDevicesResponse drained;
  ASSERT_TRUE(devices_->DrainDevices(context().get(), {}, &drained).ok());
  ASSERT_EQ(drained.devices_size(), 1);
  EXPECT_EQ(drained.devices(0).state(), v1::DEVICE_STATE_DRAINED);
  v1::ResumeDevicesResponse resumed;
  ASSERT_TRUE(devices_->ResumeDevices(context().get(), {}, &resumed).ok());
  EXPECT_EQ(resumed.devices(0).state(), v1::DEVICE_STATE_IN_SERVICE);
  v1::DrainDevicesRequest unknown;
  unknown.add_ids("cuda:9");
  EXPECT_EQ(devices_->DrainDevices(context().get(), unknown, &drained).error_code(),
            grpc::StatusCode::NOT_FOUND);
}

TEST_F(ServerTest, TheQueueIsPausedAndResumed) {
  const auto is_paused = [&] {
    v1::GetServerInfoResponse info;
    EXPECT_TRUE(information_->GetServerInfo(context().get(), {}, &info).ok());
    return info.queue_paused();
  };
  v1::PauseQueueResponse paused;
  ASSERT_TRUE(jobs_->PauseQueue(context().get(), {}, &paused).ok());
  EXPECT_TRUE(paused.queue_paused());
  EXPECT_TRUE(is_paused());
  v1::ResumeQueueResponse resumed;
  ASSERT_TRUE(jobs_->ResumeQueue(context().get(), {}, &resumed).ok());
  EXPECT_FALSE(resumed.queue_paused());
  EXPECT_FALSE(is_paused());
}

TEST_F(ServerTest, StatisticsAreOfTheDaysThatWereAskedFor) {
  v1::GetStatisticsRequest request;
  request.set_days(3);
  v1::GetStatisticsResponse response;
  ASSERT_TRUE(statistics_->GetStatistics(context().get(), request, &response).ok());
  EXPECT_EQ(response.days_size(), 3);
  request.set_last_day("some day");
  EXPECT_EQ(statistics_->GetStatistics(context().get(), request, &response).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
}

TEST(Callers, TheKernelTellsWhoConnects) {
  auto ends = channel::make_socket_pair();
  ASSERT_TRUE(ends.ok()) << ends.status();
  const auto peer = credentials_of(ends->first.get());
  ASSERT_TRUE(peer.ok()) << peer.status();
  EXPECT_EQ(peer->user(), ::geteuid());
  EXPECT_EQ(peer->group(), ::getegid());
  EXPECT_EQ(peer->groups_size(), ::getgroups(0, nullptr));
  EXPECT_THAT(credentials_of(-1), StatusIs(StatusCode::kUnavailable));
}

TEST(Callers, OverTcpNobodyHasRootsRights) {
  const queue::Caller caller = Callers().find("ipv4:127.0.0.1:1");
  EXPECT_EQ(caller.credentials.user(), ::geteuid() == 0 ? 65534u : 0u);
}

TEST_F(ServerTest, ABrokenRequestIsTheClientsFault) {
  std::string answer;
  for (const char* method : {"/weft.v1.JobService/SubmitJob", "/weft.v1.JobService/WatchJobs"}) {
    const grpc::Status status = call_raw(channel_, method, "\xff\xff no message", answer);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << method;
    EXPECT_THAT(status.error_message(), HasSubstr("The request cannot be read"));
  }
  EXPECT_EQ(call_raw(channel_, "/weft.v1.JobService/Nothing", "", answer).error_code(),
            grpc::StatusCode::UNIMPLEMENTED);
  submitted();
}

TEST_F(ServerTest, AUserWatchesSoMuchAndNoMore) {
  struct Watching {
    std::unique_ptr<grpc::ClientContext> call = context();
    std::unique_ptr<grpc::ClientReader<v1::WatchJobsResponse>> reader;
  };
  // One connection cannot carry all of these calls.
  std::vector<std::unique_ptr<v1::JobService::Stub>> stubs;
  std::vector<Watching> watches(kMostWatchesOfAUser);
  v1::WatchJobsResponse event;
  for (size_t i = 0; i < watches.size(); i++) {
    if (i % 200 == 0) stubs.push_back(v1::JobService::NewStub(new_channel()));
    watches[i].reader = stubs.back()->WatchJobs(watches[i].call.get(), {});
    ASSERT_TRUE(watches[i].reader->Read(&event)) << i;
  }
  const auto one_more = [&] {
    const auto call = context();
    const auto reader = jobs_->WatchJobs(call.get(), {});
    if (reader->Read(&event)) call->TryCancel();
    while (reader->Read(&event)) continue;
    return reader->Finish();
  };
  const grpc::Status refused = one_more();
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(refused.error_message(), HasSubstr("watches too much at once"));
  submitted();
  EXPECT_TRUE(watches.back().reader->Read(&event)) << "those that are open go on";
  watches.pop_back();
  watches.back().call->TryCancel();
  const TimePoint deadline = clock_.now() + std::chrono::seconds(20);
  grpc::Status again;
  do again = one_more();
  while (again.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED && clock_.now() < deadline);
  EXPECT_EQ(again.error_code(), grpc::StatusCode::CANCELLED);
}

TEST_F(ServerTest, TheSocketIsForItsOwnerAlone) {
  struct stat info {};
  ASSERT_EQ(::stat(address_.substr(5).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(ServerTest, ALivingSocketIsNotTakenAndADeadOneIs) {
  EXPECT_THAT(prepare_address(address_, 0600), StatusIs(StatusCode::kAborted, address_));
  auto second = start_server(address_);
  EXPECT_THAT(second.status(), StatusIs(StatusCode::kAborted));
  v1::GetServerInfoResponse information;
  EXPECT_TRUE(information_->GetServerInfo(context().get(), {}, &information).ok());

  const std::string file = folder_.path() + "/file";
  std::ofstream(file) << "x";
  EXPECT_THAT(prepare_address("unix:" + file, 0600), StatusIs(StatusCode::kFailedPrecondition, file));
  EXPECT_THAT(prepare_address("unix:/" + std::string(200, 'x'), 0600),
              StatusIs(StatusCode::kInvalidArgument, "too long"));
  const std::string fresh = folder_.path() + "/made/for/it/weft.sock";
  EXPECT_THAT(prepare_address("unix:" + fresh, 0600), IsOk());
  EXPECT_TRUE(std::filesystem::is_directory(folder_.path() + "/made/for/it"));
}

TEST_F(ServerTest, TcpTellsThePortItGotAndAPortIsNotShared) {
  auto first = start_server("127.0.0.1:0");
  ASSERT_TRUE(first.ok()) << first.status();
  const std::string address = (*first)->listening()[0];
  EXPECT_NE(address, "127.0.0.1:0");
  auto stub = v1::ServerService::NewStub(grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
  v1::GetServerInfoResponse information;
  EXPECT_TRUE(stub->GetServerInfo(context().get(), {}, &information).ok());
  auto second = start_server(address);
  EXPECT_THAT(second.status(), StatusIs(StatusCode::kUnavailable, address));
}

TEST_F(ServerTest, ShuttingDownEndsWatchesAndAnswersWhatIsAtWork) {
  auto call = context();
  auto watch = jobs_->WatchJobs(call.get(), {});
  v1::WatchJobsResponse event;
  ASSERT_TRUE(watch->Read(&event));
  server_->shut_down(std::chrono::milliseconds(50));
  while (watch->Read(&event)) {
  }
  EXPECT_FALSE(watch->Finish().ok());
}

TEST(GrpcStatusTest, PayloadsBecomeDetails) {
  const grpc::Status full = to_grpc(resource_exhausted("The queue is full (5 jobs)."));
  EXPECT_EQ(full.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  ASSERT_EQ(detail_of<google::rpc::QuotaFailure>(full).violations_size(), 1);
  EXPECT_EQ(detail_of<google::rpc::QuotaFailure>(full).violations(0).description(),
            "The queue is full (5 jobs).");
  EXPECT_GT(detail_of<google::rpc::RetryInfo>(to_grpc(unavailable("Soon."))).retry_delay().seconds(), 0);
  EXPECT_GT(detail_of<google::rpc::RetryInfo>(to_grpc(deadline_exceeded("Late."))).retry_delay().seconds(),
            0);
  EXPECT_EQ(detail_of<google::rpc::ErrorInfo>(to_grpc(cancelled("Stopped."))).domain(), "weft");
  EXPECT_EQ(to_grpc(not_found("No.")).error_details(), "");
  EXPECT_TRUE(to_grpc(ok_status()).ok());
}

}  // namespace
}  // namespace weft::rpc
