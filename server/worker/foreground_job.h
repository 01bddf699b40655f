// SPDX-License-Identifier: Apache-2.0
// One job in the foreground, for debuggers: the session of a worker, with this process in place of the daemon.
#pragma once

#include <string>

#include "server/worker/session.h"

namespace weft::worker {

// Runs the job of `order_file`, which `weft show --order` prints. Its inputs are opened by their paths, and its work folder is
// ORDER_FILE.work: what is there is continued, and the finished outputs stay there. Progress and the job's log go to standard error,
// the result to standard output. Without a device in `options` that of the order is taken, or the CPU. Returns the process's exit
// status: kExitDone once the job has finished, else kExitJobFailed.
int run_foreground_job(const std::string& order_file, SessionOptions options);

inline constexpr int kExitJobFailed = 1;

}  // namespace weft::worker
