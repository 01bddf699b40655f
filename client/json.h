// SPDX-License-Identifier: Apache-2.0
// Converts messages to JSON and back. Answers, profiles and results have this form
// (docs/reference/json.md).
//
// Fields have the names of the API. Choices have their short names ("spare" for JOB_CLASS_SPARE),
// and so do the codes of errors ("not-found"). Times are RFC 3339 in UTC, durations are seconds.
// Integers of 2^53 and more are strings, because other programs round them. Every field is present;
// an unset message, optional value or choice is null. A oneof contains its chosen member only.
#pragma once

#include <string>
#include <string_view>

#include <google/protobuf/message.h>

#include "base/status.h"

namespace weft::client {

// The version of the schema. It increases when a field is removed or changes its meaning.
inline constexpr int kJsonSchema = 1;

// Returns a message as one line of JSON, without a newline.
std::string to_json(const google::protobuf::Message& message);

// Returns an answer: the line of to_json() with "schema" as the first field.
std::string to_json_answer(const google::protobuf::Message& message);

// Returns the text of a file for editing: "schema" and the fields that are set, one field a line.
std::string to_json_file(const google::protobuf::Message& message);

enum class UnknownFields { kRefuse, kIgnore };  // kIgnore also ignores unknown choices

// Parses the forms that the functions above return, and protobuf's own form: names of choices
// ("JOB_CLASS_SPARE"), names of fields in camel case, durations with their unit ("1.5s"). Returns
// INVALID_ARGUMENT for an invalid field, which the message names, and for a later version of the
// schema; then `message` is unchanged.
Status parse_json(std::string_view text, google::protobuf::Message& message,
                  UnknownFields unknown = UnknownFields::kRefuse);

// Returns the short name of an error's code ("not-found"), or the digits of an unknown code.
std::string code_name(int code);

}  // namespace weft::client
