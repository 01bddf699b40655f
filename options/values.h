// SPDX-License-Identifier: Apache-2.0
// Values of options as text: from the command line, forms and configuration into a message, and back.
// Every function takes the message that the option was read from. Not synchronised, as messages are not.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <google/protobuf/message.h>

#include "base/status.h"
#include "options/option.h"

namespace weft::options {

// Sets the option from its text form: "12", "0.5", "true" (also yes, on, 1), a choice's short name, any text,
// KEY=VALUE for maps, a chain's filters (chain.h). A repeated option gains an entry; a map's entry of the same key is
// replaced, and so is a chain.
// INVALID_ARGUMENT, naming value, limits and choices, leaves the message as it was.
Status set_from_text(google::protobuf::Message& message, const Option& option, std::string_view text);

// The value as set_from_text takes it: "" when not set. Maps and repeated options: values joined by ", ".
std::string format_value(const google::protobuf::Message& message, const Option& option);

// The value of a field that is no message, as set_from_text takes it: of entry `index` of a repeated field, or of a plain one (-1).
std::string scalar_text(const google::protobuf::Message& message,
                        const google::protobuf::FieldDescriptor& field, int index = -1);

// One text an entry; one for a plain option or a chain that is set, none for one that is not. Maps are sorted by key.
std::vector<std::string> format_values(const google::protobuf::Message& message, const Option& option);

// True when a value was given: present, or not zero for fields without presence, or with entries.
bool is_set(const google::protobuf::Message& message, const Option& option);

// True when nothing else would stand there if no value had been given: declared defaults and those of choices count.
bool is_default(const google::protobuf::Message& message, const Option& option);

// Forgets the value.
void clear(google::protobuf::Message& message, const Option& option);

// Fills every option that is not set with its declared default, in this message, the messages inside it, the
// chosen members of oneofs and the filters of chains; a choice's defaults for other options go before theirs. Repeating it
// changes nothing.
void apply_defaults(google::protobuf::Message& message);

// Forgets every value that apply_defaults() would put back.
void clear_defaults(google::protobuf::Message& message);

// Sets what a choice's default names ("blades=6") in the message that holds the choice, if it is not set. INVALID_ARGUMENT:
// no such option, or no value for it.
Status apply_choice_default(google::protobuf::Message& message, std::string_view text);

// The non-empty texts of all options of that kind of path, in the chosen members of oneofs and the filters of
// chains too: what a job reads and writes.
std::vector<std::string> paths_of(const google::protobuf::Message& message, v1::PathKind kind);

// The message that holds the option's field, made where it is not there. For readers: a default one.
google::protobuf::Message& holder_of(google::protobuf::Message& message, const Option& option);
const google::protobuf::Message& holder_of(const google::protobuf::Message& message, const Option& option);

}  // namespace weft::options
