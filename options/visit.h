// SPDX-License-Identifier: Apache-2.0
// Every option that a message holds: of the messages inside it, of the chosen members of its oneofs, of the filters of its
// chains and of chains in those.
#pragma once

#include <functional>
#include <string>

#include <google/protobuf/message.h>

#include "options/option.h"

namespace weft::options {

// `option` is an option of `holder`, whose field it is; `path` leads to it: "spec.video.filters[1].bloom.kernel". A chain is
// an option too, and comes before what its filters hold. What a visit adds to a chain is visited as well.
using Visit =
    std::function<void(google::protobuf::Message& holder, const Option& option, const std::string& path)>;
using ConstVisit = std::function<void(const google::protobuf::Message& holder, const Option& option,
                                      const std::string& path)>;

// `prefix` stands before every path: "spec".
void visit_options(google::protobuf::Message& message, const std::string& prefix, const Visit& visit);
void visit_options(const google::protobuf::Message& message, const std::string& prefix,
                   const ConstVisit& visit);

// "spec" and "video": "spec.video".
std::string join_path(std::string_view prefix, std::string_view name);
// "filters" and 1: "filters[1]".
std::string entry_path(std::string_view path, int index);

}  // namespace weft::options
