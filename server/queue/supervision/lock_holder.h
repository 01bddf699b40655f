// SPDX-License-Identifier: Apache-2.0
// Processes that hold a flock lock on a file, by what the kernel tells of them (/proc/locks, /proc/PID).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <sys/stat.h>
#include <sys/types.h>

namespace weft::queue {

struct LockHolder {
  pid_t process = 0;      // that took the lock; others may have inherited it
  bool is_seen = false;   // /proc tells of it: it lives, in this process's view of the machine
  std::string program{};  // "weftd", as the process names itself
  uid_t user = 0;         // effective
  std::vector<gid_t> groups{};
  bool runs_worker = false;  // a child of it names itself as the worker program
};

// `file`: as stat() tells. `worker`: the program's name, "weft-worker". Empty: nobody that can be seen here.
std::vector<LockHolder> holders_of(const struct stat& file, std::string_view worker);

}  // namespace weft::queue
