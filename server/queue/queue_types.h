// SPDX-License-Identifier: Apache-2.0
// Defines the inputs and outputs of the queue, for the actor (queue.h) and for simulations
// (core.h).
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
  std::string state_folder;  // created if missing; one daemon per folder
  // Folder of the work folders of jobs that choose none; empty: next to the outputs.
  std::string work_folder = {};
  int jobs_per_device = 1;  // jobs that run at once on a device
  // Waiting time after which a priority level receives one of four starts.
  Duration aging = std::chrono::hours(1);
  OwnerWeights owner_weights = {};  // weights of owners for device time
  // limit of QUEUED and PAUSED jobs; RESOURCE_EXHAUSTED beyond it
  int64_t max_queued_jobs = 1'000'000;
  // Limit of the bytes of an owner's stored jobs. Beyond it the oldest ended jobs are forgotten. A
  // submit fails with RESOURCE_EXHAUSTED if the jobs that have not ended exceed the limit.
  int64_t owner_bytes = int64_t{1} << 30;
  // limit of watches of jobs, devices and logs; RESOURCE_EXHAUSTED beyond it
  int max_watches = 1'000;
  // Limits of the number and age of ended jobs. Beyond them the job that ended first is forgotten
  // with its log. Its outputs stay.
  int64_t ended_jobs = std::numeric_limits<int64_t>::max();
  Duration ended_age = Duration::max();
  // Time for which finished segments of failed jobs are retained for a retry.
  Duration failed_work_age = Duration::max();
  // Delay after a first failure; each further consecutive failure doubles it.
  Duration retry_delay = std::chrono::seconds(1);
  Duration longest_retry_delay = std::chrono::seconds(60);
  // Host memory for all running jobs together, in bytes; 0: no limit. A job that needs more is
  // refused.
  int64_t host_memory_bytes = 0;
  // CPU slots for all running jobs together; 0: no limit. `cpu_slots_chosen`: the configuration
  // names the number.
  int cpu_slots = 0;
  bool cpu_slots_chosen = false;
  // Sessions of each GPU's video encoder for jobs; 0: the limit is learnt.
  int encoder_sessions = 0;
  // Returns the bytes of memory available to jobs at present. Called while no job runs. Null:
  // host_memory_bytes are always available.
  std::function<int64_t()> available_memory = nullptr;
};

// A validated job, with the defaults of its options filled in.
struct Submission {
  v1::JobSpec spec;
  v1::JobSettings settings;
  std::string request_id;  // empty if the client sent none
  // The estimate. Its output_bytes are reserved on the output's file system while the job runs.
  v1::JobEstimate estimate;
  int64_t disk_bytes = 0;  // size of the output's file system; 0: unknown
  // size of the work folder's file system; 0: it is that of the output, or unknown
  int64_t work_disk_bytes = 0;
  int64_t kept_free_bytes = 0;               // bytes that stay free on each of them
  internal::v1::Credentials submitter = {};  // credentials with which the job's files are opened
  v1::JobSpec real_paths = {};               // for JobRecord::real_paths
  std::string work_location;                 // as Job.work_location
};

// The queue's numbers in the server's information.
struct QueueCounts {
  std::map<std::string, int64_t> jobs_by_state;    // "queued": 12; contains every state
  std::map<std::string, int64_t> queued_by_class;  // "spare": 3; jobs that wait for a device
  std::map<std::string, int64_t> limits;           // "queued_jobs": 1000000
  bool draining = false;
  bool paused = false;  // true: no job starts until resume_queue()
};

}  // namespace weft::queue
