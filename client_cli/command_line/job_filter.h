// SPDX-License-Identifier: Apache-2.0
// The flags that choose jobs, for `list` and `watch`.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "client_cli/command_line/command.h"
#include "weft/v1/job_service.pb.h"

namespace weft::cli {

struct FilterFlags {
  void add(Command& command);
  // INVALID_ARGUMENT names what is wrong.
  StatusOr<v1::JobFilter> resolve() const;

  std::vector<std::string> states;
  std::vector<std::string> labels;
  std::string owner;
  std::string kind;
  std::string text;
};

}  // namespace weft::cli
