// SPDX-License-Identifier: Apache-2.0
// The command line's flags for the options that a message declares.
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
  // Adds a flag for every option of the message, save those in `skip`, under that heading in help. Choices are
  // completed, advanced options are shown in full help only. May be called for several messages: a flag that is there
  // already stands for the option of each message that has one of that name. `own_defaults`: what help says of a flag
  // whose default is another here than declared.
  void add(Command& command, const google::protobuf::Descriptor* message, const std::string& heading,
           const std::vector<std::string>& skip = {},
           const std::map<std::string, std::string>& own_defaults = {});

  // Sets what was given in a message of one of those types. INVALID_ARGUMENT names the option, the value and what is
  // allowed, or that `whose` ("a video job") has no such option.
  Status fill(google::protobuf::Message& message, std::string_view whose = "") const;

 private:
  bool has(const std::string& flag) const;

  struct Given {
    options::Option option;
    std::vector<std::string> values;
  };
  std::vector<std::shared_ptr<Given>> given_;
};

// What help and manual say of an option: its help, range, default (or `own_default`, if not empty); its choices where there are some.
std::string describe_option(const options::Option& option, std::string_view own_default = {});

// The option's flags, value, help and completion; where it stores what is given is left open.
Argument declare_flag(const options::Option& option, std::string_view own_default = {});

}  // namespace weft::cli
