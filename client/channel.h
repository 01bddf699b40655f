// SPDX-License-Identifier: Apache-2.0
// gRPC behind a Connection: stubs, calls with deadlines, errors. Only for the sources of this folder.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

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
  std::string others;  // usual addresses where no daemon was found, where none was named
  std::shared_ptr<grpc::Channel> grpc;
  std::unique_ptr<v1::JobService::Stub> jobs;
  std::unique_ptr<v1::DeviceService::Stub> devices;
  std::unique_ptr<v1::ServerService::Stub> daemon;
  std::unique_ptr<v1::StatisticsService::Stub> statistics;
  std::unique_ptr<v1::StreamService::Stub> streams;
  std::unique_ptr<v1::PictureService::Stub> pictures;
  std::unique_ptr<v1::TraceService::Stub> traces;
  std::stop_source closed;  // ends the calls of call() and read_stream()
};

// The error for a daemon that does not answer; `why` is part of a sentence.
Status unreachable(const Stubs& stubs, std::string_view why);

// gRPC's status as ours: the same code, google.rpc details as payloads. Without details, which the daemon always adds, three
// codes come from the transport and become is_unreachable(): UNAVAILABLE, DEADLINE_EXCEEDED (where the call has a `deadline`,
// above zero) and CANCELLED (our own cancelling never gets here).
Status from_grpc(const Stubs& stubs, const grpc::Status& status, std::chrono::milliseconds deadline);

// One call that is no stream.
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

// Reads a stream until it ends, `stop` is requested (OK then) or `receive` returns false (OK too).
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
