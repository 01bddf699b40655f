// SPDX-License-Identifier: Apache-2.0
#include "options/values.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "options/chain.h"
#include "options/frame_pattern.h"
#include "options/media_position.h"
#include "options/quantity.h"
#include "options/synonyms.h"
#include "options/visit.h"
#include "options/words.h"

namespace weft::options {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// A parsed value of any type. Only the member of the field's type is valid.
struct Value {
  bool boolean = false;
  int64_t integer = 0;
  uint64_t natural = 0;  // uint32 and uint64
  double number = 0;
  int choice = 0;
  std::string text;
};

Status wrong_value(const Option& option, std::string_view text, std::string_view what) {
  return invalid_argument("The option '{}' ({}) {}", option.flag(), text, what);
}

std::vector<std::string> names_of(const std::vector<Choice>& choices) {
  std::vector<std::string> names;
  for (const Choice& choice : choices) names.push_back(choice.name);
  return names;
}

std::string with_range(const Option& option, std::string_view sentence) {
  const std::string range = option.range_text();
  if (range.empty()) return fmt::format("{}.", sentence);
  const std::string unit = option.unit().empty() ? "" : " " + option.unit();
  return fmt::format("{} ({}{}).", sentence, range, unit);
}

Status check_bounds(const Option& option, std::string_view text, double value) {
  if (value < option.minimum())
    return wrong_value(
        option, text,
        with_range(option, fmt::format("is below its limit ({}); give a larger value", option.minimum())));
  if (value > option.maximum())
    return wrong_value(
        option, text,
        with_range(option, fmt::format("is above its limit ({}); give a smaller value", option.maximum())));
  return ok_status();
}

// the largest value up to which a double holds every whole number
constexpr double kMostQuantity = 0x1p53;

template <class Number>
Status parse_number(const Option& option, std::string_view text, Number& value) {
  constexpr bool kWhole = std::is_integral_v<Number>;
  if (const auto quantity = quantity_in(option.unit(), text);
      quantity && std::abs(*quantity) <= kMostQuantity && (!kWhole || *quantity == std::floor(*quantity))) {
    RETURN_IF_ERROR(check_bounds(option, text, *quantity));
    value = Number(*quantity);
    return ok_status();
  }
  std::string_view digits = text;
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range)
    return wrong_value(option, text,
                       with_range(option, "is too large for a number here; give a smaller value"));
  const bool whole_text = error == std::errc() && end == digits.data() + digits.size();
  if (!whole_text || !std::isfinite(double(value)))
    return wrong_value(
        option, text,
        with_range(option, kWhole ? "is not a whole number; give one" : "is not a number; give one"));
  return check_bounds(option, text, double(value));
}

Status parse_bool(const Option& option, std::string_view text, bool& value) {
  static const std::vector<std::string> true_words = {"true", "yes", "on", "1"};
  static const std::vector<std::string> false_words = {"false", "no", "off", "0"};
  value = std::find(true_words.begin(), true_words.end(), text) != true_words.end();
  if (value || std::find(false_words.begin(), false_words.end(), text) != false_words.end())
    return ok_status();
  return wrong_value(option, text, "is neither true nor false; give one of the two.");
}

Status parse_choice(const Option& option, const FieldDescriptor& field, std::string_view text, int& value) {
  const std::optional<int> number = choice_number(field.enum_type(), text);
  if (!number) {
    const std::vector<std::string> names = names_of(choices_of(field.enum_type()));
    const Synonym* known = option.flag() == "encoder" ? find_synonym(Synonym::Kind::kEncoder, text) : nullptr;
    const std::string hint = known == nullptr ? did_you_mean(text, names)
                                              : fmt::format("; did you mean '{}'?{}{}", known->replacement,
                                                            known->note.empty() ? "" : " ", known->note);
    return wrong_value(
        option, text,
        fmt::format("is not one of the choices{} Use {}.", hint.empty() ? "." : hint, join_or(names)));
  }
  value = *number;
  return ok_status();
}

// Checks the form of a text option.
Status check_form(const Option& option, std::string_view text) {
  switch (option.declaration().form()) {
    case v1::TEXT_FORM_BEGIN:
    case v1::TEXT_FORM_END:
      return parse_position(text).status();
    case v1::TEXT_FORM_FRAME_RANGE:
      return parse_frame_range(text).status();
    default:
      return ok_status();
  }
}

Status parse_text(const Option& option, std::string_view text, std::string& value) {
  if (text.size() > option.maximum_bytes())
    return invalid_argument("The option '{}' is too long ({} bytes, at most {}); shorten it.", option.flag(),
                            text.size(), option.maximum_bytes());
  if (!is_utf8(text)) {
    std::string shown(text);
    std::ranges::replace_if(
        shown, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
    return invalid_argument(
        "The option '{}' ({}) is not valid UTF-8, which is all that can be sent; rename the file, or change "
        "the text.",
        option.flag(), shown);
  }
  if (text.find('\0') != std::string_view::npos)
    return invalid_argument("The option '{}' holds a NUL byte; remove it.", option.flag());
  value = text;
  return check_form(option, text);
}

StatusOr<Value> parse(const Option& option, const FieldDescriptor& field, std::string_view text) {
  Value value;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      RETURN_IF_ERROR(parse_bool(option, text, value.boolean));
      break;
    case FieldDescriptor::CPPTYPE_ENUM:
      RETURN_IF_ERROR(parse_choice(option, field, text, value.choice));
      break;
    case FieldDescriptor::CPPTYPE_STRING:
      RETURN_IF_ERROR(parse_text(option, text, value.text));
      break;
    case FieldDescriptor::CPPTYPE_FLOAT:
    case FieldDescriptor::CPPTYPE_DOUBLE:
      RETURN_IF_ERROR(parse_number(option, text, value.number));
      break;
    case FieldDescriptor::CPPTYPE_UINT32:
    case FieldDescriptor::CPPTYPE_UINT64:
      RETURN_IF_ERROR(parse_number(option, text, value.natural));
      break;
    case FieldDescriptor::CPPTYPE_INT32:
    case FieldDescriptor::CPPTYPE_INT64:
      RETURN_IF_ERROR(parse_number(option, text, value.integer));
      break;
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return internal_error("The option '{}' is a message, which has no text form.", option.flag());
  }
  return value;
}

// Stores the value in a plain field (`add` is false) or as a new entry of a repeated field.
void store(Message& message, const FieldDescriptor& field, const Value& value, bool add) {
  const Reflection& reflection = *message.GetReflection();
  const auto put = [&](auto set, auto append, auto converted) {
    if (add)
      (reflection.*append)(&message, &field, converted);
    else
      (reflection.*set)(&message, &field, converted);
  };
  using R = Reflection;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return put(&R::SetBool, &R::AddBool, value.boolean);
    case FieldDescriptor::CPPTYPE_ENUM:
      return put(&R::SetEnumValue, &R::AddEnumValue, value.choice);
    case FieldDescriptor::CPPTYPE_STRING:
      return put(&R::SetString, &R::AddString, value.text);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return put(&R::SetFloat, &R::AddFloat, float(value.number));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return put(&R::SetDouble, &R::AddDouble, value.number);
    case FieldDescriptor::CPPTYPE_INT32:
      return put(&R::SetInt32, &R::AddInt32, int32_t(value.integer));
    case FieldDescriptor::CPPTYPE_INT64:
      return put(&R::SetInt64, &R::AddInt64, value.integer);
    case FieldDescriptor::CPPTYPE_UINT32:
      return put(&R::SetUInt32, &R::AddUInt32, uint32_t(value.natural));
    case FieldDescriptor::CPPTYPE_UINT64:
      return put(&R::SetUInt64, &R::AddUInt64, value.natural);
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return;  // parse() rejects this type
  }
}

Status check_capacity(const Message& holder, const Option& option) {
  if (holder.GetReflection()->FieldSize(holder, &option.field()) < int(option.maximum_entries()))
    return ok_status();
  return invalid_argument("The option '{}' is given too often (at most {} times); give it less often.",
                          option.flag(), option.maximum_entries());
}

Status set_map_entry(Message& holder, const Option& option, std::string_view text) {
  const FieldDescriptor& field = option.field();
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    return wrong_value(option, text,
                       "is not of the form KEY=VALUE; give a name, an equals sign and a value.");
  if (equals > option.maximum_key_bytes())
    return invalid_argument("The key of the option '{}' is too long ({} bytes, at most {}); shorten it.",
                            option.flag(), equals, option.maximum_key_bytes());
  const FieldDescriptor& key_field = *field.message_type()->map_key();
  const FieldDescriptor& value_field = *field.message_type()->map_value();
  ASSIGN_OR_RETURN(const Value key, parse(option, key_field, text.substr(0, equals)));
  ASSIGN_OR_RETURN(const Value value, parse(option, value_field, text.substr(equals + 1)));
  const Reflection& reflection = *holder.GetReflection();
  for (int i = 0; i < reflection.FieldSize(holder, &field); i++) {
    Message& entry = *reflection.MutableRepeatedMessage(&holder, &field, i);
    if (scalar_text(entry, key_field, -1) != text.substr(0, equals)) continue;
    store(entry, value_field, value, false);
    return ok_status();
  }
  RETURN_IF_ERROR(check_capacity(holder, option));
  Message& entry = *reflection.AddMessage(&holder, &field);
  store(entry, key_field, key, false);
  store(entry, value_field, value, false);
  return ok_status();
}

Status check_chain_size(const Message& holder, const Option& option) {
  const ChainSize size = size_of_chain(holder, option.field());
  if (size.filters <= option.maximum_filters()) return ok_status();
  return invalid_argument("The option '{}' has too many filters ({}, at most {}); use fewer.", option.flag(),
                          size.filters, option.maximum_filters());
}

Status set_chain(Message& holder, const Option& option, std::string_view text) {
  const std::unique_ptr<Message> scratch(holder.New());
  RETURN_IF_ERROR(parse_chain(text, *scratch, option.field()));
  RETURN_IF_ERROR(check_chain_size(*scratch, option));
  holder.GetReflection()->SwapFields(&holder, scratch.get(), {&option.field()});
  return ok_status();
}

bool field_is_set(const Message& holder, const FieldDescriptor& field) {
  const Reflection& reflection = *holder.GetReflection();
  if (field.is_repeated()) return reflection.FieldSize(holder, &field) > 0;
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM) return reflection.GetEnumValue(holder, &field) != 0;
  return reflection.HasField(holder, &field);
}

}  // namespace

std::string scalar_text(const Message& message, const FieldDescriptor& field, int index) {
  const Reflection& reflection = *message.GetReflection();
  const auto get = [&](auto plain, auto repeated) {
    return index < 0 ? (reflection.*plain)(message, &field) : (reflection.*repeated)(message, &field, index);
  };
  using R = Reflection;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return get(&R::GetBool, &R::GetRepeatedBool) ? "true" : "false";
    case FieldDescriptor::CPPTYPE_ENUM:
      return choice_name(field.enum_type(), get(&R::GetEnumValue, &R::GetRepeatedEnumValue));
    case FieldDescriptor::CPPTYPE_STRING:
      return get(&R::GetString, &R::GetRepeatedString);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return fmt::format("{}", get(&R::GetFloat, &R::GetRepeatedFloat));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return fmt::format("{}", get(&R::GetDouble, &R::GetRepeatedDouble));
    case FieldDescriptor::CPPTYPE_INT32:
      return fmt::format("{}", get(&R::GetInt32, &R::GetRepeatedInt32));
    case FieldDescriptor::CPPTYPE_INT64:
      return fmt::format("{}", get(&R::GetInt64, &R::GetRepeatedInt64));
    case FieldDescriptor::CPPTYPE_UINT32:
      return fmt::format("{}", get(&R::GetUInt32, &R::GetRepeatedUInt32));
    case FieldDescriptor::CPPTYPE_UINT64:
      return fmt::format("{}", get(&R::GetUInt64, &R::GetRepeatedUInt64));
    case FieldDescriptor::CPPTYPE_MESSAGE:
      break;
  }
  return "";
}

Message& holder_of(Message& message, const Option& option) {
  Message* holder = &message;
  for (size_t i = 0; i + 1 < option.fields().size(); i++)
    holder = holder->GetReflection()->MutableMessage(holder, option.fields()[i]);
  return *holder;
}

const Message& holder_of(const Message& message, const Option& option) {
  const Message* holder = &message;
  for (size_t i = 0; i + 1 < option.fields().size(); i++)
    holder = &holder->GetReflection()->GetMessage(*holder, option.fields()[i]);
  return *holder;
}

Status set_from_text(Message& message, const Option& option, std::string_view text) {
  const FieldDescriptor& field = option.field();
  if (option.is_map()) return set_map_entry(holder_of(message, option), option, text);
  if (option.is_chain()) return set_chain(holder_of(message, option), option, text);
  ASSIGN_OR_RETURN(const Value value, parse(option, field, text));
  Message& holder = holder_of(message, option);
  if (option.is_repeated()) RETURN_IF_ERROR(check_capacity(holder, option));
  store(holder, field, value, option.is_repeated());
  return ok_status();
}

std::vector<std::string> format_values(const Message& message, const Option& option) {
  const FieldDescriptor& field = option.field();
  const Message& holder = holder_of(message, option);
  const Reflection& reflection = *holder.GetReflection();
  if (!field_is_set(holder, field)) return {};
  if (option.is_chain()) return {print_chain(holder, field)};
  if (!option.is_repeated()) return {scalar_text(holder, field, -1)};
  std::vector<std::string> result;
  for (int i = 0; i < reflection.FieldSize(holder, &field); i++) {
    if (option.is_map()) {
      const Message& entry = reflection.GetRepeatedMessage(holder, &field, i);
      result.push_back(fmt::format("{}={}", scalar_text(entry, *field.message_type()->map_key(), -1),
                                   scalar_text(entry, *field.message_type()->map_value(), -1)));
    } else {
      result.push_back(scalar_text(holder, field, i));
    }
  }
  if (option.is_map()) std::sort(result.begin(), result.end());
  return result;
}

std::string format_value(const Message& message, const Option& option) {
  std::string result;
  for (const std::string& value : format_values(message, option))
    result += (result.empty() ? "" : ", ") + value;
  return result;
}

bool is_set(const Message& message, const Option& option) {
  return field_is_set(holder_of(message, option), option.field());
}

void clear(Message& message, const Option& option) {
  Message& holder = holder_of(message, option);
  holder.GetReflection()->ClearField(&holder, &option.field());
}

std::vector<std::string> paths_of(const Message& message, v1::PathKind kind) {
  std::vector<std::string> result;
  visit_options(message, "", [&](const Message& holder, const Option& option, const std::string&) {
    if (option.path_kind() != kind) return;
    for (std::string& path : format_values(holder, option)) result.push_back(std::move(path));
  });
  return result;
}

}  // namespace weft::options
