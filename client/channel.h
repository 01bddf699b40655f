// SPDX-License-Identifier: Apache-2.0
// Implements Connection with gRPC: stubs, calls with deadlines, conversion of errors. Only sources
// of this folder include it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <grpcpp/grpcpp.h>

#include "base/status.h"
#include "client/connection.h"
#include "weft/v1/device_service.grpc.pb.h"
#include "weft/v1/job_service.grpc.pb.h"
#include "weft/v1/picture_service.grpc.pb.h"
#include "weft/v1/server_service.grpc.pb.h"
#include "weft/v1/statistics_service.grpc.pb.h"
#include "weft/v1/stream_service.grpc.pb.h"
#include "weft/v1/trace_service.grpc.pb.h"

namespace weft::client {

struct Stubs {
  std::string server;
  // the other default addresses, for messages; empty if an address was given
  std::vector<std::string> others;
  std::shared_ptr<grpc::Channel> grpc;
  std::unique_ptr<v1::JobService::Stub> jobs;
  std::unique_ptr<v1::DeviceService::Stub> devices;
  std::unique_ptr<v1::ServerService::Stub> daemon;
  std::unique_ptr<v1::StatisticsService::Stub> statistics;
  std::unique_ptr<v1::StreamService::Stub> streams;
  std::unique_ptr<v1::PictureService::Stub> pictures;
  std::unique_ptr<v1::TraceService::Stub> traces;
  std::stop_source closed;  // cancels the calls made by call() and read_stream()
};

// Returns the error for a daemon that does not answer. `why` is a clause that stands in parentheses
// in the message. PERMISSION_DENIED: the user may not use the socket.
Status unreachable(const Stubs& stubs, std::string_view why);

// Converts a status of gRPC to a status with the same code and with its google.rpc details as
// payloads. The daemon adds details to each of its errors. UNAVAILABLE, CANCELLED and
// DEADLINE_EXCEEDED without details therefore originate in the transport and become
// is_unreachable() errors, DEADLINE_EXCEEDED only for a `deadline` above zero. Callers do not
// convert the status of a stream that they cancelled.
Status from_grpc(const Stubs& stubs, const grpc::Status& status, std::chrono::milliseconds deadline);

// Makes a unary call and blocks until the answer, an error or the deadline.
template <class Stub, class Request, class Response>
StatusOr<Response> call(const Stubs& stubs, Stub& stub,
                        grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                        const Request& request, std::chrono::milliseconds deadline) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + deadline);
  const std::stop_callback close(stubs.closed.get_token(), [&] { context.TryCancel(); });
  Response response;
  RETURN_IF_ERROR(from_grpc(stubs, (stub.*method)(&context, request, &response), deadline));
  return response;
}

// Reads a stream until its end, until `stop` is requested, or until `receive` returns false. The
// last two are successes.
template <class Stub, class Request, class Response>
Status read_stream(const Stubs& stubs, Stub& stub,
                   std::unique_ptr<grpc::ClientReader<Response>> (Stub::*method)(grpc::ClientContext*,
                                                                                 const Request&),
                   const Request& request, const std::function<bool(const Response&)>& receive,
                   std::stop_token stop) {
  grpc::ClientContext context;
  const std::stop_callback cancel(stop, [&] { context.TryCancel(); });
  const std::stop_callback close(stubs.closed.get_token(), [&] { context.TryCancel(); });
  const auto reader = (stub.*method)(&context, request);
  Response response;
  bool enough = false;
  while (!enough && reader->Read(&response)) enough = !receive(response);
  if (enough) context.TryCancel();
  const grpc::Status end = reader->Finish();
  if (enough || stop.stop_requested()) return ok_status();
  return from_grpc(stubs, end, std::chrono::milliseconds(0));
}

}  // namespace weft::client
