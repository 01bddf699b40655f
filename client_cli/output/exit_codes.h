// SPDX-License-Identifier: Apache-2.0
// What the program's exit status says. Documented in the manual; scripts rely on them.
#pragma once

namespace weft::cli {

enum ExitCode : int {
  kExitDone = 0,         // all done
  kExitJobFailed = 1,    // a job or a stream failed
  kExitUsage = 2,        // the command line is wrong
  kExitUnreachable = 3,  // no daemon answers
  kExitRejected = 4,     // the daemon refused
  kExitCancelled = 5,    // a job was cancelled
  kExitTimeout = 6,      // --timeout passed
  kExitLate = 7,         // more frames of a stream were late than --max-late allows
  kExitInterrupted =
      130  // Ctrl-C; the program exits with 128 + the signal's number: 143 for SIGTERM, 129 for SIGHUP
};

// Of several results the one to exit with: what keeps a script from going on comes first.
int worse(int a, int b);

}  // namespace weft::cli
