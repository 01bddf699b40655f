// SPDX-License-Identifier: Apache-2.0
// Assigns devices to further tasks of running jobs, which render segments of a video on devices
// other than that of the attempt. A device is given to a task only while no job waits for it. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "server/queue/placement/placement.h"

namespace weft::queue {

struct TaskAssignment {
  std::string device;
  MemoryGrant memory;
};

class TaskPlacement {
 public:
  // `placement` outlives this object. Call the functions when Placement::next() has returned
  // nullopt.
  explicit TaskPlacement(const Placement& placement) : placement_(placement) {}

  // Returns the next further task of a running job, or nullopt.
  std::optional<TaskAssignment> next(const v1::Job& job) const;
  // Returns true if a job waits for the device of a task and has no slot there, or the device
  // accepts no job: it is drained.
  bool must_leave(const v1::JobTask& task) const;
  // Returns a sentence with the reason for which the job has no task on a permitted device, or an
  // empty string if a task may start there.
  std::string obstacle(const v1::Job& job, const std::string& device) const;
  // Returns a sentence for each permitted device of a running job, other than its own.
  std::vector<std::string> obstacles(const v1::Job& job) const;
  // INVALID_ARGUMENT: the devices of a new job differ, and its result would depend on the device.
  Status check(const v1::JobSettings& settings, const v1::JobEstimate& estimate) const;

 private:
  bool is_awaited(const std::string& device) const;

  const Placement& placement_;
};

}  // namespace weft::queue
