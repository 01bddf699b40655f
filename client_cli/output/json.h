// SPDX-License-Identifier: Apache-2.0
// Formats JSON output that is no message of the API. client/json.h formats messages.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "client/json.h"

namespace weft::cli {

// Returns the line {"schema": 1, NAME: VALUE, ...}, newline included. The values are JSON.
std::string json_line(std::initializer_list<std::pair<std::string_view, std::string>> fields);

// Returns messages as a JSON array.
template <class Messages>
std::string json_list(const Messages& messages) {
  std::string list;
  for (const auto& message : messages) list += (list.empty() ? "" : ", ") + client::to_json(message);
  return "[" + list + "]";
}

// Returns the line {"schema": 1, "error": {"code": "not-found", "message": "...", "details": []}},
// newline included.
std::string error_line(const Status& error);

}  // namespace weft::cli
