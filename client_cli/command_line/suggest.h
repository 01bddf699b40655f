// SPDX-License-Identifier: Apache-2.0
// What an unknown command was probably meant to be.
#pragma once

#include <string>
#include <string_view>

#include "client_cli/command_line/command.h"

namespace weft::cli {

// "; did you mean `weft list`?" for "ls", which other programs have, for a misspelt command of `command`, and for a kind of job or a
// filter that lacks its `submit`. ".": nothing is near.
std::string suggest_command(const Command& command, std::string_view word);

}  // namespace weft::cli
