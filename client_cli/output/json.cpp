// SPDX-License-Identifier: Apache-2.0
#include "client_cli/output/json.h"

#include <map>
#include <memory>

#include <absl/strings/escaping.h>
#include <google/protobuf/any.pb.h>
#include <google/protobuf/duration.pb.h>
#include <google/protobuf/timestamp.pb.h>

#include "client_cli/output/text.h"
#include "options/option.h"
#include "options/validate.h"
#include "options/values.h"

namespace weft::cli {
namespace {

using google::protobuf::Any;
using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

class Writer {
 public:
  std::string write(const Message& message) {
    write_message(message);
    return std::move(text_);
  }

 private:
  void write_message(const Message& message) {
    const Descriptor* type = message.GetDescriptor();
    if (type == google::protobuf::Timestamp::descriptor())
      text_ += json_text(format_rfc3339(static_cast<const google::protobuf::Timestamp&>(message)));
    else if (type == google::protobuf::Duration::descriptor())
      text_ += fmt::format("{}", seconds_of(static_cast<const google::protobuf::Duration&>(message)));
    else if (type == Any::descriptor())
      write_any(static_cast<const Any&>(message));
    else
      write_fields(message, true);
  }

  // `first`: no member stands in the object yet.
  void write_fields(const Message& message, bool first) {
    if (first) text_ += '{';
    const Reflection& reflection = *message.GetReflection();
    for (int i = 0; i < message.GetDescriptor()->field_count(); i++) {
      const FieldDescriptor& field = *message.GetDescriptor()->field(i);
      if (is_left_out(message, reflection, field)) continue;
      if (!first) text_ += ", ";
      first = false;
      text_ += json_text(field.name()) + ": ";
      if (field.is_map())
        write_map(message, field);
      else if (field.is_repeated())
        write_list(message, field);
      else
        write_value(message, field, -1);
    }
    text_ += '}';
  }

  static bool is_left_out(const Message& message, const Reflection& reflection,
                          const FieldDescriptor& field) {
    if (field.is_repeated()) return false;
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM)
      return reflection.GetEnumValue(message, &field) == 0;
    return field.has_presence() && !reflection.HasField(message, &field);
  }

  void write_map(const Message& message, const FieldDescriptor& field) {
    const Reflection& reflection = *message.GetReflection();
    std::map<std::string, const Message*> entries;  // sorted, so that equal messages give equal text
    for (int i = 0; i < reflection.FieldSize(message, &field); i++) {
      const Message& entry = reflection.GetRepeatedMessage(message, &field, i);
      entries[options::scalar_text(entry, *field.message_type()->map_key())] = &entry;
    }
    text_ += '{';
    bool first = true;
    for (const auto& [key, entry] : entries) {
      if (!first) text_ += ", ";
      first = false;
      text_ += json_text(key) + ": ";
      write_value(*entry, *field.message_type()->map_value(), -1);
    }
    text_ += '}';
  }

  void write_list(const Message& message, const FieldDescriptor& field) {
    text_ += '[';
    for (int i = 0; i < message.GetReflection()->FieldSize(message, &field); i++) {
      if (i > 0) text_ += ", ";
      write_value(message, field, i);
    }
    text_ += ']';
  }

  // Entry `index` of a list, or a plain field (-1).
  void write_value(const Message& message, const FieldDescriptor& field, int index) {
    const Reflection& reflection = *message.GetReflection();
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE)
      return write_message(index < 0 ? reflection.GetMessage(message, &field)
                                     : reflection.GetRepeatedMessage(message, &field, index));
    const std::string text = options::scalar_text(message, field, index);
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_STRING:
        text_ += json_text(field.type() == FieldDescriptor::TYPE_BYTES ? absl::Base64Escape(text) : text);
        break;
      case FieldDescriptor::CPPTYPE_ENUM:
        text_ += json_text(text);
        break;
      case FieldDescriptor::CPPTYPE_FLOAT:
      case FieldDescriptor::CPPTYPE_DOUBLE:
        text_ += text.find_first_of("in") == std::string::npos ? text : "null";  // inf, nan
        break;
      default:
        text_ += text;
    }
  }

  // An error's details: with the fields of the types that this program knows.
  void write_any(const Any& any) {
    text_ += fmt::format("{{\"@type\": {}", json_text(any.type_url()));
    const std::string name = any.type_url().substr(any.type_url().rfind('/') + 1);
    const Descriptor* type = google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(name);
    const Message* prototype =
        type == nullptr ? nullptr : google::protobuf::MessageFactory::generated_factory()->GetPrototype(type);
    const std::unique_ptr<Message> inside(prototype == nullptr ? nullptr : prototype->New());
    if (inside != nullptr && inside->ParseFromString(any.value()))
      write_fields(*inside, false);
    else
      text_ += '}';
  }

  std::string text_;
};

}  // namespace

std::string to_json(const Message& message) { return Writer().write(message); }

std::string json_text(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
        result += "\\\"";
        break;
      case '\\':
        result += "\\\\";
        break;
      case '\n':
        result += "\\n";
        break;
      case '\r':
        result += "\\r";
        break;
      case '\t':
        result += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
          result += fmt::format("\\u{:04x}", int(c));
        else
          result += c;
    }
  }
  return result + '"';
}

std::string to_json(const Status& error) {
  std::string violations;
  for (const options::Violation& violation : options::violations_of(error))
    violations += fmt::format("{}{{\"field\": {}, \"description\": {}}}", violations.empty() ? "" : ", ",
                              json_text(violation.field), json_text(violation.description));
  std::string code = absl::StatusCodeToString(error.code());
  for (char& c : code) c = c == '_' ? '-' : char(std::tolower(c));
  return fmt::format("{{\"error\": {{\"code\": {}, \"message\": {}, \"violations\": [{}]}}}}",
                     json_text(code), json_text(message_of(error)), violations);
}

}  // namespace weft::cli
