// SPDX-License-Identifier: Apache-2.0
// Follows jobs to their end: shows progress and events, handles Ctrl-C and determines the exit
// code.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "client/connection.h"
#include "client_cli/context/context.h"
#include "client_cli/context/signals.h"
#include "weft/v1/job_service.pb.h"

namespace weft::cli {

struct FollowOptions {
  // The effect of Ctrl-C. kDetach: the first one ends the following and the jobs continue; a second
  // one within two seconds cancels them. kCancel: the first one cancels the jobs, because a private
  // daemon ends with this program. kEnd: the first one ends the following.
  enum class OnInterrupt { kDetach, kCancel, kEnd };
  OnInterrupt on_interrupt = OnInterrupt::kDetach;
  bool progress = true;        // shows progress on standard error; with --json, prints every event
  bool until_finished = true;  // ends when all jobs of the filter have ended
  std::optional<double> timeout_seconds;
  v1::JobFilter filter;  // IDs of the jobs, or the filter of the watch
  // signal events of the caller, or null; signals that arrived before count too
  Signals* signals = nullptr;
  // Called after a lost connection. An error means that the daemon has ended permanently. Null: the
  // daemon may return.
  std::function<Status()> daemon_ended = nullptr;
};

// Follows jobs and returns the exit code: the most severe of the jobs' results, or kExitTimeout,
// kExitInterrupted, kExitUnreachable ...
int follow(const CommandContext& context, const std::shared_ptr<client::Connection>& connection,
           const FollowOptions& options);

// Returns the exit code for the state of an ended job.
int exit_code_of(v1::JobState state);

// Returns the result of a job as a sentence: "Done: /x/out.mkv, 600 frames in 0:00:12 (50.1 fps).",
// or the reason for its failure.
std::string describe_end(const v1::Job& job);

}  // namespace weft::cli
