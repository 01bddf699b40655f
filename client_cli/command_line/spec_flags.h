// SPDX-License-Identifier: Apache-2.0
// Declares flags for the options of a message, and writes their values into the message.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <google/protobuf/message.h>

#include "base/status.h"
#include "client_cli/command_line/command.h"
#include "options/option.h"

namespace weft::cli {

class SpecFlags {
 public:
  // Adds a flag for every option of the message, except those in `skip`, under the heading in help.
  // Choices are completed; advanced options are shown only in the full help. add() may be called
  // for several messages: a flag that exists already applies to the option of the same name in each
  // message. `own_defaults` are texts for help, for flags with another default here than the
  // declared one.
  void add(Command& command, const google::protobuf::Descriptor* message, const std::string& heading,
           const std::vector<std::string>& skip = {},
           const std::map<std::string, std::string>& own_defaults = {});

  // Sets the given flags in a message of an added type. The message of INVALID_ARGUMENT names the
  // option, the value and the valid values, or states that `whose` ("a video job") has no such
  // option.
  Status fill(google::protobuf::Message& message, std::string_view whose = "") const;

 private:
  bool has(const std::string& flag) const;

  struct Given {
    options::Option option;
    std::vector<std::string> values;
  };
  std::vector<std::shared_ptr<Given>> given_;
};

// Returns the text of an option for help and manual: its help, range, default (or `own_default` if
// not empty) and choices.
std::string describe_option(const options::Option& option, std::string_view own_default = {});

// Returns an argument with the option's flags, value, help and completion. The caller sets the
// target of its value.
Argument declare_flag(const options::Option& option, std::string_view own_default = {});

}  // namespace weft::cli
