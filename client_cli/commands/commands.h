// SPDX-License-Identifier: Apache-2.0
// Declares the commands, with one source file each. add_x() adds the command x and its action to
// the tree.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client_cli/context/context.h"

namespace weft::cli {

// The help of a word that names a job.
inline constexpr const char* kIdHelp = "A job's id, or its first 8 characters as `weft list` shows them.";

// Returns true for the ID of a device ("cpu", "cuda:0"). The IDs of jobs have another form.
inline bool is_device(std::string_view word) {
  return word == "cpu" || word.find(':') != std::string_view::npos;
}

void add_submit(Command& root, CommandContext& context);  // adds submit and run
void add_pipe(Command& root, CommandContext& context);
void add_list(Command& root, CommandContext& context);
void add_show(Command& root, CommandContext& context);
void add_watch(Command& root, CommandContext& context);
void add_cancel(Command& root, CommandContext& context);
void add_pause(Command& root, CommandContext& context);
void add_resume(Command& root, CommandContext& context);
void add_drain(Command& root, CommandContext& context);
void add_queue(Command& root, CommandContext& context);
void add_retry(Command& root, CommandContext& context);
void add_resubmit(Command& root, CommandContext& context);
void add_forget(Command& root, CommandContext& context);
void add_priority(Command& root, CommandContext& context);
void add_logs(Command& root, CommandContext& context);
void add_trace(Command& root, CommandContext& context);
void add_explain(Command& root, CommandContext& context);
void add_profile(Command& root, CommandContext& context);
void add_devices(Command& root, CommandContext& context);
void add_stats(Command& root, CommandContext& context);
void add_bench(Command& root, CommandContext& context);
void add_tune(Command& root, CommandContext& context);
void add_top(Command& root, CommandContext& context);
void add_server(Command& root, CommandContext& context);
void add_version(Command& root, CommandContext& context);
void add_completion(Command& root, CommandContext& context);
void add_help(Command& root, CommandContext& context);

// Adds all commands and the global flags.
void build_commands(Command& root, CommandContext& context);

// Parses the command line and runs the command. `arguments` begin with the program's name. Returns
// the exit code.
int run_program(const std::vector<std::string>& arguments);

}  // namespace weft::cli
