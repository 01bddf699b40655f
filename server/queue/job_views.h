// SPDX-License-Identifier: Apache-2.0
// Jobs as users see them, lists, counts, and why a job is where it is.
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

// Constructor arguments outlive it. Called between batches, so that only durable changes are seen.
class JobViews {
 public:
  // A list in pieces of at most a few milliseconds: begin, then list_some until it is there.
  struct List {
    JobTable::Walk walk;
    std::string resume_token;
  };
  // The jobs.
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

  // A record changed; null: the job was not there before, or is gone.
  void follow(const JobRecord* before, const JobRecord* after);
  // Why the job's attempt is where it is.
  void placed(const std::string& id, PlacementChoice choice) { choices_[id] = std::move(choice); }
  // Which file system the job's attempt waits for; empty: none.
  void waits_for_file(const std::string& id, std::string_view reason);
  // From now on nothing starts.
  void drain() { draining_ = true; }

  v1::Job decorate(const JobRecord& record) const;
  std::string waiting_reason(const JobRecord& record) const;
  StatusOr<v1::Job> get(const std::string& id) const;
  StatusOr<std::optional<v1::Job>> find_submission(const Submission& submission) const;
  // A job as it would be, and when it would be done.
  v1::SubmitJobResponse foresee(const Submission& submission) const;
  List begin_list(v1::ListJobsRequest request) const;
  StatusOr<std::optional<v1::ListJobsResponse>> list_some(List& list) const;
  StatusOr<v1::ExplainJobResponse> explain(const std::string& id) const;
  QueueCounts counts() const;

 private:
  void explain_place(const v1::Job& job, v1::ExplainJobResponse& response) const;
  void explain_streams(const v1::Job& job, v1::ExplainJobResponse& response) const;
  std::string file_wait(const JobRecord& record) const;

  const QueueConfig& config_;
  const Clock& clock_;
  const JobTable& jobs_;
  const Placement& placement_;
  const DeviceTable& devices_;
  const ActionRunner& actions_;
  const JobWatches& watches_;
  std::map<std::string, PlacementChoice> choices_;  // of jobs with an open attempt
  std::map<std::string, std::string> file_waits_;   // of jobs with an open attempt
  bool draining_ = false;
};

}  // namespace weft::queue
