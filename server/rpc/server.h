// SPDX-License-Identifier: Apache-2.0
// Runs the gRPC server: its services, health, reflection, addresses and limits.
//
//   ASSIGN_OR_RETURN(auto server, RpcServer::start(config, queue, admission, clock));
//   ... server->shut_down(std::chrono::seconds(2)); queue.stop();
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/clock.h"
#include "base/status.h"
#include "server/queue/admission/admission.h"
#include "server/queue/queue.h"
#include "server/queue/records/traces.h"
#include "server/queue/supervision/pictures.h"
#include "server/streams/streams.h"

namespace weft::rpc {

struct ServerConfig {
  std::vector<std::string> listen;
  mode_t socket_mode = 0600;
  std::string operators;  // group of the operators; empty: none
  // Limit of the process's open files. Connections use all except a reserve (limits.h).
  int descriptors = 1024;
  std::string state_folder;               // reported to clients
  std::vector<std::string> device_notes;  // a sentence for each device that cannot be used
  // Called after each submit was answered, on any thread; may be empty.
  std::function<void(Duration latency, bool accepted)> on_submit;
};

// Implementations of optional services. The server lacks a service with a null pointer.
struct ExtraServices {
  streams::Streams* streams = nullptr;
  queue::Pictures* pictures = nullptr;
  queue::TraceReader* traces = nullptr;
};

class RpcServer {
 public:
  // Starts to listen and to answer calls. Queue, admission and the members of `extra` must outlive
  // the server. Must be called before other threads create files, since it changes the process's
  // umask while it creates sockets. ABORTED: another daemon listens there. INVALID_ARGUMENT,
  // FAILED_PRECONDITION, PERMISSION_DENIED: the address cannot be used. UNAVAILABLE: gRPC cannot
  // listen.
  static StatusOr<std::unique_ptr<RpcServer>> start(const ServerConfig& config, queue::Queue& queue,
                                                    queue::Admission& admission, const Clock& clock,
                                                    const ExtraServices& extra = {});
  ~RpcServer();  // calls shut_down(0)

  // Returns the addresses, with the assigned port where the configuration has port 0.
  const std::vector<std::string>& listening() const;
  // Sets the health state to SERVING or NOT_SERVING, also for watchers. The first state is
  // NOT_SERVING.
  void set_serving(bool serving);
  // Accepts no more calls, and cancels running calls after `grace`. The queue must still run.
  void shut_down(Duration grace);

 private:
  struct Parts;
  explicit RpcServer(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace weft::rpc
