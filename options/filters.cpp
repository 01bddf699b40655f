// SPDX-License-Identifier: Apache-2.0
#include "options/filters.h"

namespace weft::options {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

namespace {

bool is_filter(const FieldDescriptor& field) {
  return field.real_containing_oneof() != nullptr && field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE &&
         field.message_type()->options().HasExtension(v1::filter);
}

std::string plain(std::string_view name) {
  std::string result(name);
  for (char& c : result) c = c == '-' ? '_' : c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  return result;
}

}  // namespace

const v1::FilterDeclaration& FilterKind::declaration() const {
  return message()->options().GetExtension(v1::filter);
}

bool is_chain(const FieldDescriptor& field) {
  return field.is_repeated() && !field.is_map() && field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE &&
         !filters_of(field.message_type()).empty();
}

std::vector<FilterKind> filters_of(const Descriptor* element) {
  std::vector<FilterKind> result;
  if (element->real_oneof_decl_count() != 1) return result;
  for (int i = 0; i < element->field_count(); i++) {
    if (!is_filter(*element->field(i))) return {};
    result.push_back({element->field(i)});
  }
  return result;
}

std::vector<std::string> names_of(const std::vector<FilterKind>& filters) {
  std::vector<std::string> names;
  for (const FilterKind& kind : filters) names.push_back(kind.name());
  return names;
}

std::optional<FilterKind> find_filter(const Descriptor* element, std::string_view name) {
  const std::string wanted = plain(name);
  for (const FilterKind& kind : filters_of(element))
    if (kind.name() == wanted) return kind;
  return std::nullopt;
}

std::optional<FilterKind> filter_of(const Message& element) {
  for (const FilterKind& kind : filters_of(element.GetDescriptor()))
    if (element.GetReflection()->HasField(element, kind.field)) return kind;
  return std::nullopt;
}

const FieldDescriptor* chain_of(const Descriptor* message) {
  for (int i = 0; i < message->field_count(); i++)
    if (is_chain(*message->field(i))) return message->field(i);
  return nullptr;
}

}  // namespace weft::options
