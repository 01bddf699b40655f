// SPDX-License-Identifier: Apache-2.0
// Limits the memory of all device workers together, by a cgroup below the daemon's own. Other
// limits are not applicable, since GPU drivers reserve very large address spaces.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <sys/types.h>

#include "base/status.h"

namespace weft::queue {

// Returns the folder of this process's cgroup (version 2). NOT_FOUND: it has none.
StatusOr<std::string> own_cgroup();
// Returns seven eighths of the machine's memory.
int64_t default_workers_memory();

class MemoryGroup {
 public:
  // Creates a cgroup for workers with the limit `most_bytes`. `folder` is own_cgroup(). Also moves
  // this process into a child of it, which the kernel requires if children have limits. Repeated
  // calls are harmless. FAILED_PRECONDITION: the kernel does not count memory in the cgroup, this
  // process may not divide it, or it contains other processes.
  static StatusOr<MemoryGroup> make(const std::string& folder, int64_t most_bytes);

  // Moves a worker into the cgroup. FAILED_PRECONDITION: the kernel refuses.
  Status add(pid_t worker) const;

 private:
  explicit MemoryGroup(std::string folder) : folder_(std::move(folder)) {}

  std::string folder_;  // folder of the workers' cgroup
};

}  // namespace weft::queue
