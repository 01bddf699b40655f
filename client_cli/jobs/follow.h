// SPDX-License-Identifier: Apache-2.0
// Follows jobs to their end: progress, what happens to them, Ctrl-C, and the exit code that says how it went.
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
  // kDetach: the first Ctrl-C leaves the jobs alone, a second one soon after cancels them. kCancel: the first one
  // cancels them (nobody else could finish them). kEnd: Ctrl-C just ends the following.
  enum class OnInterrupt { kDetach, kCancel, kEnd };
  OnInterrupt on_interrupt = OnInterrupt::kDetach;
  bool progress = true;        // on standard error, and every event with --json
  bool until_finished = true;  // end when no job of the filter is unfinished
  std::optional<double> timeout_seconds;
  v1::JobFilter filter;        // ids, or what is to be watched
  Signals* signals = nullptr;  // the caller's, if it has one; what came before the following counts
  // Asked when the connection is lost: an error says that the daemon is gone for good. Not given: it may come back.
  std::function<Status()> daemon_ended = nullptr;
};

// Gives the exit code: the worst of the jobs' ends, kExitTimeout, kExitInterrupted, kExitUnreachable ...
int follow(const CommandContext& context, const std::shared_ptr<client::Connection>& connection,
           const FollowOptions& options);

// The exit code that a finished job stands for.
int exit_code_of(v1::JobState state);

// "Done: /x/out.mkv, 600 frames in 0:00:12 (50.1 fps)." or why not.
std::string describe_end(const v1::Job& job);

}  // namespace weft::cli
