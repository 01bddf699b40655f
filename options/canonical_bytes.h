// SPDX-License-Identifier: Apache-2.0
// Serialises messages as keys. Thread-safe.
#pragma once

#include <string>

#include <google/protobuf/message.h>

namespace weft::options {

// Returns the serialised message with map entries in the order of their keys. Equal messages give
// equal bytes within one build.
std::string canonical_bytes(const google::protobuf::Message& message);

}  // namespace weft::options
