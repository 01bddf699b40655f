// SPDX-License-Identifier: Apache-2.0
// A limit on the memory of all device workers together: a cgroup below the daemon's own. A GPU's driver reserves so much address space that
// nothing else limits it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <sys/types.h>

#include "base/status.h"

namespace weft::queue {

// The folder of this process's cgroup (version 2). NOT_FOUND: it has none.
StatusOr<std::string> own_cgroup();
// Seven eighths of the machine's memory.
int64_t default_workers_memory();

class MemoryGroup {
 public:
  // `folder`: own_cgroup(). Moves this process into a child of it, as the kernel wants where children have limits, and makes another for
  // workers. Repeating it is harmless. FAILED_PRECONDITION: the kernel counts no memory there, this process may not divide it, or others
  // are in it.
  static StatusOr<MemoryGroup> make(const std::string& folder, int64_t most_bytes);

  // FAILED_PRECONDITION: the kernel refuses.
  Status add(pid_t worker) const;

 private:
  explicit MemoryGroup(std::string folder) : folder_(std::move(folder)) {}

  std::string folder_;  // of the workers
};

}  // namespace weft::queue
