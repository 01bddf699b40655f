// SPDX-License-Identifier: Apache-2.0
// Visits every option of a message, including those in nested messages, chosen oneof members,
// filters of chains and nested chains.
#pragma once

#include <functional>
#include <string>

#include <google/protobuf/message.h>

#include "options/option.h"

namespace weft::options {

// Receives a field `option` of `holder`, and its path: "spec.video.filters[1].bloom.kernel". A
// chain is visited as an option before the options of its filters. Filters added during a visit are
// visited as well.
using Visit =
    std::function<void(google::protobuf::Message& holder, const Option& option, const std::string& path)>;
using ConstVisit = std::function<void(const google::protobuf::Message& holder, const Option& option,
                                      const std::string& path)>;

// Call `visit` for each option. `prefix` precedes every path, as in "spec".
void visit_options(google::protobuf::Message& message, const std::string& prefix, const Visit& visit);
void visit_options(const google::protobuf::Message& message, const std::string& prefix,
                   const ConstVisit& visit);

// Returns "spec.video" for "spec" and "video".
std::string join_path(std::string_view prefix, std::string_view name);
// Returns "filters[1]" for "filters" and 1.
std::string entry_path(std::string_view path, int index);

}  // namespace weft::options
