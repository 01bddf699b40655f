// SPDX-License-Identifier: Apache-2.0
// Defines texts that help, manual and reference share.
#pragma once

#include <string_view>

#include "client_cli/output/exit_codes.h"

namespace weft::cli {

inline constexpr std::string_view kProgramText =
    "Adds jobs to the queue of weftd, follows and controls them. Data goes to standard output, progress and "
    "messages go to standard error. With --json every command prints one JSON object, or one per line; an "
    "error is an object on standard error. The fields are those of the API, times are RFC 3339 in UTC and "
    "durations are seconds.";

inline constexpr std::string_view kTemplateText =
    "The output of submit and run may hold fields in braces, which each input fills; {{ and }} stand for "
    "braces. Every option "
    "of the job is a field too: {filter}, {encoder}, {rate} ... An output that is a folder means "
    "FOLDER/{stem}.{ext}.";

struct ExitText {
  ExitCode code;
  std::string_view text;
};
inline constexpr ExitText kExitTexts[] = {
    {kExitDone, "Success."},
    {kExitJobFailed, "A job or a stream failed."},
    {kExitUsage, "The command line is wrong."},
    {kExitUnreachable, "No daemon answers."},
    {kExitRejected, "The daemon refused: no such job, a wrong path, no space, a limit."},
    {kExitCancelled, "A job was cancelled."},
    {kExitTimeout,
     "The time of --timeout is up. The jobs of a daemon go on; those of a `weft run` without one are "
     "cancelled."},
    {kExitLate,
     "More frames of a realtime stream were late than --max-late of `weft pipe` allows. Without --max-late "
     "late frames are "
     "counted, and change no exit code."},
    {kExitInterrupted,
     "Ctrl-C ended the command; 143 for SIGTERM, 129 for SIGHUP. Signals that were ignored when the program "
     "began (nohup, & in a script) stay ignored. The jobs of a daemon go on; those of a `weft run` without "
     "one are "
     "cancelled, and a stream ends."},
};

struct EnvironmentText {
  std::string_view name;
  std::string_view text;
};
inline constexpr EnvironmentText kEnvironmentTexts[] = {
    {"WEFT_SERVER", "Address of the daemon, in the form of --server."},
    {"NO_COLOR", "If not empty, output has no colours."},
    {"TERM", "If dumb, output has no colours and progress is plain lines."},
    {"COLUMNS", "The terminal's width, in place of the terminal's own value."},
    {"XDG_RUNTIME_DIR", "The folder of weft/weft.sock, the socket of a user's own daemon."},
    {"XDG_CONFIG_HOME", "The folder of weft/profiles. Default: ~/.config."},
    {"TMPDIR", "The folder for the state of a daemon started by `weft run` or `weft pipe`."},
};

}  // namespace weft::cli
