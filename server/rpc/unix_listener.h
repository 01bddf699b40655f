// SPDX-License-Identifier: Apache-2.0
// Takes the connections of Unix sockets and hands them to gRPC, which would not tell who made them.
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <grpcpp/server.h>
#include <sys/types.h>

#include "base/status.h"
#include "server/channel/file_descriptor.h"
#include "server/rpc/callers.h"

namespace weft::rpc {

class UnixListener {
 public:
  // Listens at addresses of the form "unix:/path", which prepare_address() found in order; what a dead daemon left there is
  // removed. Connections wait until begin(). UNAVAILABLE: the socket cannot be made; PERMISSION_DENIED: its mode cannot be set.
  static StatusOr<std::unique_ptr<UnixListener>> open(const std::vector<std::string>& addresses, mode_t mode);
  ~UnixListener();  // stop(), and the sockets' files are gone
  UnixListener(const UnixListener&) = delete;
  UnixListener& operator=(const UnixListener&) = delete;

  // Takes connections on a thread of its own; both outlive it. `operators`: see caller_of().
  void begin(grpc::Server& server, Callers& callers, std::string operators);
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
  int renumber(int connection);

  std::vector<Socket> sockets_;
  const channel::FileDescriptor wake_;
  int next_number_;
  std::string operators_;
  std::thread thread_;
};

}  // namespace weft::rpc
