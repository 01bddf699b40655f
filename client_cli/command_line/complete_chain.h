// SPDX-License-Identifier: Apache-2.0
// Completion inside a chain of filters: names behind a comma, options behind `=` and `:`, choices behind `key=`.
#pragma once

#include <string>
#include <vector>

#include <google/protobuf/descriptor.h>

#include "client_cli/command_line/complete.h"

namespace weft::cli {

// What the chain that is being typed may become, in any of these: whole chains, whose ends are what was asked for.
std::vector<Candidate> complete_chains(const std::vector<const google::protobuf::FieldDescriptor*>& chains,
                                       const std::string& typed);

}  // namespace weft::cli
