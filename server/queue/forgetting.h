// SPDX-License-Identifier: Apache-2.0
// Removes ended jobs on request: first the work folder, then the log, then the job. A daemon that
// is killed in between leaves the job, without its work or its log, and no folder without a job.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "server/queue/job_logs.h"
#include "server/queue/job_table.h"

namespace weft::queue {

// The constructor's arguments outlive this object.
class Forgetting {
 public:
  // Called once, with the removed job after its removal is durable, or with an error.
  using Done = std::function<void(StatusOr<v1::Job>)>;

  Forgetting(const JobTable& jobs, JobLogs& logs) : jobs_(jobs), logs_(logs) {}

  // Adds a request for a job to which event::Forget was applied, after that is durable.
  void add(const std::string& id, Done done) { pending_[id].done.push_back(std::move(done)); }
  // Notes the result of a removal of a work folder.
  void discarded(const std::string& id, const Status& status);

  // Returns true if find() selects a job or answers a request.
  bool is_due() const;
  // Removes the logs of the jobs without a work folder, and returns the ids of these jobs. Answers
  // the requests that failed. Leaves out jobs for which `is_changed` returns true: jobs that the
  // current batch changed.
  std::set<std::string> find(const std::function<bool(const std::string& id)>& is_changed);
  // Answers the requests for a job that was removed, on request or by its age.
  void removed(const JobRecord& record);
  // Ends all requests with `error`.
  void end_all(const Status& error);

 private:
  struct Request {
    std::vector<Done> done;
    Status discarded{};  // result of the last removal of the work folder
  };
  // The next step of a request.
  struct Step {
    enum class Kind { kWait, kRemove, kFail };
    Kind kind;
    Status error;  // for kFail
  };
  Step step_of(const std::string& id, const Request& request) const;
  void answer(const std::string& id, const StatusOr<v1::Job>& answer);

  const JobTable& jobs_;
  JobLogs& logs_;
  std::map<std::string, Request> pending_;  // by the id of the job
};

}  // namespace weft::queue
