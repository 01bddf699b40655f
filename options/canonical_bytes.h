// SPDX-License-Identifier: Apache-2.0
// Messages as keys. Any thread.
#pragma once

#include <string>

#include <google/protobuf/message.h>

namespace weft::options {

// The message on the wire, the same bytes for equal messages of one build: maps are in the order of their keys.
std::string canonical_bytes(const google::protobuf::Message& message);

}  // namespace weft::options
