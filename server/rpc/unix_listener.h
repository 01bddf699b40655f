// SPDX-License-Identifier: Apache-2.0
// Accepts connections of Unix sockets, identifies their users, and passes them to gRPC, which
// itself would not report the user.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <grpcpp/server.h>
#include <poll.h>
#include <sys/types.h>

#include "base/status.h"
#include "server/channel/file_descriptor.h"
#include "server/rpc/callers.h"
#include "server/rpc/connection_count.h"
#include "server/rpc/limits.h"
#include "server/rpc/refusal.h"

namespace weft::rpc {

class UnixListener {
 public:
  // Listens at addresses of the form "unix:/path" that prepare_address() accepted. Sockets left by
  // a dead daemon are removed. Connections wait until begin(). UNAVAILABLE: the socket cannot be
  // created. RESOURCE_EXHAUSTED: no descriptor is left. PERMISSION_DENIED: the socket's mode cannot
  // be set.
  static StatusOr<std::unique_ptr<UnixListener>> open(const std::vector<std::string>& addresses, mode_t mode);
  ~UnixListener();  // calls stop() and removes the sockets' files
  UnixListener(const UnixListener&) = delete;
  UnixListener& operator=(const UnixListener&) = delete;

  // Accepts connections on a thread of its own. `server` and `callers` outlive this object.
  // `operators` is the group of caller_of(). A connection beyond the limits receives
  // RESOURCE_EXHAUSTED at its first call and is closed.
  void begin(grpc::Server& server, Callers& callers, std::string operators, ConnectionLimits limits);
  // Stops accepting connections.
  void stop();

 private:
  struct Socket {
    std::string path;
    channel::FileDescriptor listening;
  };

  UnixListener(std::vector<Socket> sockets, channel::FileDescriptor wake);
  void run(grpc::Server& server, Callers& callers);
  void accept_one(int listening, grpc::Server& server, Callers& callers);
  // Returns OK if the caller may have one more connection.
  Status check_quota(const queue::Caller& caller);
  void refuse(channel::FileDescriptor connection, const Status& why);
  void go_on_refusing(const std::vector<pollfd>& found);
  int renumber(int connection);

  std::vector<Socket> sockets_;
  const channel::FileDescriptor wake_;
  int next_number_;
  std::string operators_;
  ConnectionLimits limits_;
  ConnectionCount connections_;
  std::list<Refusal> refusals_;
  std::thread thread_;
};

}  // namespace weft::rpc
