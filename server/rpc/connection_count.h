// SPDX-License-Identifier: Apache-2.0
// Counts the open connections of each user. Checks them itself, since gRPC does not report when it
// closes a connection.
#pragma once

#include <map>

#include <sys/types.h>

namespace weft::rpc {

// Used on the listener's thread.
class ConnectionCount {
 public:
  // Adds an open socket. gRPC may close it at any later time.
  void add(int descriptor, uid_t user);
  int of(uid_t user) const;
  int of_all() const { return int(open_.size()); }
  // Checks which connections are closed.
  void poll();

 private:
  struct Connection {
    uid_t user;
    ino_t socket;  // inode of the socket; unlike descriptor numbers, not reused soon
  };
  void forget(std::map<int, Connection>::iterator connection);

  std::map<int, Connection> open_;  // by descriptor; open at the last poll()
  std::map<uid_t, int> of_user_;
};

}  // namespace weft::rpc
