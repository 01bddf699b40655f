// SPDX-License-Identifier: Apache-2.0
// What the queue is given and tells, whoever drives it: the actor (queue.h) or a simulation (core.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>

#include "base/clock.h"
#include "server/queue/placement/owner_shares.h"
#include "weft/internal/v1/credentials.pb.h"
#include "weft/v1/job.pb.h"

namespace weft::queue {

struct QueueConfig {
  std::string state_folder;                // made if it is not there; one daemon a folder
  int jobs_per_device = 1;                 // how many run on a device at once
  Duration aging = std::chrono::hours(1);  // one of four starts is of the level of what waited for so long
  OwnerWeights owner_weights = {};         // by which owners share the devices
  int64_t max_queued_jobs = 1'000'000;     // QUEUED and PAUSED ones; beyond: RESOURCE_EXHAUSTED
  // Of an owner's jobs, that are remembered: the oldest ends are forgotten first; without any, RESOURCE_EXHAUSTED.
  int64_t owner_bytes = int64_t{1} << 30;
  int max_watches = 1'000;  // watches of jobs, devices and logs; beyond: RESOURCE_EXHAUSTED
  // Jobs that have ended are forgotten, with their logs, when they are older or more: the oldest ends first. Their outputs stay.
  int64_t ended_jobs = std::numeric_limits<int64_t>::max();
  Duration ended_age = Duration::max();
  Duration failed_work_age =
      Duration::max();  // finished segments of failed jobs are kept so long for a retry
  Duration retry_delay =
      std::chrono::seconds(1);  // after the first failure in a row; doubled by each further one
  Duration longest_retry_delay = std::chrono::seconds(60);
  // Of the machine's memory, that running jobs may take together; 0: any. A job that needs more is refused.
  int64_t host_memory_bytes = 0;
  // What they may take as things are, asked while none runs; null: always as much.
  std::function<int64_t()> available_memory = nullptr;
};

// A job that passed validation, with its options' defaults filled in.
struct Submission {
  v1::JobSpec spec;
  v1::JobSettings settings;
  std::string request_id;       // empty: none
  v1::JobEstimate estimate;     // its output_bytes are reserved where the output goes, while the job runs
  int64_t disk_bytes = 0;       // of the file system there, in all; 0: not known
  int64_t kept_free_bytes = 0;  // stay free there
  internal::v1::Credentials submitter = {};  // with whose rights its files are opened
  v1::JobSpec real_paths = {};               // as in JobRecord
};

// What a server's information says of the queue.
struct QueueCounts {
  std::map<std::string, int64_t> jobs_by_state;    // "queued": 12; every state is there
  std::map<std::string, int64_t> queued_by_class;  // "spare": 3; of jobs that wait for a device
  std::map<std::string, int64_t> limits;           // "queued_jobs": 1000000
  bool draining = false;
};

}  // namespace weft::queue
