// SPDX-License-Identifier: Apache-2.0
// Runs one job in the foreground, for debuggers: the session of a worker, with this process in
// place of the daemon.
#pragma once

#include <string>

#include "server/worker/session.h"

namespace weft::worker {

// Runs the job of `order_file`, a file printed by `weft show --order`. The inputs are opened by
// their paths. The work folder is ORDER_FILE.work: existing work is continued, and finished outputs
// remain there. Progress and the job's log are written to standard error, the result to standard
// output. The device is that of `options`, else that of the order, else the CPU. Returns the exit
// status: kExitDone if the job has finished, else kExitJobFailed.
int run_foreground_job(const std::string& order_file, SessionOptions options);

inline constexpr int kExitJobFailed = 1;

}  // namespace weft::worker
