// SPDX-License-Identifier: Apache-2.0
// Consequences of a commit outside of the queue: workers are told, outputs are published, work folders are removed.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "server/queue/job_table.h"
#include "server/queue/lifecycle.h"
#include "server/queue/records/workers.h"

namespace weft::queue {

// A worker's report on a job, or the consequence of an action.
struct JobEvent {
  std::string job_id;
  Event event;
};

class ActionRunner {
 public:
  // Runs `work`, which may wait for the file systems of `paths`, on another thread, and hands its event to `done` on the one that
  // drives this. Work of one job is never at hand twice.
  using Elsewhere = std::function<void(std::vector<std::string> paths, std::function<JobEvent()> work,
                                       std::function<void(JobEvent)> done)>;

  // `take` gets the consequences. The clock outlives this.
  ActionRunner(const Clock& clock, Elsewhere elsewhere, std::function<void(JobEvent)> take)
      : clock_(clock), elsewhere_(std::move(elsewhere)), take_(std::move(take)) {}

  void start(Workers& workers) { workers_ = &workers; }
  bool is_started() const { return workers_ != nullptr; }

  // An error: a worker refused the start.
  Status perform(const RecordPtr& record, const Action& action);
  void take_devices(const std::vector<std::string>& ids);
  // Work folders in the places of these jobs, and in the state folder, that none of them knows.
  void remove_orphans(const JobTable& jobs, const std::string& store_id, const std::string& state_folder);

  bool is_at_work() const { return at_work_ > 0; }
  // Since when the job's output is being put in its place.
  std::optional<TimePoint> publishing_since(const std::string& id) const;

 private:
  Status start_attempt(const JobRecord& record);
  void publish(const RecordPtr& record);
  void work_elsewhere(std::vector<std::string> paths, std::function<JobEvent()> work);

  const Clock& clock_;
  const Elsewhere elsewhere_;
  const std::function<void(JobEvent)> take_;
  Workers* workers_ = nullptr;  // null: not started yet
  int at_work_ = 0;             // pieces of work elsewhere
  std::map<std::string, TimePoint> publishing_;
};

}  // namespace weft::queue
