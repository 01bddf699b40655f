// SPDX-License-Identifier: Apache-2.0
#include "client/json.h"

#include <cmath>
#include <map>
#include <utility>

#include <absl/strings/escaping.h>
#include <google/protobuf/any.pb.h>
#include <google/protobuf/duration.pb.h>
#include <google/protobuf/timestamp.pb.h>
#include <google/protobuf/util/time_util.h>

#include "base/printable.h"
#include "client/json_form.h"
#include "options/values.h"

namespace weft::client {
namespace {

namespace pb = google::protobuf;
using pb::FieldDescriptor;
using pb::Message;
using pb::Reflection;

constexpr double kFirstInexact = 9007199254740992;  // 2^53

std::string seconds_text(const pb::Duration& duration) {
  const bool is_negative = duration.seconds() < 0 || duration.nanos() < 0;
  std::string text = fmt::format("{}{}", is_negative ? "-" : "", std::abs(duration.seconds()));
  if (duration.nanos() == 0) return text;
  text += fmt::format(".{:09}", std::abs(duration.nanos()));
  return text.substr(0, text.find_last_not_of('0') + 1);
}

enum class Layout { kLine, kFile };

class Writer {
 public:
  explicit Writer(Layout layout) : layout_(layout) {}

  std::string write(const Message& message, bool with_schema) {
    begin('{');
    if (with_schema) {
      add_name(kSchemaField);
      text_ += std::to_string(kJsonSchema);
    }
    write_fields(message);
    end('}');
    return std::move(text_);
  }

 private:
  // --- Brackets, commas and line breaks

  void begin(char bracket) {
    text_ += bracket;
    depth_++;
    is_first_ = true;
  }
  void next() {
    if (!std::exchange(is_first_, false)) text_ += layout_ == Layout::kFile ? "," : ", ";
    break_line();
  }
  void end(char bracket) {
    depth_--;
    if (!std::exchange(is_first_, false)) break_line();
    text_ += bracket;
  }
  void break_line() {
    if (layout_ == Layout::kFile) text_ += "\n" + std::string(depth_, ' ');
  }
  void add_name(std::string_view name) {
    next();
    text_ += json_string(name) + ": ";
  }

  // --- Messages

  void write_message(const Message& message) {
    if (const auto* time = dynamic_cast<const pb::Timestamp*>(&message)) {
      text_ += json_string(pb::util::TimeUtil::ToString(*time));
      return;
    }
    if (const auto* duration = dynamic_cast<const pb::Duration*>(&message)) {
      text_ += seconds_text(*duration);
      return;
    }
    begin('{');
    if (const auto* any = dynamic_cast<const pb::Any*>(&message))
      write_any(*any);
    else
      write_fields(message);
    end('}');
  }

  // Writes the detail of an error: the fields of its message if this program has the type, else the
  // bytes.
  void write_any(const pb::Any& any) {
    const std::string type = any.type_url().substr(any.type_url().rfind('/') + 1);
    add_name(kTypeField);
    text_ += json_string(type);
    const auto inside = make_message(type);
    if (inside != nullptr && inside->ParseFromString(any.value())) return write_fields(*inside);
    add_name(kBytesField);
    text_ += json_string(absl::Base64Escape(any.value()));
  }

  void write_fields(const Message& message) {
    for (int i = 0; i < message.GetDescriptor()->field_count(); i++) {
      const FieldDescriptor& field = *message.GetDescriptor()->field(i);
      if (is_absent(message, field)) continue;
      add_name(field.name());
      if (field.is_map())
        write_map(message, field);
      else if (field.is_repeated())
        write_list(message, field);
      else
        write_value(message, field, -1);
    }
  }

  bool is_absent(const Message& message, const FieldDescriptor& field) const {
    if (layout_ == Layout::kLine && field.real_containing_oneof() == nullptr) return false;
    const Reflection& of = *message.GetReflection();
    return field.is_repeated() ? of.FieldSize(message, &field) == 0 : !of.HasField(message, &field);
  }

  void write_map(const Message& message, const FieldDescriptor& field) {
    const Reflection& reflection = *message.GetReflection();
    // sorted, so that equal messages have equal texts
    std::map<std::string, const Message*> entries;
    for (int i = 0; i < reflection.FieldSize(message, &field); i++) {
      const Message& entry = reflection.GetRepeatedMessage(message, &field, i);
      entries[options::scalar_text(entry, *field.message_type()->map_key())] = &entry;
    }
    begin('{');
    for (const auto& [key, entry] : entries) {
      add_name(key);
      write_value(*entry, *field.message_type()->map_value(), -1);
    }
    end('}');
  }

  void write_list(const Message& message, const FieldDescriptor& field) {
    begin('[');
    for (int i = 0; i < message.GetReflection()->FieldSize(message, &field); i++) {
      next();
      write_value(message, field, i);
    }
    end(']');
  }

  // Writes entry `index` of a list, or a field that is no list (-1).
  void write_value(const Message& message, const FieldDescriptor& field, int index) {
    const Reflection& of = *message.GetReflection();
    const bool is_unset = index < 0 && field.has_presence() && !of.HasField(message, &field);
    if (is_unset)
      text_ += "null";
    else if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE)
      write_message(index < 0 ? of.GetMessage(message, &field)
                              : of.GetRepeatedMessage(message, &field, index));
    else
      write_scalar(field, options::scalar_text(message, field, index),
                   field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM &&
                       (index < 0 ? of.GetEnumValue(message, &field)
                                  : of.GetRepeatedEnumValue(message, &field, index)) == 0);
  }

  void write_scalar(const FieldDescriptor& field, const std::string& text, bool is_no_choice) {
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_STRING:
        text_ += json_string(field.type() == FieldDescriptor::TYPE_BYTES ? absl::Base64Escape(text) : text);
        break;
      case FieldDescriptor::CPPTYPE_ENUM:
        text_ += is_no_choice ? "null" : json_string(text);
        break;
      case FieldDescriptor::CPPTYPE_FLOAT:
      case FieldDescriptor::CPPTYPE_DOUBLE:
        // infinity and NaN become null
        text_ += text.find_first_of("in") == std::string::npos ? text : "null";
        break;
      case FieldDescriptor::CPPTYPE_INT64:
      case FieldDescriptor::CPPTYPE_UINT64:
        text_ += std::abs(std::strtod(text.c_str(), nullptr)) < kFirstInexact ? text : json_string(text);
        break;
      default:
        text_ += is_code(field) ? json_string(code_name(std::stoi(text))) : text;
    }
  }

  const Layout layout_;
  std::string text_;
  size_t depth_ = 0;
  bool is_first_ = true;
};

}  // namespace

std::unique_ptr<Message> make_message(const std::string& type) {
  const pb::Descriptor* known = pb::DescriptorPool::generated_pool()->FindMessageTypeByName(type);
  const Message* prototype =
      known == nullptr ? nullptr : pb::MessageFactory::generated_factory()->GetPrototype(known);
  return std::unique_ptr<Message>(prototype == nullptr ? nullptr : prototype->New());
}

std::string to_json(const Message& message) { return Writer(Layout::kLine).write(message, false); }

std::string to_json_answer(const Message& message) { return Writer(Layout::kLine).write(message, true); }

std::string to_json_file(const Message& message) { return Writer(Layout::kFile).write(message, true) + "\n"; }

std::string code_name(int code) {
  if (code < 0 || code > kLastCode) return std::to_string(code);
  std::string name = absl::StatusCodeToString(StatusCode(code));
  for (char& c : name) c = c == '_' ? '-' : char(std::tolower(c));
  return name;
}

}  // namespace weft::client
