// SPDX-License-Identifier: Apache-2.0
// Checks whole messages against their declarations, and defines the form of field names in errors:
// a Status with a google.rpc.BadRequest as payload, sent as google.rpc details.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <google/protobuf/message.h>

#include "base/status.h"
#include "weft/v1/options.pb.h"

namespace weft::options {

// An invalid field and the reason.
struct Violation {
  std::string field;        // "spec.video.input"
  std::string description;  // one sentence
  bool operator==(const Violation&) const = default;
};

// Checks the properties that follow from the message alone, also in chains and nested chains:
// required options, ranges, unknown choices, lengths, numbers of entries, NUL bytes, absolute
// paths, a chosen member of each oneof, order of a part's begin and end, unknown fields. Options
// that are not set are valid unless required, so apply_defaults() may be called before or after.
// `prefix` precedes the path of each field: with "spec", a field is
// "spec.video.filters[1].resize.size".
std::vector<Violation> validate(const google::protobuf::Message& message, std::string_view prefix);

// Checks the declarations themselves: help that ends with a full stop, valid defaults (a choice's
// defaults name later options), unique and well-formed flags, names and first options of filters.
// Tests call it with every message of options_of() and job_kinds().
std::vector<Violation> check_declarations(const google::protobuf::Descriptor* message);

// The type of the payload, in the form of google.protobuf.Any.
inline constexpr std::string_view kBadRequestType = "type.googleapis.com/google.rpc.BadRequest";

// Returns OK if there are no violations, else INVALID_ARGUMENT with all of them in the message and
// as payload.
Status to_status(const std::vector<Violation>& violations);

// Returns the violations in a status's payload, or an empty list.
std::vector<Violation> violations_of(const Status& status);

}  // namespace weft::options
