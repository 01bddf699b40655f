// SPDX-License-Identifier: Apache-2.0
// Messages as JSON for scripts. Field names are those of the API; choices are their short names ("queued"); 64-bit
// numbers are numbers; times are RFC 3339 in UTC; durations are seconds. Fields that are not set are left out, save
// numbers, texts and lists, which are always there.
#pragma once

#include <string>
#include <string_view>

#include <google/protobuf/message.h>

#include "base/status.h"

namespace weft::cli {

// One line without its end.
std::string to_json(const google::protobuf::Message& message);

// "\"text\"", with what JSON wants escaped.
std::string json_text(std::string_view text);

// {"error": {"code": "not-found", "message": "...", "violations": [{"field": ..., "description": ...}]}}
std::string to_json(const Status& error);

}  // namespace weft::cli
