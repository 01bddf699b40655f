// SPDX-License-Identifier: Apache-2.0
// Suggests a command or flag for an unknown one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client_cli/command_line/command.h"

namespace weft::cli {

// Returns the end of a message about an unknown word: "; did you mean `weft list`?". Suggests
// replacements for commands of other programs ("ls"), misspelt subcommands of `command`, and kinds
// of jobs and filters written without `submit`. Returns "." if nothing is similar.
std::string suggest_command(const Command& command, std::string_view word);

// Returns a message if `words` contain a flag of another program that `command` has under another
// name: "weft submit video has no option '-crf'; did you mean `--crf 20`?". Returns an empty string
// if there is no such flag.
std::string suggest_flags(const Command& command, const Command& root, const std::vector<std::string>& words);

}  // namespace weft::cli
