// SPDX-License-Identifier: Apache-2.0
// Returns jobs as users see them: single jobs, lists, counts, and explanations of their state.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/status.h"
#include "server/queue/action_runner.h"
#include "server/queue/job_table.h"
#include "server/queue/placement/device_table.h"
#include "server/queue/placement/placement.h"
#include "server/queue/queue_types.h"
#include "server/queue/watch.h"

namespace weft::queue {

// The constructor's arguments outlive this object. Callers use it between batches, so that users
// see durable changes only.
class JobViews {
 public:
  // A list that is made in steps of at most a few milliseconds: begin_list(), then list_some()
  // until it returns the response.
  struct List {
    JobTable::Walk walk;
    std::string resume_token;
  };
  // Objects from which the views are made.
  struct Sources {
    const JobTable& jobs;
    const Placement& placement;
    const DeviceTable& devices;
    const ActionRunner& actions;
    const JobWatches& watches;
  };

  JobViews(const QueueConfig& config, const Clock& clock, const Sources& sources)
      : config_(config),
        clock_(clock),
        jobs_(sources.jobs),
        placement_(sources.placement),
        devices_(sources.devices),
        actions_(sources.actions),
        watches_(sources.watches) {}

  // Handles a change of a record. `before` is null for a new job, `after` for a removed one.
  void follow(const JobRecord* before, const JobRecord* after);
  // Stores the predictions that led to the placement of the job's attempt.
  void placed(const std::string& id, PlacementChoice choice) { choices_[id] = std::move(choice); }
  // Stores the reason for which the job's attempt waits for a file system; an empty reason ends the
  // wait.
  void waits_for_file(const std::string& id, std::string_view reason);
  // Reports from now on that no job starts because the daemon stops.
  void drain() { draining_ = true; }

  v1::Job decorate(const JobRecord& record) const;
  std::string waiting_reason(const JobRecord& record) const;
  StatusOr<v1::Job> get(const std::string& id) const;
  StatusOr<std::optional<v1::Job>> find_submission(const Submission& submission) const;
  // Returns the job that a submission would become, with its predicted end on each device.
  v1::SubmitJobResponse foresee(const Submission& submission) const;
  List begin_list(v1::ListJobsRequest request) const;
  StatusOr<std::optional<v1::ListJobsResponse>> list_some(List& list) const;
  StatusOr<v1::ExplainJobResponse> explain(const std::string& id) const;
  QueueCounts counts() const;

 private:
  void explain_position(const v1::Job& job, v1::ExplainJobResponse& response) const;
  void explain_streams(const v1::Job& job, v1::ExplainJobResponse& response) const;
  std::string file_wait(const JobRecord& record) const;

  const QueueConfig& config_;
  const Clock& clock_;
  const JobTable& jobs_;
  const Placement& placement_;
  const DeviceTable& devices_;
  const ActionRunner& actions_;
  const JobWatches& watches_;
  std::map<std::string, PlacementChoice> choices_;  // by id of a job with an open attempt
  std::map<std::string, std::string> file_waits_;   // by id of a job with an open attempt
  bool draining_ = false;
};

}  // namespace weft::queue
