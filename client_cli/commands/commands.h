// SPDX-License-Identifier: Apache-2.0
// The commands, one file each. add_x() adds its command to the tree and says what runs when it is chosen.
#pragma once

#include <string>
#include <vector>

#include "client_cli/context/context.h"

namespace weft::cli {

// Help of a word that names a job.
inline constexpr const char* kIdHelp = "A job's id, or its beginning as `weft list` shows it.";

void add_submit(Command& root, CommandContext& context);  // and run
void add_pipe(Command& root, CommandContext& context);
void add_list(Command& root, CommandContext& context);
void add_show(Command& root, CommandContext& context);
void add_watch(Command& root, CommandContext& context);
void add_cancel(Command& root, CommandContext& context);
void add_pause(Command& root, CommandContext& context);
void add_resume(Command& root, CommandContext& context);
void add_drain(Command& root, CommandContext& context);
void add_retry(Command& root, CommandContext& context);
void add_priority(Command& root, CommandContext& context);
void add_logs(Command& root, CommandContext& context);
void add_trace(Command& root, CommandContext& context);
void add_explain(Command& root, CommandContext& context);
void add_devices(Command& root, CommandContext& context);
void add_stats(Command& root, CommandContext& context);
void add_bench(Command& root, CommandContext& context);
void add_tune(Command& root, CommandContext& context);
void add_top(Command& root, CommandContext& context);
void add_server(Command& root, CommandContext& context);
void add_version(Command& root, CommandContext& context);
void add_completion(Command& root, CommandContext& context);
void add_help(Command& root, CommandContext& context);

// All of them, and the flags that every command takes.
void build_commands(Command& root, CommandContext& context);

// Reads the command line and runs the command. `arguments`: with the program's name. Gives the exit code.
int run_program(const std::vector<std::string>& arguments);

}  // namespace weft::cli
