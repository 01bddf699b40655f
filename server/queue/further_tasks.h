// SPDX-License-Identifier: Apache-2.0
// Starts and stops the further tasks of running jobs, which render segments on other devices, and
// delays the end of an attempt until its tasks have ended.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "server/queue/action_runner.h"
#include "server/queue/ledger.h"
#include "server/queue/placement/task_placement.h"

namespace weft::queue {

// Used on the thread of Core.
class FurtherTasks {
 public:
  // The arguments outlive this object.
  FurtherTasks(Ledger& ledger, const Placement& placement) : ledger_(ledger), placement_(placement) {}

  // Gives devices for which no job waits to running jobs that permit several, and takes back those
  // for which a job waits. Call when no job can start.
  void place();
  // Returns true if the event is the end of an attempt with open tasks. The tasks are then stopped,
  // since the work folder belongs to the attempt until their end, and the event is kept.
  bool hold(const JobEvent& event);
  // Returns the kept event of a job without open tasks, if there is one.
  std::optional<JobEvent> release(const std::string& job_id);

 private:
  RecordPtr stop(const RecordPtr& record, int task, internal::v1::StopKind kind);

  Ledger& ledger_;
  const TaskPlacement placement_;
  std::map<std::string, JobEvent> held_;  // by job id
};

}  // namespace weft::queue
