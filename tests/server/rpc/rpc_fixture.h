// SPDX-License-Identifier: Apache-2.0
// Fixture of the services' tests: the real services over a real queue, connected through a Unix
// socket. The test controls the workers and the prober.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "server/queue/admission/admission.h"
#include "server/queue/queue.h"
#include "server/rpc/server.h"
#include "tests/server/queue/queue_fixture.h"
#include "weft/v1/device_service.grpc.pb.h"
#include "weft/v1/job_service.grpc.pb.h"
#include "weft/v1/server_service.grpc.pb.h"
#include "weft/v1/statistics_service.grpc.pb.h"

namespace weft::rpc {

inline constexpr std::chrono::seconds kDeadline{20};

// A prober that reads no file. Thread-safe.
class FakeProber final : public queue::Prober {
 public:
  void probe(const v1::JobSpec&, std::vector<channel::FileDescriptor>, const channel::Credentials&, bool,
             Answer answer) override {
    std::unique_lock lock(mutex_);
    asked_++;
    if (held_) return waiting_.push_back(std::move(answer));
    const auto result = result_;
    lock.unlock();
    answer(result);
  }
  void answer_with(StatusOr<v1::JobEstimate> result) {
    const std::lock_guard lock(mutex_);
    result_ = std::move(result);
  }
  // Delays all answers until release().
  void hold() {
    const std::lock_guard lock(mutex_);
    held_ = true;
  }
  void release() {
    std::unique_lock lock(mutex_);
    held_ = false;
    const auto waiting = std::exchange(waiting_, {});
    const auto result = result_;
    lock.unlock();
    for (const Answer& each : waiting) each(result);
  }
  int asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

 private:
  std::mutex mutex_;
  StatusOr<v1::JobEstimate> result_ = v1::JobEstimate();
  bool held_ = false;
  std::deque<Answer> waiting_;
  int asked_ = 0;
};

// Returns the details of a status, or a default value if it has none of that type.
template <class Detail>
Detail detail_of(const grpc::Status& status) {
  google::rpc::Status full;
  full.ParseFromString(status.error_details());
  Detail detail;
  for (const auto& each : full.details())
    if (each.Is<Detail>()) each.UnpackTo(&detail);
  return detail;
}

// Returns the field of the first violation of an INVALID_ARGUMENT, such as "spec.video.input".
inline std::string field_of(const grpc::Status& status) {
  const auto request = detail_of<google::rpc::BadRequest>(status);
  return request.field_violations().empty() ? "" : request.field_violations(0).field();
}

// Waits for the next completion. Returns false if the call failed or did not complete in time.
inline bool completed(grpc::CompletionQueue& queue) {
  void* tag = nullptr;
  bool good = false;
  return queue.AsyncNext(&tag, &good, std::chrono::system_clock::now() + kDeadline) ==
             grpc::CompletionQueue::GOT_EVENT &&
         good;
}

inline grpc::ByteBuffer as_buffer(const std::string& bytes) {
  const grpc::Slice slice(bytes);
  return grpc::ByteBuffer(&slice, 1);
}

inline std::string as_text(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string text;
  if (buffer.Valid() && buffer.Dump(&slices).ok())
    for (const grpc::Slice& each : slices)
      text.append(reinterpret_cast<const char*>(each.begin()), each.size());
  return text;
}

// Makes a call without generated stubs, as tools do.
inline grpc::Status call_raw(const std::shared_ptr<grpc::Channel>& channel, const std::string& method,
                             const std::string& request, std::string& response) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kDeadline);
  grpc::GenericStub stub(channel);
  grpc::CompletionQueue queue;
  auto call = stub.PrepareUnaryCall(&context, method, as_buffer(request), &queue);
  call->StartCall();
  grpc::ByteBuffer answer;
  grpc::Status status;
  call->Finish(&answer, &status, nullptr);
  if (!completed(queue)) return grpc::Status(grpc::StatusCode::UNKNOWN, "The call did not end.");
  response = as_text(answer);
  return status;
}

class RpcTest : public testing::Test {
 protected:
  void SetUp() override {
    config_.state_folder = folder_.path() + "/state";
    auto opened = queue::Queue::open(config_, clock_);
    ASSERT_TRUE(opened.ok()) << opened.status();
    queue_ = *std::move(opened);
    queue_->start(workers_);
    admission_ =
        std::make_unique<queue::Admission>(*queue_, prober_, queue::AdmissionConfig{{"cpu", "cuda:0"}, 0});
    auto server = start_server(address_);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    channel_ = new_channel();
    jobs_ = v1::JobService::NewStub(channel_);
    devices_ = v1::DeviceService::NewStub(channel_);
    information_ = v1::ServerService::NewStub(channel_);
    statistics_ = v1::StatisticsService::NewStub(channel_);
    std::ofstream(input_) << "a file";
  }
  void TearDown() override {
    prober_.release();
    if (server_) server_->shut_down(Duration(0));
    if (queue_) queue_->stop();
  }

  StatusOr<std::unique_ptr<RpcServer>> start_server(const std::string& address) {
    ServerConfig config;
    config.listen = {address};
    config.state_folder = config_.state_folder;
    config.device_notes = {"A note."};
    return RpcServer::start(config, *queue_, *admission_, clock_);
  }
  // Returns a new connection that no other caller shares.
  std::shared_ptr<grpc::Channel> new_channel() {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetMaxSendMessageSize(-1);
    return grpc::CreateCustomChannel(address_, grpc::InsecureChannelCredentials(), arguments);
  }
  static std::unique_ptr<grpc::ClientContext> context(std::chrono::milliseconds deadline = kDeadline) {
    auto result = std::make_unique<grpc::ClientContext>();
    result->set_deadline(std::chrono::system_clock::now() + deadline);
    return result;
  }

  v1::SubmitJobRequest request(const std::string& output = "out.mkv") {
    v1::SubmitJobRequest result;
    result.mutable_spec()->mutable_video()->set_input(input_);
    result.mutable_spec()->mutable_video()->set_output(folder_.path() + "/" + output);
    return result;
  }
  grpc::Status submit(const v1::SubmitJobRequest& submitted, v1::SubmitJobResponse* response) {
    return jobs_->SubmitJob(context().get(), submitted, response);
  }
  // Submits a job, which must be accepted, and returns it.
  v1::Job submitted(const std::string& output = "out.mkv") {
    v1::SubmitJobResponse response;
    const grpc::Status status = submit(request(output), &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response.job();
  }
  // Adds a device and waits until the daemon lists it, since the queue's thread handles reports of
  // devices later.
  void add_device(const std::string& id = "cpu") {
    queue_->on_device(queue::make_device(id));
    const auto is_listed = [&] {
      v1::ListDevicesResponse list;
      if (!devices_->ListDevices(context().get(), {}, &list).ok()) return false;
      return std::ranges::any_of(list.devices(),
                                 [&](const v1::DeviceStatus& device) { return device.id() == id; });
    };
    const TimePoint deadline = clock_.now() + std::chrono::seconds(20);
    while (!is_listed() && clock_.now() < deadline) std::this_thread::yield();
    ASSERT_TRUE(is_listed());
  }

  queue::TemporaryFolder folder_;
  const std::string address_ = "unix:" + folder_.path() + "/weft.sock";
  const std::string input_ = folder_.path() + "/in.ts";
  SystemClock clock_;
  queue::QueueConfig config_;
  queue::RecordingWorkers workers_;
  FakeProber prober_;
  std::unique_ptr<queue::Queue> queue_;
  std::unique_ptr<queue::Admission> admission_;
  std::unique_ptr<RpcServer> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::JobService::Stub> jobs_;
  std::unique_ptr<v1::DeviceService::Stub> devices_;
  std::unique_ptr<v1::StatisticsService::Stub> statistics_;
  std::unique_ptr<v1::ServerService::Stub> information_;
};

}  // namespace weft::rpc
