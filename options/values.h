// SPDX-License-Identifier: Apache-2.0
// Converts option values between messages and text, for the command line, forms and configuration.
// Every function takes the message that the option was read from. The functions do not synchronise
// access to a message.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <google/protobuf/message.h>

#include "base/status.h"
#include "options/option.h"

namespace weft::options {

// Sets the option from its text form: "12", "0.5", "true" (also yes, on, 1), a choice's short name,
// any text, KEY=VALUE for maps, the filters of a chain (chain.h). A repeated option gains an entry.
// A map entry with the same key is replaced, and so is a chain. INVALID_ARGUMENT, with value,
// limits and choices in the message, leaves `message` unchanged.
Status set_from_text(google::protobuf::Message& message, const Option& option, std::string_view text);

// Returns the value in the form that set_from_text() reads, or "" if it is not set. The values of a
// map or repeated option are joined by ", ".
std::string format_value(const google::protobuf::Message& message, const Option& option);

// Returns the value of a scalar field in the form that set_from_text reads: entry `index` of a
// repeated field, or a plain field (-1).
std::string scalar_text(const google::protobuf::Message& message,
                        const google::protobuf::FieldDescriptor& field, int index = -1);

// Returns one text per entry of a map or repeated option. A plain option or a chain gives one text
// if it is set, else none. Map entries are sorted by key.
std::vector<std::string> format_values(const google::protobuf::Message& message, const Option& option);

// Returns true if the field is present, or nonzero if it has no presence, or has entries.
bool is_set(const google::protobuf::Message& message, const Option& option);

// Returns true if the value equals the one that apply_defaults() would set in its place. Defaults
// of options and of choices count.
bool is_default(const google::protobuf::Message& message, const Option& option);

// Removes the value.
void clear(google::protobuf::Message& message, const Option& option);

// Sets every option without a value to its default, in this message, the messages inside it, the
// chosen members of oneofs and the filters of chains. The default from a choice of another option
// precedes the declared one. A second call changes nothing.
void apply_defaults(google::protobuf::Message& message);

// Removes every value that apply_defaults() would restore.
void clear_defaults(google::protobuf::Message& message);

// Sets the option named by a choice's default ("blades=6") in the message that holds the choice,
// unless the option is set. INVALID_ARGUMENT: no such option, or an invalid value.
Status apply_choice_default(google::protobuf::Message& message, std::string_view text);

// Returns the non-empty paths of this kind in all options, chosen oneof members and filters of
// chains included: the files that a job reads or writes.
std::vector<std::string> paths_of(const google::protobuf::Message& message, v1::PathKind kind);

// Return the message that holds the option's field. The first function creates the message if it is
// missing; the second then returns a default instance.
google::protobuf::Message& holder_of(google::protobuf::Message& message, const Option& option);
const google::protobuf::Message& holder_of(const google::protobuf::Message& message, const Option& option);

}  // namespace weft::options
