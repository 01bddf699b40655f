// SPDX-License-Identifier: Apache-2.0
// Declares the flags that select jobs by their properties, for `list`, `watch` and the commands
// that change jobs.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "client_cli/command_line/command.h"
#include "weft/v1/job_service.pb.h"

namespace weft::cli {

struct FilterFlags {
  void add(Command& command);
  // Returns true if one of the flags is given.
  bool is_given() const;
  // Returns the filter that the flags describe. The message of INVALID_ARGUMENT names the flag's
  // value and the known values.
  StatusOr<v1::JobFilter> resolve() const;

  std::vector<std::string> states;
  std::vector<std::string> labels;
  std::string owner;
  std::string kind;
  std::string text;
  std::string since;
};

}  // namespace weft::cli
