// SPDX-License-Identifier: Apache-2.0
// Submits, queries and controls jobs and reads their logs. Each call blocks until its answer or its
// deadline. Thread-safe. Errors are the daemon's (job_service.proto) or is_unreachable().
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <stop_token>
#include <string>

#include "base/status.h"
#include "client/connection.h"
#include "weft/v1/job_service.pb.h"

namespace weft::client {

class Jobs {
 public:
  explicit Jobs(std::shared_ptr<Connection> connection);

  // Adds a job, by default for the user of this process. Sets a random request_id if the request
  // has none, so that a submission without an answer can be repeated without adding a second job.
  // Repeats it until the submit deadline. With validate_only no job is added.
  StatusOr<v1::SubmitJobResponse> submit(const v1::SubmitJobRequest& request);

  // Returns a job. `id` is a complete ID or a unique prefix.
  StatusOr<v1::Job> get(const std::string& id);
  StatusOr<v1::ListJobsResponse> list(const v1::ListJobsRequest& request);
  // Returns the newest jobs that match the filter, at most `limit`. Requests several pages if
  // necessary. `total` and `resume_token` are those of the first page.
  StatusOr<v1::ListJobsResponse> list_all(const v1::JobFilter& filter,
                                          int limit = std::numeric_limits<int>::max());
  StatusOr<v1::Job> cancel(const std::string& id);
  StatusOr<v1::Job> pause(const std::string& id);
  StatusOr<v1::Job> resume(const std::string& id);
  StatusOr<v1::Job> retry(const std::string& id);
  // Removes an ended job and returns it in its last state.
  StatusOr<v1::Job> forget(const std::string& id);
  StatusOr<v1::Job> change_priority(const std::string& id, int priority);
  StatusOr<v1::ExplainJobResponse> explain(const std::string& id);
  // Returns the decisions of a job as JSON text.
  StatusOr<std::string> read_decisions(const std::string& id);
  // Pause and resume the start of jobs, for operators. Return true if the queue is paused.
  StatusOr<bool> pause_queue();
  StatusOr<bool> resume_queue();

  // Calls `receive` for every line. Blocks until `receive` returns false, the log ends or `stop` is
  // requested. With `follow`, the log ends when the job ends.
  Status read_log(const v1::ReadJobLogRequest& request,
                  const std::function<bool(const v1::ReadJobLogResponse&)>& receive,
                  std::stop_token stop = {});

 private:
  std::shared_ptr<Connection> connection_;
};

// Returns a new request_id, a random UUID.
std::string make_request_id();

// Returns true for SUCCEEDED, FAILED and CANCELLED.
bool is_finished(v1::JobState state);

}  // namespace weft::client
