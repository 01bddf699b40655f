// SPDX-License-Identifier: Apache-2.0
// Completes the last word of a command line for shells. The scripts of the shells call only
// complete(), through the hidden command __complete.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "client_cli/command_line/command.h"

namespace weft::cli {

struct Candidate {
  std::string word;
  std::string help;
  bool operator==(const Candidate&) const = default;
};

struct Completion {
  std::vector<Candidate> candidates;
  bool files = false;    // true: file names are also possible
  bool goes_on = false;  // true: the word may continue, so the shell appends no space
};

// Functions that request values from the daemon. Called only for a word with such values.
struct LiveValues {
  // Returns the jobs in `states`; empty `states`: all jobs.
  std::function<std::vector<Candidate>(const std::vector<v1::JobState>& states)> jobs;
  std::function<std::vector<Candidate>()> devices;
};

// Returns the completions of the last word. `words` are the words after the program's name; the
// last one may be empty.
Completion complete(const Command& root, const std::vector<std::string>& words, const LiveValues& live);

// Returns the completion script of a shell ("bash", "zsh" or "fish"), or an empty string for
// another shell.
std::string completion_script(const std::string& shell);

}  // namespace weft::cli
