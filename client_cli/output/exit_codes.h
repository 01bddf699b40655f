// SPDX-License-Identifier: Apache-2.0
// Defines the program's exit codes. They are documented in the manual, and scripts rely on them.
#pragma once

namespace weft::cli {

enum ExitCode : int {
  kExitDone = 0,         // success
  kExitJobFailed = 1,    // a job or a stream failed
  kExitUsage = 2,        // the command line is wrong
  kExitUnreachable = 3,  // no daemon answers
  kExitRejected = 4,     // the daemon refused
  kExitCancelled = 5,    // a job was cancelled
  kExitTimeout = 6,      // the time of --timeout has passed
  kExitLate = 7,         // more frames of a stream were late than --max-late allows
  kExitInterrupted =
      // Ctrl-C; after a signal the program exits with 128 + the signal's number: 143 for SIGTERM,
  // 129 for SIGHUP
  130
};

// Returns the more severe of two exit codes.
int worse(int a, int b);

}  // namespace weft::cli
