// SPDX-License-Identifier: Apache-2.0
// The daemon itself. Blocks until its answer or its deadline; thread-safe.
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
  // False: nobody listens at its address. A daemon that does not answer in time is an error, as is what info() gives else.
  StatusOr<bool> is_there();
  // What it did, day by day.
  StatusOr<v1::GetStatisticsResponse> statistics(const v1::GetStatisticsRequest& request);

 private:
  std::shared_ptr<Connection> connection_;
};

}  // namespace weft::client
