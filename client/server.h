// SPDX-License-Identifier: Apache-2.0
// The daemon itself. Blocks until its answer or its deadline; thread-safe.
#pragma once

#include <memory>

#include "base/status.h"
#include "client/connection.h"
#include "weft/v1/server_service.pb.h"

namespace weft::client {

class Server {
 public:
  explicit Server(std::shared_ptr<Connection> connection);

  StatusOr<v1::GetServerInfoResponse> info();

 private:
  std::shared_ptr<Connection> connection_;
};

}  // namespace weft::client
