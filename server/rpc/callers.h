// SPDX-License-Identifier: Apache-2.0
// Who is at the other end of a connection, as far as the kernel tells: users of the Unix sockets.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "base/status.h"
#include "server/queue/records/caller.h"
#include "server/rpc/watch_places.h"

namespace weft::rpc {

// The user of that number, by name; the number itself where there is no name. May wait for a directory service.
// `own`: the daemon's user, who may speak for others, as root may. Members of the group `operators` are operators, as both are;
// empty: there are no others.
queue::Caller caller_of(uid_t user, uid_t own, const std::string& operators = "");

// The ids of the process at the other end, as they were when it connected. UNAVAILABLE: the kernel does not tell.
StatusOr<internal::v1::Credentials> credentials_of(int connection);

// Whether a call came over a Unix socket. `peer`: what gRPC calls a connection that was handed to it, "fd:12".
bool is_over_unix_socket(std::string_view peer);

// The connections that the daemon took itself, by their descriptors. Thread-safe.
class Callers {
 public:
  void add(int descriptor, queue::Caller caller);
  // Over TCP nobody is known. The daemon listens there only if it was told to take everybody for an operator. Files are opened for
  // them with the daemon's rights, by a daemon of root with nobody's.
  queue::Caller find(std::string_view peer) const;
  // A place for a watch of that caller's; see WatchPlaces.
  StatusOr<std::shared_ptr<void>> begin_watch(std::string_view peer) const {
    return watches_.take(find(peer));
  }

 private:
  mutable std::mutex mutex_;
  std::map<int, queue::Caller> by_descriptor_;  // of closed ones too, until the number comes again
  mutable WatchPlaces watches_;
};

}  // namespace weft::rpc
