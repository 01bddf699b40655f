// SPDX-License-Identifier: Apache-2.0
// Queries the daemon's properties and statistics. Each call blocks until its answer or its
// deadline. Thread-safe.
#pragma once

#include <memory>

#include "base/status.h"
#include "client/connection.h"
#include "weft/v1/server_service.pb.h"
#include "weft/v1/statistics_service.pb.h"

namespace weft::client {

class Server {
 public:
  explicit Server(std::shared_ptr<Connection> connection);

  StatusOr<v1::GetServerInfoResponse> info();
  // Returns true if a daemon answers, and false if no process listens at the address. Other
  // failures, such as a missing answer, are errors.
  StatusOr<bool> is_there();
  // Asks grpc.health.v1. Returns false if the daemon accepts no jobs, or no device is in service.
  StatusOr<bool> is_healthy();
  // Returns statistics by day.
  StatusOr<v1::GetStatisticsResponse> statistics(const v1::GetStatisticsRequest& request);

 private:
  std::shared_ptr<Connection> connection_;
};

}  // namespace weft::client
