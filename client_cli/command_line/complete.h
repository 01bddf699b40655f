// SPDX-License-Identifier: Apache-2.0
// Shell completion: what may stand at the end of a command line. The shells' scripts only ask this.
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
  bool files = false;    // files may stand here too
  bool goes_on = false;  // more of the same word may follow: no space behind it
};

// Asked only when needed: both talk to the daemon.
struct LiveValues {
  std::function<std::vector<Candidate>()> jobs;
  std::function<std::vector<Candidate>()> devices;
};

// `words`: those after the program's name; the last one is being typed and may be empty.
Completion complete(const Command& root, const std::vector<std::string>& words, const LiveValues& live);

// The script for a shell ("bash", "zsh" or "fish"); empty for another.
std::string completion_script(const std::string& shell);

}  // namespace weft::cli
