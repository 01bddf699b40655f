// SPDX-License-Identifier: Apache-2.0
// How workers of devices are run.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "server/queue/admission/prober.h"
#include "server/queue/files/file_rights.h"
#include "server/queue/files/work_binding.h"
#include "server/queue/placement/owner_shares.h"
#include "server/queue/supervision/job_opener.h"
#include "server/queue/supervision/memory_group.h"

namespace weft::queue {

// For sentences.
inline int64_t whole_seconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::seconds>(duration).count();
}

struct WorkerSettings {
  std::vector<std::string> arguments;  // of every worker: the program first; --device and --channel are added
  std::string lock_folder;
  std::string state_folder;  // where jobs work that write no file
  StoreIdentity store;       // work folders are bound to it
  std::string holder;        // what the lock says of us
  Duration hang_timeout = std::chrono::seconds(60);
  Duration start_timeout = std::chrono::seconds(60);
  Duration stop_timeout = std::chrono::seconds(20);  // from asking a worker to stop an attempt to its end
  // The same of an attempt that waits for a file system: it is let go. Its place is free; its thread ends when the file system answers.
  Duration file_stop_timeout = std::chrono::seconds(5);
  // The CPU's lock is taken from a holder that runs no worker for so long.
  Duration idle_lock_timeout = std::chrono::seconds(60);
  // Nothing is started while less is free where the job writes; what runs is stopped when less than half of it is, so
  // that a disk about that full does not start and stop jobs in turns.
  int64_t low_disk_bytes = 0;
  OwnerWeights owner_weights;
  FileAccess files;
  std::optional<MemoryGroup> memory;  // of all workers of devices together
  std::string no_memory_limit;        // why there is none; empty: there is, or nobody wants to know
  std::shared_ptr<const FileRules> rules = nullptr;  // where clients' files may lie; null: anywhere
  Prober* prober = nullptr;                          // asked again where an input changed since the submit
};

}  // namespace weft::queue
