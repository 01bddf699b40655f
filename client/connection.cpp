// SPDX-License-Identifier: Apache-2.0
#include "client/connection.h"

#include <cerrno>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "client/address.h"
#include "client/channel.h"
#include "client/credentials.h"

namespace weft::client {
namespace {

constexpr int kLargestMessageBytes = 64 << 20;
constexpr int kKeepaliveTimeoutMs = 10000;
constexpr int kLongestTryMs = 5000;  // time limit of an attempt to connect
constexpr int kFirstReconnectMs = 200;
constexpr int kLastReconnectMs = 5000;

grpc::ChannelArguments channel_arguments(const ConnectionOptions& options) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, int(options.keepalive.count()));
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kFirstReconnectMs);
  // gRPC also uses it as the limit of an attempt
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kLongestTryMs);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kLastReconnectMs);
  // Daemons are local or in the same network, so $http_proxy is ignored.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // The connections of a process share no subchannels, so that a new connection begins without
  // back-off.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetMaxReceiveMessageSize(kLargestMessageBytes);
  arguments.SetUserAgentPrefix("weft/" WEFT_VERSION);
  if (options.tls && !options.tls->server_name.empty())
    arguments.SetSslTargetNameOverride(options.tls->server_name);
  return arguments;
}

// Returns true if a process listens on the socket. EAGAIN means that a process listens but its
// backlog is full.
bool has_listener(const std::string& path) {
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket < 0) return false;
  const bool is_there =
      ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 || errno == EAGAIN;
  ::close(socket);
  return is_there;
}

}  // namespace

Connection::Connection(ConnectionOptions options, std::unique_ptr<Stubs> stubs)
    : options_(std::move(options)), stubs_(std::move(stubs)) {}

Connection::~Connection() = default;

StatusOr<std::shared_ptr<Connection>> Connection::open(const ConnectionOptions& options) {
  ConnectionOptions resolved = options;
  ASSIGN_OR_RETURN(resolved.server,
                   parse_address(options.server.empty() ? default_address() : options.server));
  auto stubs = std::make_unique<Stubs>();
  stubs->server = resolved.server;
  if (options.server.empty()) stubs->others = other_addresses(resolved.server);
  ASSIGN_OR_RETURN(const auto credentials, credentials_of(resolved));
  stubs->grpc = grpc::CreateCustomChannel(resolved.server, credentials, channel_arguments(resolved));
  stubs->jobs = v1::JobService::NewStub(stubs->grpc);
  stubs->devices = v1::DeviceService::NewStub(stubs->grpc);
  stubs->daemon = v1::ServerService::NewStub(stubs->grpc);
  stubs->statistics = v1::StatisticsService::NewStub(stubs->grpc);
  stubs->streams = v1::StreamService::NewStub(stubs->grpc);
  stubs->pictures = v1::PictureService::NewStub(stubs->grpc);
  stubs->traces = v1::TraceService::NewStub(stubs->grpc);
  return std::shared_ptr<Connection>(new Connection(std::move(resolved), std::move(stubs)));
}

Status Connection::wait_until_ready(std::chrono::milliseconds timeout) const {
  if (stubs_->grpc->WaitForConnected(std::chrono::system_clock::now() + timeout)) return ok_status();
  return unreachable(*stubs_, "nobody listens there");
}

bool Connection::nobody_listens() const {
  if (stubs_->grpc->GetState(false) != GRPC_CHANNEL_TRANSIENT_FAILURE) return false;
  const auto path = socket_path_of(options_.server);
  return !path || !has_listener(*path);
}

void Connection::close() { stubs_->closed.request_stop(); }

}  // namespace weft::client
