// SPDX-License-Identifier: Apache-2.0
// Parses the JSON of client/json.h.
#include <charconv>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include <absl/strings/escaping.h>
#include <google/protobuf/any.pb.h>
#include <google/protobuf/duration.pb.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/timestamp.pb.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/time_util.h>

#include "base/printable.h"
#include "client/json.h"
#include "client/json_form.h"
#include "options/option.h"
#include "options/words.h"

namespace weft::client {
namespace {

namespace pb = google::protobuf;
using pb::FieldDescriptor;
using pb::Message;
using pb::Reflection;

constexpr const char* kUrlPrefix = "type.googleapis.com/";

std::string shown(const pb::Value& value) {
  constexpr size_t kLongest = 60;
  switch (value.kind_case()) {
    case pb::Value::kStringValue:
      return json_string(value.string_value().substr(0, kLongest));
    case pb::Value::kNumberValue:
      return fmt::format("{}", value.number_value());
    case pb::Value::kBoolValue:
      return value.bool_value() ? "true" : "false";
    case pb::Value::kStructValue:
      return "an object";
    case pb::Value::kListValue:
      return "a list";
    default:
      return "null";
  }
}

Status is_not(const std::string& path, const pb::Value& value, std::string_view what) {
  return invalid_argument("The field '{}' ({}) is not {}.", path, shown(value), what);
}

// Parses a number, also from a string.
template <class Number>
std::optional<Number> number_of(const pb::Value& json) {
  Number number = 0;
  const std::string& text = json.string_value();
  if (json.kind_case() == pb::Value::kStringValue) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
  }
  const double value = json.number_value();
  if (json.kind_case() != pb::Value::kNumberValue) return std::nullopt;
  if constexpr (std::is_floating_point_v<Number>) return Number(value);
  using Limits = std::numeric_limits<Number>;
  const double beyond = std::ldexp(1.0, Limits::digits);
  if (value != std::trunc(value) || value < double(Limits::min()) || value >= beyond) return std::nullopt;
  return Number(value);
}

// Returns the number of a choice. A name may consist of digits ("420"); other digits are the number
// of an unknown choice.
std::optional<int> choice_of(const pb::EnumDescriptor* type, const pb::Value& json) {
  if (const auto number = options::choice_number(type, json.string_value())) return number;
  const pb::EnumValueDescriptor* value = type->FindValueByName(json.string_value());
  return value == nullptr ? number_of<int>(json) : std::optional(value->number());
}

std::optional<int> code_of(const pb::Value& json) {
  for (int code = 0; code <= kLastCode; code++)
    if (json.string_value() == code_name(code)) return code;
  return number_of<int>(json);
}

class Reader {
 public:
  explicit Reader(UnknownFields unknown) : unknown_(unknown) {}

  Status read(const pb::Value& json, Message& message, const std::string& path) {
    if (auto* time = dynamic_cast<pb::Timestamp*>(&message))
      return pb::util::TimeUtil::FromString(json.string_value(), time)
                 ? ok_status()
                 : is_not(path, json, "a time as 2026-11-03T12:00:00Z");
    if (auto* duration = dynamic_cast<pb::Duration*>(&message)) return read_duration(json, *duration, path);
    if (!json.has_struct_value()) return is_not(path, json, "an object");
    if (auto* any = dynamic_cast<pb::Any*>(&message)) return read_any(json.struct_value(), *any, path);
    return read_fields(json.struct_value(), message, path);
  }

  Status read_fields(const pb::Struct& json, Message& message, const std::string& path) {
    for (const auto& [name, value] : json.fields()) {
      const pb::Descriptor& type = *message.GetDescriptor();
      const FieldDescriptor* field = type.FindFieldByName(name);
      if (field == nullptr) field = type.FindFieldByCamelcaseName(name);
      const std::string inside = path.empty() ? name : path + "." + name;
      if (field != nullptr)
        RETURN_IF_ERROR(read_field(value, message, *field, inside));
      else if (unknown_ == UnknownFields::kRefuse)
        return no_field(type, name, inside);
    }
    return ok_status();
  }

 private:
  static Status no_field(const pb::Descriptor& type, const std::string& name, const std::string& path) {
    std::vector<std::string> names;
    for (int i = 0; i < type.field_count(); i++) names.push_back(type.field(i)->name());
    const std::string hint = options::did_you_mean(name, names);
    return invalid_argument("There is no field '{}'{}", path, hint.empty() ? "." : hint);
  }

  static Status read_duration(const pb::Value& json, pb::Duration& duration, const std::string& path) {
    constexpr double kLongest = 1e11;  // seconds; less than protobuf's limit of 10,000 years
    const auto seconds = number_of<double>(json);
    if (!seconds && pb::util::TimeUtil::FromString(json.string_value(), &duration)) return ok_status();
    if (!seconds || !(std::abs(*seconds) < kLongest)) return is_not(path, json, "a duration in seconds");
    const double whole = std::trunc(*seconds);
    duration = pb::util::TimeUtil::SecondsToDuration(int64_t(whole)) +
               pb::util::TimeUtil::NanosecondsToDuration(std::llround((*seconds - whole) * 1e9));
    return ok_status();
  }

  Status read_any(pb::Struct json, pb::Any& any, const std::string& path) {
    const pb::Value type_value =
        json.fields().count(kTypeField) == 0 ? pb::Value() : json.fields().at(kTypeField);
    const std::string& url = type_value.string_value();
    const std::string type = url.substr(url.rfind('/') + 1);
    if (type.empty()) return is_not(path + "." + kTypeField, type_value, "the name of a type");
    json.mutable_fields()->erase(kTypeField);
    any.set_type_url(kUrlPrefix + type);
    const auto inside = make_message(type);
    if (inside != nullptr) {
      RETURN_IF_ERROR(read_fields(json, *inside, path));
      any.set_value(inside->SerializeAsString());
    } else if (const auto bytes = json.fields().find(kBytesField);
               bytes != json.fields().end() &&
               !absl::Base64Unescape(bytes->second.string_value(), any.mutable_value())) {
      return is_not(path + "." + kBytesField, bytes->second, "base64");
    }
    return ok_status();
  }

  Status read_field(const pb::Value& json, Message& message, const FieldDescriptor& field,
                    const std::string& path) {
    if (json.kind_case() == pb::Value::kNullValue) return ok_status();
    if (field.is_map()) {
      if (!json.has_struct_value()) return is_not(path, json, "an object");
      for (const auto& [key, value] : json.struct_value().fields()) {
        Message& entry = *message.GetReflection()->AddMessage(&message, &field);
        pb::Value key_value;
        key_value.set_string_value(key);
        RETURN_IF_ERROR(read_value(key_value, entry, *field.message_type()->map_key(), path + "." + key));
        RETURN_IF_ERROR(read_value(value, entry, *field.message_type()->map_value(), path + "." + key));
      }
      return ok_status();
    }
    if (!field.is_repeated()) return read_value(json, message, field, path);
    if (!json.has_list_value()) return is_not(path, json, "a list");
    for (int i = 0; i < json.list_value().values_size(); i++)
      RETURN_IF_ERROR(
          read_value(json.list_value().values(i), message, field, fmt::format("{}[{}]", path, i)));
    return ok_status();
  }

  // Parses a value into a field that is no list, or into a new entry of a list.
  Status read_value(const pb::Value& json, Message& message, const FieldDescriptor& field,
                    const std::string& path) {
    const Reflection& to = *message.GetReflection();
    const auto put = [&](auto set, auto add, const auto& value, std::string_view what) {
      if (!value) return is_not(path, json, what);
      if (field.is_repeated())
        (to.*add)(&message, &field, *value);
      else
        (to.*set)(&message, &field, *value);
      return ok_status();
    };
    using R = Reflection;
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_BOOL:
        return put(&R::SetBool, &R::AddBool, bool_of(json), "true or false");
      case FieldDescriptor::CPPTYPE_ENUM:
        return put(&R::SetEnumValue, &R::AddEnumValue, known_choice(*field.enum_type(), json),
                   choices_text(*field.enum_type()));
      case FieldDescriptor::CPPTYPE_STRING:
        return put(&R::SetString, &R::AddString, text_of(json, field), "a text");
      case FieldDescriptor::CPPTYPE_FLOAT:
        return put(&R::SetFloat, &R::AddFloat, number_of<float>(json), "a number");
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return put(&R::SetDouble, &R::AddDouble, number_of<double>(json), "a number");
      case FieldDescriptor::CPPTYPE_INT32:
        return put(&R::SetInt32, &R::AddInt32, is_code(field) ? code_of(json) : number_of<int32_t>(json),
                   is_code(field) ? "the code of an error" : "a whole number of 32 bits");
      case FieldDescriptor::CPPTYPE_INT64:
        return put(&R::SetInt64, &R::AddInt64, number_of<int64_t>(json), "a whole number of 64 bits");
      case FieldDescriptor::CPPTYPE_UINT32:
        return put(&R::SetUInt32, &R::AddUInt32, number_of<uint32_t>(json), "a natural number of 32 bits");
      case FieldDescriptor::CPPTYPE_UINT64:
        return put(&R::SetUInt64, &R::AddUInt64, number_of<uint64_t>(json), "a natural number of 64 bits");
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return read(
            json,
            field.is_repeated() ? *to.AddMessage(&message, &field) : *to.MutableMessage(&message, &field),
            path);
    }
    return ok_status();
  }

  // Returns the value of a boolean. In JSON the keys of maps are strings, also those with boolean
  // values.
  static std::optional<bool> bool_of(const pb::Value& json) {
    if (json.kind_case() == pb::Value::kBoolValue) return json.bool_value();
    if (json.string_value() == "true") return true;
    return json.string_value() == "false" ? std::optional(false) : std::nullopt;
  }

  static std::optional<std::string> text_of(const pb::Value& json, const FieldDescriptor& field) {
    if (json.kind_case() != pb::Value::kStringValue) return std::nullopt;
    std::string bytes;
    if (field.type() != FieldDescriptor::TYPE_BYTES) return json.string_value();
    return absl::Base64Unescape(json.string_value(), &bytes) ? std::optional(bytes) : std::nullopt;
  }

  std::optional<int> known_choice(const pb::EnumDescriptor& type, const pb::Value& json) const {
    if (json.kind_case() == pb::Value::kNullValue) return 0;
    const auto choice = choice_of(&type, json);
    return !choice && unknown_ == UnknownFields::kIgnore ? std::optional(0) : choice;
  }

  static std::string choices_text(const pb::EnumDescriptor& type) {
    std::vector<std::string> names;
    for (const options::Choice& choice : options::choices_of(&type)) names.push_back(choice.name);
    return "one of the choices: " + options::join_or(names);
  }

  const UnknownFields unknown_;
};

Status check_schema(pb::Struct& json) {
  const auto found = json.fields().find(kSchemaField);
  if (found == json.fields().end()) return ok_status();
  const auto schema = number_of<int>(found->second);
  if (!schema) return is_not(kSchemaField, found->second, "a whole number");
  if (*schema > kJsonSchema)
    return invalid_argument(
        "The JSON has a later schema ({}) than this program reads ({}); read it with a newer Weft.", *schema,
        kJsonSchema);
  json.mutable_fields()->erase(kSchemaField);
  return ok_status();
}

}  // namespace

Status parse_json(std::string_view text, Message& message, UnknownFields unknown) {
  pb::Struct json;
  const auto parsed = pb::util::JsonStringToMessage({text.data(), text.size()}, &json);
  if (!parsed.ok())
    return invalid_argument("The text is not a JSON object: {}", parsed.message().as_string());
  RETURN_IF_ERROR(check_schema(json));
  const std::unique_ptr<Message> read(message.New());
  RETURN_IF_ERROR(Reader(unknown).read_fields(json, *read, ""));
  message.GetReflection()->Swap(&message, read.get());
  return ok_status();
}

}  // namespace weft::client
