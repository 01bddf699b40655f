// SPDX-License-Identifier: Apache-2.0
// Jobs: submit, look, steer, read logs. Each call blocks until its answer or its deadline; thread-safe.
// Errors are the daemon's (job_service.proto), or is_unreachable() ones.
#pragma once

#include <functional>
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

  // Adds a job, in the name of this process's user unless an owner is given. Without a request_id one is made up; so a
  // submit whose answer is lost is repeated until the submit deadline without adding a second job. With validate_only nothing is added.
  StatusOr<v1::SubmitJobResponse> submit(const v1::SubmitJobRequest& request);

  // `id`: whole, or a beginning that only one job has.
  StatusOr<v1::Job> get(const std::string& id);
  StatusOr<v1::ListJobsResponse> list(const v1::ListJobsRequest& request);
  StatusOr<v1::Job> cancel(const std::string& id);
  StatusOr<v1::Job> pause(const std::string& id);
  StatusOr<v1::Job> resume(const std::string& id);
  StatusOr<v1::Job> retry(const std::string& id);
  StatusOr<v1::Job> change_priority(const std::string& id, int priority);
  StatusOr<v1::ExplainJobResponse> explain(const std::string& id);

  // Calls `receive` for every line; false from it ends the reading. With `follow` until the job ends or `stop`.
  Status read_log(const v1::ReadJobLogRequest& request,
                  const std::function<bool(const v1::ReadJobLogResponse&)>& receive,
                  std::stop_token stop = {});

 private:
  std::shared_ptr<Connection> connection_;
};

// A new request_id: a random UUID.
std::string make_request_id();

// True for SUCCEEDED, FAILED and CANCELLED.
bool is_finished(v1::JobState state);

}  // namespace weft::client
