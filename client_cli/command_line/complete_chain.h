// SPDX-License-Identifier: Apache-2.0
// Completion inside a chain of filters: names behind a comma, options behind `=` and `:`, choices behind `key=`.
#pragma once

#include <string>
#include <vector>

#include <google/protobuf/descriptor.h>

#include "client_cli/command_line/complete.h"

namespace weft::cli {

// What the chain that is being typed may become: whole chains, whose ends are what was asked for.
std::vector<Candidate> complete_chain(const google::protobuf::FieldDescriptor& chain,
                                      const std::string& typed);

}  // namespace weft::cli
