// SPDX-License-Identifier: Apache-2.0
#include "server/rpc/server_service.h"

#include <algorithm>

#include <google/protobuf/stubs/common.h>
#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include "options/job_kinds.h"
#include "server/rpc/limits.h"
#include "server/rpc/reactors.h"
#include "server/streams/limits.h"

namespace weft::rpc {
namespace {

google::protobuf::Duration to_proto(Duration duration) {
  google::protobuf::Duration result;
  result.set_seconds(duration / std::chrono::seconds(1));
  result.set_nanos(int((duration % std::chrono::seconds(1)).count()));
  return result;
}

// Returns an id that differs at every start, so that clients notice a new daemon.
std::string make_instance(const Clock& clock) {
  return fmt::format("{:x}-{:x}", clock.wall_now().time_since_epoch().count(), getpid());
}

}  // namespace

ServerService::ServerService(queue::Queue& queue, const Clock& clock)
    : queue_(queue), clock_(clock), start_(clock.now()) {
  fixed_.set_version(WEFT_VERSION);
  fixed_.add_api_versions("v1");
  fixed_.set_instance(make_instance(clock));
  fixed_.set_pid(getpid());
  (*fixed_.mutable_libraries())["grpc"] = grpc::Version();
  (*fixed_.mutable_libraries())["protobuf"] =
      google::protobuf::internal::VersionString(GOOGLE_PROTOBUF_VERSION);
  for (const options::JobKind& kind : options::job_kinds()) fixed_.add_job_kinds(kind.name);
  (*fixed_.mutable_limits())["request_bytes"] = kMaxRequestBytes;
  (*fixed_.mutable_limits())["calls_per_connection"] = kMaxCallsPerConnection;
  (*fixed_.mutable_limits())["streams"] = streams::kMaxStreams;
  (*fixed_.mutable_limits())["stream_frame_bytes"] = streams::kMaxFrameBytes;
}

void ServerService::set_listening(const std::string& state_folder,
                                  const std::vector<std::string>& addresses) {
  const std::lock_guard lock(mutex_);
  fixed_.set_state_folder(state_folder);
  for (const std::string& address : addresses) fixed_.add_listening(address);
}

grpc::ServerUnaryReactor* ServerService::GetServerInfo(grpc::CallbackServerContext* context,
                                                       const v1::GetServerInfoRequest*,
                                                       v1::GetServerInfoResponse* response) {
  auto* reactor = context->DefaultReactor();
  {
    const std::lock_guard lock(mutex_);
    *response = fixed_;
  }
  *response->mutable_uptime() = to_proto(clock_.now() - start_);
  queue_.list_devices([this, reactor, response](const StatusOr<std::vector<v1::DeviceStatus>>& devices) {
    if (devices.ok())
      response->set_devices_in_service(int(std::ranges::count(
          *devices, v1::DEVICE_STATE_IN_SERVICE, [](const auto& each) { return each.state(); })));
    queue_.counts(answer<queue::QueueCounts>(reactor, [response](const queue::QueueCounts& counts) {
      for (const auto& [name, value] : counts.limits) (*response->mutable_limits())[name] = value;
      for (const auto& [state, jobs] : counts.jobs_by_state)
        (*response->mutable_jobs_by_state())[state] = jobs;
      response->set_draining(counts.draining);
      response->set_queue_paused(counts.paused);
    }));
  });
  return reactor;
}

}  // namespace weft::rpc
