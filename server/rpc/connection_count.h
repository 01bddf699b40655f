// SPDX-License-Identifier: Apache-2.0
// How many connections each user has, of those that were handed to gRPC, which does not say when it closes one.
#pragma once

#include <map>

#include <sys/types.h>

namespace weft::rpc {

// On the listener's thread.
class ConnectionCount {
 public:
  // An open socket; from here on somebody else may close it.
  void add(int descriptor, uid_t user);
  int of(uid_t user) const;
  int of_all() const { return int(open_.size()); }
  // Looks which are closed.
  void look();

 private:
  struct Connection {
    uid_t user;
    ino_t socket;  // descriptors' numbers come again, these do not
  };
  void forget(std::map<int, Connection>::iterator connection);

  std::map<int, Connection> open_;  // by descriptor, as far as was looked
  std::map<uid_t, int> of_user_;
};

}  // namespace weft::rpc
