// SPDX-License-Identifier: Apache-2.0
// The gRPC server: the services, health, reflection, addresses and limits.
//
//   ASSIGN_OR_RETURN(auto server, RpcServer::start({.listen = {"unix:/run/weft/weft.sock"}}, queue, admission, clock));
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
  std::string operators;     // a group, whose members may do everything that root may; empty: none
  int descriptors = 1024;    // that the process may have open; clients get all but a reserve (limits.h)
  std::string state_folder;  // told to clients
  std::vector<std::string> device_notes;  // a sentence for each device that cannot be used
  // Told of each submit when it is answered, on any thread; may be empty.
  std::function<void(Duration latency, bool accepted)> on_submit;
};

// Behind services that a server may lack. Null: that service is not there.
struct ExtraServices {
  streams::Streams* streams = nullptr;
  queue::Pictures* pictures = nullptr;
  queue::TraceReader* traces = nullptr;
};

class RpcServer {
 public:
  // Listens and answers from here on. Queue, admission and what is behind `extra` must outlive the server. Call it before other threads
  // create files: it narrows the process's umask for the moment in which sockets are made.
  // ABORTED: another daemon listens there; INVALID_ARGUMENT, FAILED_PRECONDITION, PERMISSION_DENIED: the address
  // cannot be used; UNAVAILABLE: gRPC cannot listen.
  static StatusOr<std::unique_ptr<RpcServer>> start(const ServerConfig& config, queue::Queue& queue,
                                                    queue::Admission& admission, const Clock& clock,
                                                    const ExtraServices& extra = {});
  ~RpcServer();  // shut_down(0)

  // With the ports that were chosen for port 0.
  const std::vector<std::string>& listening() const;
  // Health says SERVING or NOT_SERVING from here on, to those who watch it too. Begins as NOT_SERVING.
  void set_serving(bool serving);
  // Takes no more calls, gives those at work `grace`, then cancels them. The queue must still run.
  void shut_down(Duration grace);

 private:
  struct Parts;
  explicit RpcServer(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace weft::rpc
