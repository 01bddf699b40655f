// SPDX-License-Identifier: Apache-2.0
#include "client/server.h"

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

StatusOr<v1::GetStatisticsResponse> Server::statistics(const v1::GetStatisticsRequest& request) {
  const Stubs& stubs = connection_->stubs();
  return call(stubs, *stubs.statistics, &v1::StatisticsService::Stub::GetStatistics, request,
              connection_->options().deadline);
}

}  // namespace weft::client
