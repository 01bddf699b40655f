// SPDX-License-Identifier: Apache-2.0
// JSON of messages in protobuf's form, except that choices have their short names: "spare" for JOB_CLASS_SPARE.
#pragma once

#include <string>

#include <google/protobuf/util/json_util.h>

#include "base/status.h"

namespace weft::client {

StatusOr<std::string> print_json(const google::protobuf::Message& message,
                                 const google::protobuf::util::JsonPrintOptions& options);

// Takes protobuf's names of choices as well, so that it reads what `weft --json` prints and what protobuf prints; durations alone
// ("1.5s") have protobuf's form only. INVALID_ARGUMENT: no such JSON, with the field where one is wrong; `message` is unchanged.
Status parse_json(const std::string& text, google::protobuf::Message& message,
                  const google::protobuf::util::JsonParseOptions& options = {});

}  // namespace weft::client
