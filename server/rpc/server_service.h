// SPDX-License-Identifier: Apache-2.0
// Implements weft.v1.ServerService: describes this daemon.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "server/queue/queue.h"
#include "weft/v1/server_service.grpc.pb.h"

namespace weft::rpc {

class ServerService final : public v1::ServerService::CallbackService {
 public:
  ServerService(queue::Queue& queue, const Clock& clock);

  // Called once, when the addresses are known. Calls of clients may arrive before.
  void set_listening(const std::string& state_folder, const std::vector<std::string>& addresses);

  grpc::ServerUnaryReactor* GetServerInfo(grpc::CallbackServerContext* context,
                                          const v1::GetServerInfoRequest* request,
                                          v1::GetServerInfoResponse* response) override;

 private:
  queue::Queue& queue_;
  const Clock& clock_;
  const TimePoint start_;
  std::mutex mutex_;
  v1::GetServerInfoResponse fixed_;  // constant while the daemon runs
};

}  // namespace weft::rpc
