// SPDX-License-Identifier: Apache-2.0
// Runs a command that needs a daemon: on the daemon that answers, else on a private one.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "client/connection.h"
#include "client_cli/context/context.h"
#include "client_cli/jobs/follow.h"
#include "weft/v1/job.pb.h"

namespace weft::cli {

// Does the work of a command: adds the jobs that it submits to `jobs`, follows them with `options`
// and returns the exit code.
using DaemonWork = std::function<int(const std::shared_ptr<client::Connection>& connection,
                                     const FollowOptions& options, std::vector<v1::Job>& jobs)>;

// Does the work on the daemon that answers. If none answers, starts a private daemon; an interrupt
// then cancels its jobs, the logs of failed jobs are printed, and everything but the finished files
// is removed. Returns the exit code.
int work_with_daemon(const CommandContext& context, FollowOptions options, const DaemonWork& work);

}  // namespace weft::cli
