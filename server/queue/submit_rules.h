// SPDX-License-Identifier: Apache-2.0
// Checks a new job against the files of unfinished jobs, the limits of the queue and of its owner,
// the disk space and the host memory.
#pragma once

#include "base/status.h"
#include "server/queue/job_table.h"
#include "server/queue/placement/placement.h"
#include "server/queue/queue_types.h"

namespace weft::queue {

// The constructor's arguments outlive this object.
class SubmitRules {
 public:
  SubmitRules(const QueueConfig& config, const JobTable& jobs, const Placement& placement)
      : config_(config), jobs_(jobs), placement_(placement) {}

  // Refuses all jobs from now on (UNAVAILABLE).
  void close() { is_closed_ = true; }
  // Returns the errors of Queue::submit().
  Status check(const Submission& submission) const;
  // FAILED_PRECONDITION: a job that is not final writes the same output, or reads it.
  Status check_files(const v1::JobSpec& spec, const v1::JobSpec& real_paths) const;

 private:
  Status check_space(const Submission& submission) const;
  Status check_memory(const Submission& submission) const;
  Status check_owner(const Submission& submission) const;

  const QueueConfig& config_;
  const JobTable& jobs_;
  const Placement& placement_;
  bool is_closed_ = false;
};

}  // namespace weft::queue
