// SPDX-License-Identifier: Apache-2.0
// Flags for a chain of one filter: `--filter NAME` where there is a choice, and the options of these filters.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "client_cli/command_line/spec_flags.h"
#include "options/filters.h"

namespace weft::cli {

class ChainFlags {
 public:
  // Offers a filter, its options under that heading. The first one is the default.
  void offer(const options::FilterKind& filter, const std::string& heading);
  // Adds the flags of all that was offered. Must live until the command has run.
  void add(Command& command);

  // The name of a flag that was given; empty: none was.
  std::string first_given() const;
  // Makes the chain the one filter that was chosen. A chain that holds one of the filters already, as that of a profile, keeps
  // it and its values where nothing else is given. INVALID_ARGUMENT: a wrong value, an option of another filter, or a chain that
  // holds something else.
  Status fill(google::protobuf::Message& holder, const google::protobuf::FieldDescriptor& chain) const;

 private:
  StatusOr<std::string> chosen_name(const google::protobuf::Message& holder,
                                    const google::protobuf::FieldDescriptor& chain) const;

  std::vector<std::pair<options::FilterKind, std::string>> offered_;  // with their headings
  std::string chosen_;                                                // empty: the default
  SpecFlags values_;
};

}  // namespace weft::cli
