// SPDX-License-Identifier: Apache-2.0
// Implements weft.v1.StatisticsService: reports finished work by day.
#pragma once

#include "server/queue/queue.h"
#include "weft/v1/statistics_service.grpc.pb.h"

namespace weft::rpc {

class StatisticsService final : public v1::StatisticsService::CallbackService {
 public:
  explicit StatisticsService(queue::Queue& queue) : queue_(queue) {}

  grpc::ServerUnaryReactor* GetStatistics(grpc::CallbackServerContext* context,
                                          const v1::GetStatisticsRequest* request,
                                          v1::GetStatisticsResponse* response) override;

 private:
  queue::Queue& queue_;
};

}  // namespace weft::rpc
