// SPDX-License-Identifier: Apache-2.0
#include "options/option.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "options/chain.h"

namespace weft::options {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;

char lower(char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; }
char upper(char c) { return c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c; }

// Returns the prefix of a type's values in buf's STANDARD style: "OUTPUT_RATE" for "OutputRate".
std::string prefix_of(const EnumDescriptor& type) {
  std::string prefix;
  for (const char c : type.name()) {
    if (!prefix.empty() && c >= 'A' && c <= 'Z') prefix += '_';
    prefix += upper(c);
  }
  return prefix + "_";
}

// Returns "Encoder threads" for "encoder-threads".
std::string humanised(std::string flag) {
  std::replace(flag.begin(), flag.end(), '-', ' ');
  if (!flag.empty()) flag[0] = upper(flag[0]);
  return flag;
}

std::string short_name(const EnumValueDescriptor& value) {
  std::string name = value.name();
  const std::string prefix = prefix_of(*value.type());
  if (name.size() > prefix.size() && name.compare(0, prefix.size(), prefix) == 0)
    name.erase(0, prefix.size());
  for (char& c : name) c = c == '_' ? '-' : lower(c);
  return name;
}

void collect(const Descriptor& message, std::vector<const FieldDescriptor*>& way,
             std::vector<Option>& result) {
  for (int i = 0; i < message.field_count(); i++) {
    const FieldDescriptor* field = message.field(i);
    if (field->real_containing_oneof() != nullptr) continue;
    way.push_back(field);
    if (is_option(*field))
      result.emplace_back(way);
    else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && !field->is_repeated())
      collect(*field->message_type(), way, result);
    way.pop_back();
  }
}

struct Bounds {
  double minimum;
  double maximum;
};

Bounds bounds_of(FieldDescriptor::CppType type) {
  switch (type) {
    case FieldDescriptor::CPPTYPE_INT32:
      return {-0x1p31, 0x1p31 - 1};
    case FieldDescriptor::CPPTYPE_UINT32:
      return {0, 0x1p32 - 1};
    case FieldDescriptor::CPPTYPE_INT64:
      return {-0x1p63, 0x1p63};
    case FieldDescriptor::CPPTYPE_UINT64:
      return {0, 0x1p64};
    case FieldDescriptor::CPPTYPE_FLOAT:
      return {-std::numeric_limits<float>::max(), std::numeric_limits<float>::max()};
    default:
      return {-std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
  }
}

}  // namespace

Option::Option(std::vector<const FieldDescriptor*> fields) : fields_(std::move(fields)) {}

const v1::OptionDeclaration& Option::declaration() const {
  return field().options().GetExtension(v1::option);
}

const FieldDescriptor& Option::value_field() const {
  return field().is_map() ? *field().message_type()->map_value() : field();
}

std::string Option::path() const {
  std::string result;
  for (const FieldDescriptor* field : fields_) {
    if (!result.empty()) result += '.';
    result += field->name();
  }
  return result;
}

std::string Option::flag() const {
  if (!declaration().flag().empty()) return declaration().flag();
  std::string name = field().name();
  for (char& c : name)
    if (c == '_') c = '-';
  return name;
}

std::string Option::short_flag() const { return declaration().short_flag(); }

std::string Option::label() const {
  return declaration().label().empty() ? humanised(flag()) : declaration().label();
}

std::string Option::original_name() const {
  const std::string& label = declaration().label();
  return label == flag() || label == humanised(flag()) ? "" : label;
}

std::string Option::value_name() const {
  if (!declaration().value_name().empty()) return declaration().value_name();
  if (path_kind() != v1::PATH_KIND_UNSPECIFIED) return "FILE";
  if (is_map()) return "KEY=VALUE";
  switch (type()) {
    case ValueType::kBool:
      return "";
    case ValueType::kInteger:
    case ValueType::kNumber:
      return "N";
    case ValueType::kText:
      return "TEXT";
    case ValueType::kChain:
      return "FILTERS";
    case ValueType::kChoice:
      break;
  }
  std::string name = flag();
  for (char& c : name) c = c == '-' ? '_' : upper(c);
  return name;
}

ValueType Option::type() const {
  if (is_chain()) return ValueType::kChain;
  switch (value_field().cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return ValueType::kBool;
    case FieldDescriptor::CPPTYPE_ENUM:
      return ValueType::kChoice;
    case FieldDescriptor::CPPTYPE_STRING:
      return ValueType::kText;
    case FieldDescriptor::CPPTYPE_FLOAT:
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return ValueType::kNumber;
    default:
      return ValueType::kInteger;
  }
}

bool Option::is_map() const { return field().is_map(); }
bool Option::is_chain() const { return options::is_chain(field()); }
bool Option::is_repeated() const { return field().is_repeated() && !is_chain(); }

std::vector<Choice> Option::choices() const {
  return type() == ValueType::kChoice ? choices_of(value_field().enum_type()) : std::vector<Choice>();
}

double Option::minimum() const {
  return declaration().has_minimum() ? declaration().minimum() : bounds_of(value_field().cpp_type()).minimum;
}

double Option::maximum() const {
  return declaration().has_maximum() ? declaration().maximum() : bounds_of(value_field().cpp_type()).maximum;
}

bool Option::has_bounds() const { return declaration().has_minimum() || declaration().has_maximum(); }

std::string Option::range_text() const {
  const v1::OptionDeclaration& declared = declaration();
  if (declared.has_minimum() && declared.has_maximum())
    return fmt::format("{} to {}", declared.minimum(), declared.maximum());
  if (declared.has_minimum()) return fmt::format("at least {}", declared.minimum());
  if (declared.has_maximum()) return fmt::format("at most {}", declared.maximum());
  return "";
}

size_t Option::maximum_bytes() const {
  return declaration().maximum_bytes() > 0 ? declaration().maximum_bytes() : kDefaultMaximumBytes;
}

int Option::maximum_filters() const {
  return declaration().maximum_filters() > 0 ? int(declaration().maximum_filters()) : kMostFilters;
}

size_t Option::maximum_entries() const {
  return declaration().maximum_entries() > 0 ? declaration().maximum_entries() : size_t(kMaximumEntries);
}

size_t Option::maximum_key_bytes() const {
  return declaration().maximum_key_bytes() > 0 ? declaration().maximum_key_bytes() : maximum_bytes();
}

size_t Option::maximum_total_bytes() const {
  const uint32_t declared = declaration().maximum_total_bytes();
  return declared > 0 ? declared : std::numeric_limits<size_t>::max();
}

bool is_option(const FieldDescriptor& field) { return field.options().HasExtension(v1::option); }

std::vector<Option> options_of(const Descriptor* message) {
  std::vector<Option> result;
  std::vector<const FieldDescriptor*> way;
  collect(*message, way, result);
  return result;
}

std::optional<Option> find_option(const Descriptor* message, std::string_view flag) {
  for (Option& option : options_of(message))
    if (option.flag() == flag) return std::move(option);
  return std::nullopt;
}

std::optional<Option> find_labelled(const Descriptor* message, std::string_view label) {
  for (Option& option : options_of(message))
    if (!label.empty() && std::ranges::equal(option.declaration().label(), label, {}, lower, lower))
      return std::move(option);
  return std::nullopt;
}

std::vector<Choice> choices_of(const EnumDescriptor* type) {
  std::vector<Choice> result;
  for (int i = 0; i < type->value_count(); i++) {
    const EnumValueDescriptor& value = *type->value(i);
    if (value.number() == 0) continue;
    const v1::ChoiceDeclaration& declared = value.options().GetExtension(v1::choice);
    result.push_back({short_name(value),
                      declared.help(),
                      value.number(),
                      {declared.defaults().begin(), declared.defaults().end()}});
  }
  return result;
}

std::string Choice::text() const {
  if (defaults.empty()) return help;
  return fmt::format("{} Sets {}.", help, fmt::join(defaults, ", "));
}

std::string choice_name(const EnumDescriptor* type, int number) {
  const EnumValueDescriptor* value = type->FindValueByNumber(number);
  return value == nullptr ? std::to_string(number) : short_name(*value);
}

std::optional<int> choice_number(const EnumDescriptor* type, std::string_view name) {
  std::string wanted(name);
  for (char& c : wanted) c = c == '_' ? '-' : lower(c);
  for (const Choice& choice : choices_of(type))
    if (choice.name == wanted) return choice.number;
  return std::nullopt;
}

}  // namespace weft::options
