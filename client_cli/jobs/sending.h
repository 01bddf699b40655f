// SPDX-License-Identifier: Apache-2.0
// Sends jobs to the daemon: the flags of a submission, its requests, and the answers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "client/connection.h"
#include "client_cli/context/context.h"
#include "client_cli/jobs/follow.h"
#include "weft/v1/job_service.pb.h"

namespace weft::cli {

// The flags of a submission. The object must exist until the command has run.
struct SendFlags {
  void add_flags(Command& command);       // adds --dry-run, --request-id and --timeout
  void add_wait_flags(Command& command);  // adds --wait, --follow and --detach

  bool waits() const { return wait || follow; }
  StatusOr<std::optional<double>> timeout_seconds() const;
  // Refuses a timeout without waiting.
  Status check_timeout() const;
  // Sets the request ID of each request, with the number of the request if there are several.
  void set_request_ids(std::vector<v1::SubmitJobRequest>& requests) const;

  bool dry_run = false;
  bool makes_folders = false;
  bool wait = false;
  bool follow = false;
  bool detach = false;
  std::string request_id;
  std::string timeout;
};

// Creates the folders of the outputs. The messages of errors name the folder.
Status make_output_folders(const std::vector<v1::SubmitJobRequest>& requests);

// Sends the requests, adds the accepted jobs to `jobs` and prints errors. Returns the most severe
// exit code.
int send(const CommandContext& context, const std::shared_ptr<client::Connection>& connection,
         const std::vector<v1::SubmitJobRequest>& requests, std::vector<v1::Job>& jobs);

// Requests only the checks and estimates of the jobs, and prints them.
int dry_run(const CommandContext& context, const std::shared_ptr<client::Connection>& connection,
            std::vector<v1::SubmitJobRequest> requests);

// Follows the jobs with `options`, with the jobs' IDs as the filter.
int follow_jobs(const CommandContext& context, const std::shared_ptr<client::Connection>& connection,
                const std::vector<v1::Job>& jobs, FollowOptions options);

// Sends, checks or follows the jobs as the flags say, and prints their IDs. The accepted jobs are
// added to `jobs`. Returns the exit code.
int submit_jobs(const CommandContext& context, const SendFlags& flags,
                const std::shared_ptr<client::Connection>& connection,
                const std::vector<v1::SubmitJobRequest>& requests, std::vector<v1::Job>& jobs);

}  // namespace weft::cli
