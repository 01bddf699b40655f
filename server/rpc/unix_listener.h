// SPDX-License-Identifier: Apache-2.0
// Takes the connections of Unix sockets and hands them to gRPC, which would not tell who made them.
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
  // Listens at addresses of the form "unix:/path", which prepare_address() found in order; what a dead daemon left there is
  // removed. Connections wait until begin(). UNAVAILABLE: the socket cannot be made; PERMISSION_DENIED: its mode cannot be set.
  static StatusOr<std::unique_ptr<UnixListener>> open(const std::vector<std::string>& addresses, mode_t mode);
  ~UnixListener();  // stop(), and the sockets' files are gone
  UnixListener(const UnixListener&) = delete;
  UnixListener& operator=(const UnixListener&) = delete;

  // Takes connections on a thread of its own; both outlive it. `operators`: see caller_of(). A connection beyond the limits is told so
  // (RESOURCE_EXHAUSTED to its first call) and closed.
  void begin(grpc::Server& server, Callers& callers, std::string operators, ConnectionLimits limits);
  // Takes no more.
  void stop();

 private:
  struct Socket {
    std::string path;
    channel::FileDescriptor listening;
  };

  UnixListener(std::vector<Socket> sockets, channel::FileDescriptor wake);
  void run(grpc::Server& server, Callers& callers);
  void accept_one(int listening, grpc::Server& server, Callers& callers);
  // OK: one more of that user may come.
  Status check_room(const queue::Caller& caller);
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
