// SPDX-License-Identifier: Apache-2.0
// usage: weft-parse-lines
// Parses command lines as `weft` does, without running them. Standard input has one command per
// line: the words after the program's name, separated by U+001F. For each line it writes a line to
// standard output: "ok" and the flags of the command, or the error message.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <string>

#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>

#include "client_cli/commands/commands.h"

namespace weft::cli {
namespace {

std::string parse_line(const std::string& line) {
  Command root("weft", "");
  CommandContext context;
  build_commands(root, context);
  const std::vector<std::string> words = absl::StrSplit(line, '\x1f', absl::SkipEmpty());
  const auto parsed = parse(root, words);
  if (!parsed.ok()) {
    std::string message(parsed.status().message());
    std::ranges::replace(message, '\n', ' ');
    return message;
  }
  if (parsed->incomplete) return parsed->command->full_name() + ": a command is required.";
  std::string flags = "ok";
  for (const Argument& option : parsed->command->options)
    if (!option.is_word()) flags += " " + absl::StrJoin(option.flags, " ");
  return flags;
}

}  // namespace
}  // namespace weft::cli

int main() {
  for (std::string line; std::getline(std::cin, line);) std::puts(weft::cli::parse_line(line).c_str());
}
