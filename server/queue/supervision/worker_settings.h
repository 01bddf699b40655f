// SPDX-License-Identifier: Apache-2.0
// Defines the settings of device workers.
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

// Returns whole seconds, for messages.
inline int64_t whole_seconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::seconds>(duration).count();
}

struct WorkerSettings {
  // Arguments of every worker, beginning with the program. --device and --channel are added.
  std::vector<std::string> arguments;
  std::string lock_folder;
  std::string state_folder;  // folder for jobs without output files
  StoreIdentity store;       // identity to which work folders are bound
  std::string holder;        // text of the holder in the lock file
  Duration hang_timeout = std::chrono::seconds(60);
  Duration start_timeout = std::chrono::seconds(60);
  // Longest time from a request to stop an attempt to its end.
  Duration stop_timeout = std::chrono::seconds(20);
  // The same for an attempt that waits for a file system. After this time the attempt is reported
  // as stopped and its slot is free; its thread in the worker ends when the file system answers.
  Duration file_stop_timeout = std::chrono::seconds(5);
  // Time after which the CPU's lock is taken from a holder without a worker.
  Duration idle_lock_timeout = std::chrono::seconds(60);
  // Least free bytes at a job's output for its start. Running jobs are stopped below half of it, so
  // that a nearly full disk does not cause alternating starts and stops.
  int64_t low_disk_bytes = 0;
  // Limit of each owner's folder of analyses; 0: none are kept.
  int64_t analysis_cache_bytes = 0;
  OwnerWeights owner_weights;
  FileAccess files;
  std::optional<MemoryGroup> memory;  // shared by the workers of all devices
  // reason for a missing limit; empty: there is one, or none is configured
  std::string no_memory_limit;
  // Folders permitted for clients' files; null: all.
  std::shared_ptr<const FileRules> rules = nullptr;
  // Used again for jobs with an input that changed since the submit.
  Prober* prober = nullptr;
};

}  // namespace weft::queue
