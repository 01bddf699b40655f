// SPDX-License-Identifier: Apache-2.0
// Identifies the user at the other end of a Unix socket.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "base/status.h"
#include "server/queue/records/caller.h"
#include "server/rpc/watch_quota.h"

namespace weft::rpc {

// Returns the caller with user id `user`, named by the user database, or by the number if it has no
// name. May wait for a directory service. `own` is the daemon's user, and may act for other users,
// as root may. Both are operators, as are members of the group `operators`; an empty string means
// that there is no such group.
queue::Caller caller_of(uid_t user, uid_t own, const std::string& operators = "");

// Returns the ids that the process at the other end had when it connected. UNAVAILABLE: the kernel
// does not report them.
StatusOr<internal::v1::Credentials> credentials_of(int connection);

// Returns true if a call came over a Unix socket. `peer` is gRPC's name of an adopted connection,
// such as "fd:12".
bool is_over_unix_socket(std::string_view peer);

// The callers on accepted Unix sockets, by descriptor. Thread-safe.
class Callers {
 public:
  void add(int descriptor, queue::Caller caller);
  // Returns the caller of a connection. Over TCP the user is unknown and is treated as an operator;
  // the daemon listens on TCP only if the administrator has permitted this. Files are then opened
  // with the daemon's rights, or, if the daemon runs as root, with the rights of the user nobody.
  queue::Caller find(std::string_view peer) const;
  // Returns a permit for one watch of the caller; see WatchQuota.
  StatusOr<std::shared_ptr<void>> begin_watch(std::string_view peer) const {
    return watches_.take(find(peer));
  }

 private:
  mutable std::mutex mutex_;
  std::map<int, queue::Caller> by_descriptor_;  // includes closed ones until their number is reused
  mutable WatchQuota watches_;
};

}  // namespace weft::rpc
