// SPDX-License-Identifier: Apache-2.0
// Completes text inside a chain of filters: names of filters after a comma, names of options after
// `=` and `:`, choices after `key=`.
#pragma once

#include <string>
#include <vector>

#include <google/protobuf/descriptor.h>

#include "client_cli/command_line/complete.h"

namespace weft::cli {

// Returns the completions of an incomplete chain. Each candidate is the whole text with its last
// word completed. `chains` are the kinds of chains that the text may be.
std::vector<Candidate> complete_chains(const std::vector<const google::protobuf::FieldDescriptor*>& chains,
                                       const std::string& typed);

}  // namespace weft::cli
