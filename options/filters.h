// SPDX-License-Identifier: Apache-2.0
// Finds the filters of chains. A chain is a repeated option with messages that are a oneof of
// filters, such as `repeated VideoFilter filters`. Read-only and thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <google/protobuf/message.h>

#include "weft/v1/options.pb.h"

namespace weft::options {

// One filter of a chain's oneof. Cheap to copy. Its pointers stay valid until the process ends.
struct FilterKind {
  const google::protobuf::FieldDescriptor* field = nullptr;  // field of the oneof

  const v1::FilterDeclaration& declaration() const;
  const std::string& name() const { return declaration().name(); }  // "bwdif"
  const google::protobuf::Descriptor* message() const { return field->message_type(); }
};

// Returns true if the field is a repeated message with a oneof of filters.
bool is_chain(const google::protobuf::FieldDescriptor& field);

// Returns the filters that a chain of this message may hold, in the order of declaration. Returns
// an empty list if the message is no element of a chain.
std::vector<FilterKind> filters_of(const google::protobuf::Descriptor* element);
std::vector<std::string> names_of(const std::vector<FilterKind>& filters);

// Returns the filter with this name, or nullopt. Case is ignored, and '-' matches '_'.
std::optional<FilterKind> find_filter(const google::protobuf::Descriptor* element, std::string_view name);

// Returns the filter that an entry of a chain holds, or nullopt if none is set.
std::optional<FilterKind> filter_of(const google::protobuf::Message& element);

// Returns the first field of the message that is a chain, or null.
const google::protobuf::FieldDescriptor* chain_of(const google::protobuf::Descriptor* message);

}  // namespace weft::options
