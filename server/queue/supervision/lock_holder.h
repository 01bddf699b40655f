// SPDX-License-Identifier: Apache-2.0
// Finds processes that hold a flock lock on a file, in /proc/locks and /proc/PID.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <sys/stat.h>
#include <sys/types.h>

namespace weft::queue {

struct LockHolder {
  pid_t process = 0;  // process that took the lock; others may have inherited it
  // true if /proc contains the process, that is, if it lives in this process's PID namespace
  bool is_seen = false;
  std::string program{};  // name of the process: "weftd"
  uid_t user = 0;         // effective user id
  std::vector<gid_t> groups{};
  bool runs_worker = false;  // true if a child process has the worker program's name
};

// Returns the visible holders of the lock on a file. `file` is the result of stat(). `worker` is
// the name of the worker program: "weft-worker". Returns an empty vector if no process here holds
// the lock.
std::vector<LockHolder> holders_of(const struct stat& file, std::string_view worker);

}  // namespace weft::queue
