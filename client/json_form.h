// SPDX-License-Identifier: Apache-2.0
// Defines names and exceptions that the writer and the reader of JSON share.
#pragma once

#include <memory>
#include <string>

#include <google/protobuf/message.h>

#include "base/status.h"

namespace weft::client {

inline constexpr const char* kSchemaField = "schema";
// name of the field with the type of an error's detail
inline constexpr const char* kTypeField = "@type";
// name of the field with the bytes of a detail of unknown type
inline constexpr const char* kBytesField = "value";
inline constexpr int kLastCode = int(StatusCode::kUnauthenticated);

// Returns true if the field contains an error's code. Protobuf declares this field as a number.
inline bool is_code(const google::protobuf::FieldDescriptor& field) {
  return field.full_name() == "google.rpc.Status.code";
}

// Returns an empty message of the type ("google.rpc.BadRequest"), or null for an unknown type.
std::unique_ptr<google::protobuf::Message> make_message(const std::string& type);

}  // namespace weft::client
