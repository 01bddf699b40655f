// SPDX-License-Identifier: Apache-2.0
#include "client/server.h"

#include <grpcpp/generic/generic_stub.h>

#include "client/channel.h"
#include "client/errors.h"

namespace weft::client {

Server::Server(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {}

StatusOr<v1::GetServerInfoResponse> Server::info() {
  const Stubs& stubs = connection_->stubs();
  return call(stubs, *stubs.daemon, &v1::ServerService::Stub::GetServerInfo, v1::GetServerInfoRequest(),
              connection_->options().deadline);
}

StatusOr<bool> Server::is_there() {
  const Status asked = info().status();
  if (asked.ok()) return true;
  if (is_unreachable(asked) && connection_->nobody_listens()) return false;
  return asked;
}

StatusOr<bool> Server::is_healthy() {
  const Stubs& stubs = connection_->stubs();
  const std::chrono::milliseconds deadline = connection_->options().deadline;
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + deadline);
  // The messages of health.proto have one field each: no service is the daemon, SERVING is 1.
  const grpc::Slice whole_daemon;
  const grpc::ByteBuffer request(&whole_daemon, 1);
  grpc::ByteBuffer response;
  grpc::CompletionQueue queue;
  grpc::Status status;
  grpc::GenericStub stub(stubs.grpc);
  const auto answer = stub.PrepareUnaryCall(&context, "/grpc.health.v1.Health/Check", request, &queue);
  answer->StartCall();
  answer->Finish(&response, &status, nullptr);
  void* tag = nullptr;
  bool is_finished = false;
  queue.Next(&tag, &is_finished);
  RETURN_IF_ERROR(from_grpc(stubs, status, deadline));
  constexpr std::string_view kServing = "\x08\x01";
  grpc::Slice bytes;
  if (!response.DumpToSingleSlice(&bytes).ok())
    return internal_error("The answer to the health check is damaged.");
  return std::string_view(reinterpret_cast<const char*>(bytes.begin()), bytes.size()) == kServing;
}

StatusOr<v1::GetStatisticsResponse> Server::statistics(const v1::GetStatisticsRequest& request) {
  const Stubs& stubs = connection_->stubs();
  return call(stubs, *stubs.statistics, &v1::StatisticsService::Stub::GetStatistics, request,
              connection_->options().deadline);
}

}  // namespace weft::client
