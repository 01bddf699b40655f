// SPDX-License-Identifier: Apache-2.0
// The filters that a chain may hold. A chain is a repeated option whose message is a oneof of filters' messages, such as
// `repeated VideoFilter filters`. Read-only and thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <google/protobuf/message.h>

#include "weft/v1/options.pb.h"

namespace weft::options {

// One filter of a chain's oneof. Cheap to copy; valid for ever.
struct FilterKind {
  const google::protobuf::FieldDescriptor* field = nullptr;  // in the chain's message

  const v1::FilterDeclaration& declaration() const;
  const std::string& name() const { return declaration().name(); }  // "bwdif"
  const google::protobuf::Descriptor* message() const { return field->message_type(); }
};

// True for a repeated field of a message that is a oneof of filters.
bool is_chain(const google::protobuf::FieldDescriptor& field);

// The filters that a chain of this message may hold, in the order of declaration; none where it is no chain's message.
std::vector<FilterKind> filters_of(const google::protobuf::Descriptor* element);
std::vector<std::string> names_of(const std::vector<FilterKind>& filters);

// Capitals and '-' for '_' are forgiven.
std::optional<FilterKind> find_filter(const google::protobuf::Descriptor* element, std::string_view name);

// The filter that an entry of a chain holds, or nothing.
std::optional<FilterKind> filter_of(const google::protobuf::Message& element);

// The first chain among the fields of a message, or null.
const google::protobuf::FieldDescriptor* chain_of(const google::protobuf::Descriptor* message);

}  // namespace weft::options
