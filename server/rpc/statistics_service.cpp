// SPDX-License-Identifier: Apache-2.0
#include "server/rpc/statistics_service.h"

#include "server/rpc/reactors.h"

namespace weft::rpc {

grpc::ServerUnaryReactor* StatisticsService::GetStatistics(grpc::CallbackServerContext* context,
                                                           const v1::GetStatisticsRequest* request,
                                                           v1::GetStatisticsResponse* response) {
  auto* reactor = context->DefaultReactor();
  queue_.statistics(
      *request, answer<v1::GetStatisticsResponse>(
                    reactor, [response](v1::GetStatisticsResponse found) { *response = std::move(found); }));
  return reactor;
}

}  // namespace weft::rpc
