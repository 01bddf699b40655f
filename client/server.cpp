// SPDX-License-Identifier: Apache-2.0
#include "client/server.h"

#include "client/channel.h"

namespace weft::client {

Server::Server(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {}

StatusOr<v1::GetServerInfoResponse> Server::info() {
  const Channel& channel = connection_->channel();
  return call(channel, *channel.daemon, &v1::ServerService::Stub::GetServerInfo, v1::GetServerInfoRequest(),
              connection_->options().deadline);
}

}  // namespace weft::client
