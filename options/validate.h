// SPDX-License-Identifier: Apache-2.0
// Checks of whole messages against their declarations, and the form in which errors name fields: a Status with a
// google.rpc.BadRequest as payload, which crosses the wire as google.rpc details.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <google/protobuf/message.h>

#include "base/status.h"
#include "weft/v1/options.pb.h"

namespace weft::options {

// One field that is wrong, and why.
struct Violation {
  std::string field;        // "spec.video.input"
  std::string description;  // a whole sentence
  bool operator==(const Violation&) const = default;
};

// Checks what can be known from the message alone: required options, ranges, unknown choices, lengths, numbers of
// entries, NUL bytes, absolute paths, that a member of each oneof is chosen, that a part ends behind its beginning, fields
// that this program does not know; in chains and chains inside them too ("spec.video.filters[1].resize.size"). Options that are not set are right unless required: call apply_defaults() before or after, as you like.
// `prefix` stands before every field's path: "spec".
std::vector<Violation> validate(const google::protobuf::Message& message, std::string_view prefix);

// Checks the declarations themselves: help there and ended by a full stop, defaults that are valid (a choice's: of options
// that follow it), flags that are unique and well formed, names and first options of filters. For tests, with every message that options_of() or job_kinds() gives.
std::vector<Violation> check_declarations(const google::protobuf::Descriptor* message);

// The payload's type, as in google.protobuf.Any.
inline constexpr std::string_view kBadRequestType = "type.googleapis.com/google.rpc.BadRequest";

// OK without violations; else INVALID_ARGUMENT with all of them in the message and as payload.
Status to_status(const std::vector<Violation>& violations);

// The violations that a status carries; none when it carries none.
std::vector<Violation> violations_of(const Status& status);

}  // namespace weft::options
