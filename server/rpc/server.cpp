// SPDX-License-Identifier: Apache-2.0
#include "server/rpc/server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/resource_quota.h>

#include "base/log.h"
#include "server/rpc/device_service.h"
#include "server/rpc/job_service.h"
#include "server/rpc/limits.h"
#include "server/rpc/listen.h"
#include "server/rpc/picture_service.h"
#include "server/rpc/request_check.h"
#include "server/rpc/server_service.h"
#include "server/rpc/statistics_service.h"
#include "server/rpc/stream_service.h"
#include "server/rpc/trace_service.h"
#include "server/rpc/unix_listener.h"

namespace weft::rpc {
namespace {

bool is_unix(const std::string& address) { return address.starts_with("unix:"); }

void set_limits(grpc::ServerBuilder& builder) {
  builder.SetMaxReceiveMessageSize(kMaxRequestBytes);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, kMaxMetadataBytes);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMaxCallsPerConnection);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                             kShortestPingMilliseconds);
  // A second daemon on the same port must fail.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  grpc::ResourceQuota quota("clients");
  quota.Resize(kMaxBufferBytes);
  builder.SetResourceQuota(quota);
}

std::string chosen_address(const std::string& address, int port) {
  if (is_unix(address)) return address;
  return fmt::format("{}:{}", address.substr(0, address.rfind(':')), port);
}

}  // namespace

struct RpcServer::Parts {
  Parts(const ServerConfig& config, queue::Queue& queue, queue::Admission& admission, const Clock& clock)
      : jobs(queue, admission, callers, clock, config.on_submit),
        devices(queue, callers, config.device_notes),
        statistics(queue),
        information(queue, clock) {}

  Callers callers;
  JobService jobs;
  DeviceService devices;
  StatisticsService statistics;
  ServerService information;
  std::unique_ptr<StreamService> streams;    // null without the service
  std::unique_ptr<PictureService> pictures;  // null without the service
  std::unique_ptr<TraceService> traces;      // null without the service
  std::vector<std::string> listening;
  std::unique_ptr<grpc::Server> server;
  std::unique_ptr<UnixListener> sockets;
};

RpcServer::RpcServer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
RpcServer::~RpcServer() { shut_down(Duration(0)); }

StatusOr<std::unique_ptr<RpcServer>> RpcServer::start(const ServerConfig& config, queue::Queue& queue,
                                                      queue::Admission& admission, const Clock& clock,
                                                      const ExtraServices& extra) {
  for (const std::string& address : config.listen)
    RETURN_IF_ERROR(prepare_address(address, config.socket_mode));
  static const bool plugins_are_set = [] {
    grpc::EnableDefaultHealthCheckService(true);
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
    return true;
  }();
  static_cast<void>(plugins_are_set);

  auto parts = std::make_unique<Parts>(config, queue, admission, clock);
  grpc::ServerBuilder builder;
  set_limits(builder);
  builder.experimental().SetInterceptorCreators(request_checks());
  builder.RegisterService(&parts->jobs);
  builder.RegisterService(&parts->devices);
  builder.RegisterService(&parts->statistics);
  builder.RegisterService(&parts->information);
  if (extra.streams != nullptr) {
    parts->streams = std::make_unique<StreamService>(*extra.streams, parts->callers);
    builder.RegisterService(parts->streams.get());
  }
  if (extra.pictures != nullptr) {
    parts->pictures = std::make_unique<PictureService>(queue, *extra.pictures, parts->callers);
    builder.RegisterService(parts->pictures.get());
  }
  if (extra.traces != nullptr) {
    parts->traces = std::make_unique<TraceService>(queue, *extra.traces);
    builder.RegisterService(parts->traces.get());
  }
  std::vector<int> ports(config.listen.size(), 0);
  std::vector<std::string> sockets;
  for (size_t i = 0; i < config.listen.size(); i++) {
    if (is_unix(config.listen[i]))
      sockets.push_back(config.listen[i]);
    else
      builder.AddListeningPort(config.listen[i], grpc::InsecureServerCredentials(), &ports[i]);
  }
  ASSIGN_OR_RETURN(parts->sockets, UnixListener::open(sockets, config.socket_mode));
  parts->server = builder.BuildAndStart();
  if (parts->server == nullptr)
    return unavailable("The daemon cannot listen at {}; another program may have the port.",
                       fmt::join(config.listen, ", "));
  for (size_t i = 0; i < config.listen.size(); i++) {
    parts->listening.push_back(chosen_address(config.listen[i], ports[i]));
    log_info("The daemon listens at {}.", parts->listening.back());
  }
  parts->information.set_listening(config.state_folder, parts->listening);
  parts->sockets->begin(*parts->server, parts->callers, config.operators,
                        connection_limits(config.descriptors));
  auto result = std::unique_ptr<RpcServer>(new RpcServer(std::move(parts)));
  result->set_serving(false);
  return result;
}

const std::vector<std::string>& RpcServer::listening() const { return parts_->listening; }

void RpcServer::set_serving(bool serving) {
  auto* health = parts_->server->GetHealthCheckService();
  health->SetServingStatus(serving);
  for (const char* service : {"weft.v1.JobService", "weft.v1.DeviceService", "weft.v1.ServerService",
                              "weft.v1.StreamService", "weft.v1.PictureService", "weft.v1.TraceService"})
    health->SetServingStatus(service, serving);
}

void RpcServer::shut_down(Duration grace) {
  const auto deadline =
      std::chrono::system_clock::now() + std::chrono::ceil<std::chrono::microseconds>(grace);
  parts_->sockets->stop();
  parts_->server->Shutdown(deadline);
  parts_->server->Wait();
}

}  // namespace weft::rpc
