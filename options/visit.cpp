// SPDX-License-Identifier: Apache-2.0
#include "options/visit.h"

#include <fmt/format.h>

#include "options/filters.h"

namespace weft::options {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

Message& inside(Message& message, const FieldDescriptor& field) {
  return *message.GetReflection()->MutableMessage(&message, &field);
}
const Message& inside(const Message& message, const FieldDescriptor& field) {
  return message.GetReflection()->GetMessage(message, &field);
}
Message& entry(Message& message, const FieldDescriptor& field, int index) {
  return *message.GetReflection()->MutableRepeatedMessage(&message, &field, index);
}
const Message& entry(const Message& message, const FieldDescriptor& field, int index) {
  return message.GetReflection()->GetRepeatedMessage(message, &field, index);
}

// MessageType is Message or const Message.
template <class MessageType, class VisitType>
void visit_all(MessageType& message, const std::string& prefix, const VisitType& visit) {
  const Reflection& reflection = *message.GetReflection();
  for (int i = 0; i < message.GetDescriptor()->field_count(); i++) {
    const FieldDescriptor& field = *message.GetDescriptor()->field(i);
    if (field.real_containing_oneof() != nullptr && !reflection.HasField(message, &field)) continue;
    const std::string path = join_path(prefix, field.name());
    if (is_option(field)) visit(message, Option({&field}), path);
    if (is_chain(field)) {
      for (int k = 0; k < reflection.FieldSize(message, &field); k++)
        visit_all(entry(message, field, k), entry_path(path, k), visit);
    } else if (!is_option(field) && !field.is_repeated() &&
               field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      visit_all(inside(message, field), path, visit);
    }
  }
}

}  // namespace

void visit_options(Message& message, const std::string& prefix, const Visit& visit) {
  visit_all(message, prefix, visit);
}

void visit_options(const Message& message, const std::string& prefix, const ConstVisit& visit) {
  visit_all(message, prefix, visit);
}

std::string join_path(std::string_view prefix, std::string_view name) {
  return prefix.empty() ? std::string(name) : fmt::format("{}.{}", prefix, name);
}

std::string entry_path(std::string_view path, int index) { return fmt::format("{}[{}]", path, index); }

}  // namespace weft::options
