// SPDX-License-Identifier: Apache-2.0
// The rules that a new job has to keep: the files of those that are there, and the room that it needs.
#pragma once

#include "base/status.h"
#include "server/queue/job_table.h"
#include "server/queue/placement/placement.h"
#include "server/queue/queue_types.h"

namespace weft::queue {

// Constructor arguments outlive it.
class SubmitRules {
 public:
  SubmitRules(const QueueConfig& config, const JobTable& jobs, const Placement& placement)
      : config_(config), jobs_(jobs), placement_(placement) {}

  // From now on no job is taken (UNAVAILABLE).
  void close() { is_closed_ = true; }
  // As Queue::submit's.
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
