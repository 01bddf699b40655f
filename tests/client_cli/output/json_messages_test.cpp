// SPDX-License-Identifier: Apache-2.0
// Every message of the API as JSON and back. The JSON is read by protobuf's parser, and the message filled again by the rules that
// client_cli/output/json.h states.
#include <filesystem>

#include <absl/strings/escaping.h>
#include <gmock/gmock.h>
#include <google/protobuf/any.pb.h>
#include <google/protobuf/duration.pb.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/timestamp.pb.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>
#include <google/protobuf/util/time_util.h>

#include "client/json.h"
#include "client_cli/output/json.h"
#include "google/rpc/error_details.pb.h"
#include "weft/v1/device_service.pb.h"
#include "weft/v1/job_service.pb.h"
#include "weft/v1/picture_service.pb.h"
#include "weft/v1/server_service.pb.h"
#include "weft/v1/statistics_service.pb.h"
#include "weft/v1/stream_service.pb.h"

namespace weft::cli {
namespace {

namespace pb = google::protobuf;
using pb::FieldDescriptor;
using pb::Message;
using pb::util::TimeUtil;

constexpr int kDepth = 5;  // of messages inside each other

std::unique_ptr<Message> make(const pb::Descriptor* type) {
  return std::unique_ptr<Message>(pb::MessageFactory::generated_factory()->GetPrototype(type)->New());
}

// Sets every field to a value of its own; of a oneof the member `turn`.
class Filler {
 public:
  explicit Filler(int turn) : turn_(turn) {}

  void fill(Message& message, int depth) {
    if (fill_known_type(message)) return;
    const pb::Descriptor& type = *message.GetDescriptor();
    for (int i = 0; i < type.field_count(); i++) {
      const FieldDescriptor& field = *type.field(i);
      const pb::OneofDescriptor* choice = field.real_containing_oneof();
      if (choice != nullptr && choice->field(turn_ % choice->field_count()) != &field) continue;
      for (int entries = field.is_repeated() ? 2 : 1; entries > 0; entries--) set(message, field, depth);
    }
  }

 private:
  bool fill_known_type(Message& message) {
    count_++;
    if (auto* time = dynamic_cast<pb::Timestamp*>(&message))
      return *time = TimeUtil::MillisecondsToTimestamp(1790000000123 + count_), true;
    if (auto* duration = dynamic_cast<pb::Duration*>(&message))
      return *duration = TimeUtil::MillisecondsToDuration(1500 + 250 * count_), true;
    if (auto* any = dynamic_cast<pb::Any*>(&message)) {
      google::rpc::BadRequest inside;
      inside.add_field_violations()->set_field("spec.a");
      return any->PackFrom(inside), true;
    }
    return false;
  }

  void set(Message& message, const FieldDescriptor& field, int depth) {
    const pb::Reflection& to = *message.GetReflection();
    const auto put = [&](auto plain, auto repeated, auto value) {
      if (field.is_repeated())
        (to.*repeated)(&message, &field, value);
      else
        (to.*plain)(&message, &field, value);
    };
    using R = pb::Reflection;
    const int64_t number = ++count_;
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_BOOL:
        return put(&R::SetBool, &R::AddBool, true);
      case FieldDescriptor::CPPTYPE_ENUM:
        return put(&R::SetEnumValue, &R::AddEnumValue,
                   field.enum_type()->value(field.enum_type()->value_count() - 1)->number());
      case FieldDescriptor::CPPTYPE_STRING:
        return put(&R::SetString, &R::AddString, fmt::format("\"{}\\\n映\x01", number));
      case FieldDescriptor::CPPTYPE_FLOAT:
        return put(&R::SetFloat, &R::AddFloat, float(number) + 0.1f);
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return put(&R::SetDouble, &R::AddDouble, double(number) / 3);
      case FieldDescriptor::CPPTYPE_INT32:
        return put(&R::SetInt32, &R::AddInt32, int32_t(-number));
      case FieldDescriptor::CPPTYPE_INT64:
        return put(&R::SetInt64, &R::AddInt64, -(int64_t(1) << 50) - number);
      case FieldDescriptor::CPPTYPE_UINT32:
        return put(&R::SetUInt32, &R::AddUInt32, uint32_t((1u << 31) + number));
      case FieldDescriptor::CPPTYPE_UINT64:
        return put(&R::SetUInt64, &R::AddUInt64, (uint64_t(1) << 50) + uint64_t(number));
      case FieldDescriptor::CPPTYPE_MESSAGE:
        if (depth > 0)
          fill(field.is_repeated() ? *to.AddMessage(&message, &field) : *to.MutableMessage(&message, &field),
               depth - 1);
    }
  }

  const int turn_;
  int64_t count_ = 0;
};

// --- And back -------------------------------------------------------------------------------------------------------------------------------

void read(const pb::Value& json, Message& message);

// The value whose name ends with the short one: the shortest such name.
int number_of(const pb::EnumDescriptor& type, const std::string& brief) {
  std::string end = "_" + brief;
  for (char& c : end) c = c == '-' ? '_' : char(std::toupper(c));
  const pb::EnumValueDescriptor* found = nullptr;
  for (int i = 0; i < type.value_count(); i++)
    if (type.value(i)->name().ends_with(end) &&
        (found == nullptr || type.value(i)->name().size() < found->name().size()))
      found = type.value(i);
  return found == nullptr ? -1 : found->number();
}

// Into a plain field, or as a new entry of a repeated one.
void read_value(const pb::Value& json, Message& message, const FieldDescriptor& field) {
  const pb::Reflection& to = *message.GetReflection();
  const auto put = [&](auto plain, auto repeated, auto value) {
    if (field.is_repeated())
      (to.*repeated)(&message, &field, value);
    else
      (to.*plain)(&message, &field, value);
  };
  using R = pb::Reflection;
  std::string bytes;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return put(&R::SetBool, &R::AddBool, json.bool_value());
    case FieldDescriptor::CPPTYPE_ENUM:
      return put(&R::SetEnumValue, &R::AddEnumValue, number_of(*field.enum_type(), json.string_value()));
    case FieldDescriptor::CPPTYPE_STRING:
      if (field.type() == FieldDescriptor::TYPE_BYTES) absl::Base64Unescape(json.string_value(), &bytes);
      return put(&R::SetString, &R::AddString,
                 field.type() == FieldDescriptor::TYPE_BYTES ? bytes : json.string_value());
    case FieldDescriptor::CPPTYPE_FLOAT:
      return put(&R::SetFloat, &R::AddFloat, float(json.number_value()));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return put(&R::SetDouble, &R::AddDouble, json.number_value());
    case FieldDescriptor::CPPTYPE_INT32:
      return put(&R::SetInt32, &R::AddInt32, int32_t(json.number_value()));
    case FieldDescriptor::CPPTYPE_INT64:
      return put(&R::SetInt64, &R::AddInt64, int64_t(json.number_value()));
    case FieldDescriptor::CPPTYPE_UINT32:
      return put(&R::SetUInt32, &R::AddUInt32, uint32_t(json.number_value()));
    case FieldDescriptor::CPPTYPE_UINT64:
      return put(&R::SetUInt64, &R::AddUInt64, uint64_t(json.number_value()));
    case FieldDescriptor::CPPTYPE_MESSAGE:
      read(json,
           field.is_repeated() ? *to.AddMessage(&message, &field) : *to.MutableMessage(&message, &field));
  }
}

void read_map(const pb::Struct& json, Message& message, const FieldDescriptor& field) {
  for (const auto& [key, value] : json.fields()) {
    Message& entry = *message.GetReflection()->AddMessage(&message, &field);
    const FieldDescriptor& key_field = *field.message_type()->map_key();
    pb::Value key_value;
    if (key_field.cpp_type() == FieldDescriptor::CPPTYPE_STRING)
      key_value.set_string_value(key);
    else
      key_value.set_number_value(std::stod(key));
    read_value(key_value, entry, key_field);
    read_value(value, entry, *field.message_type()->map_value());
  }
}

void read(const pb::Value& json, Message& message) {
  if (auto* time = dynamic_cast<pb::Timestamp*>(&message)) {
    EXPECT_TRUE(TimeUtil::FromString(json.string_value(), time)) << json.string_value();
  } else if (auto* duration = dynamic_cast<pb::Duration*>(&message)) {
    *duration = TimeUtil::MillisecondsToDuration(std::llround(json.number_value() * 1000));
  } else if (auto* any = dynamic_cast<pb::Any*>(&message)) {
    pb::Value inside = json;
    const std::string url = inside.mutable_struct_value()->mutable_fields()->at("@type").string_value();
    inside.mutable_struct_value()->mutable_fields()->erase("@type");
    const auto packed =
        make(pb::DescriptorPool::generated_pool()->FindMessageTypeByName(url.substr(url.find('/') + 1)));
    read(inside, *packed);
    any->PackFrom(*packed);
  } else {
    for (const auto& [name, value] : json.struct_value().fields()) {
      const FieldDescriptor* field = message.GetDescriptor()->FindFieldByName(name);
      ASSERT_NE(field, nullptr) << name;
      if (field->is_map())
        read_map(value.struct_value(), message, *field);
      else if (field->is_repeated())
        for (const pb::Value& entry : value.list_value().values()) read_value(entry, message, *field);
      else
        read_value(value, message, *field);
    }
  }
}

// --- All of them ------------------------------------------------------------------------------------------------------------------------

std::vector<const pb::Descriptor*> messages_of_the_api() {
  std::vector<const pb::Descriptor*> types;
  for (const auto& file : std::filesystem::directory_iterator(WEFT_SOURCE_FOLDER "/proto/weft/v1")) {
    const std::string name = "weft/v1/" + file.path().filename().string();
    const pb::FileDescriptor* declared = pb::DescriptorPool::generated_pool()->FindFileByName(name);
    EXPECT_NE(declared, nullptr) << name;
    for (int i = 0; declared != nullptr && i < declared->message_type_count(); i++)
      types.push_back(declared->message_type(i));
  }
  return types;
}

int most_members_of_a_oneof(const std::vector<const pb::Descriptor*>& types) {
  int most = 1;
  for (const pb::Descriptor* type : types)
    for (int i = 0; i < type->real_oneof_decl_count(); i++)
      most = std::max(most, type->oneof_decl(i)->field_count());
  return most;
}

TEST(JsonMessages, EveryFieldOfEveryMessageComesBack) {
  const auto types = messages_of_the_api();
  EXPECT_GT(types.size(), 100u);
  for (int turn = 0, turns = most_members_of_a_oneof(types); turn < turns; turn++)
    for (const pb::Descriptor* type : types) {
      const auto message = make(type), back = make(type);
      Filler(turn).fill(*message, turn < 2 ? kDepth : 1);  // chains inside chains grow fast
      const std::string json = to_json(*message);
      pb::Value value;
      ASSERT_TRUE(pb::util::JsonStringToMessage(json, &value).ok()) << type->full_name() << "\n" << json;
      read(value, *back);
      EXPECT_TRUE(pb::util::MessageDifferencer::Equals(*message, *back)) << type->full_name() << "\n" << json;
    }
}

// What a profile is made of.
TEST(JsonMessages, RequestsForJobsAreReadBack) {
  const int kinds = v1::JobSpec::descriptor()->oneof_decl(0)->field_count();
  for (int turn = 0; turn < kinds; turn++) {
    v1::SubmitJobRequest request, back;
    Filler(turn).fill(request, kDepth);
    EXPECT_THAT(client::parse_json(to_json(request), back), IsOk());
    EXPECT_TRUE(pb::util::MessageDifferencer::Equals(request, back)) << to_json(request);
  }
}

}  // namespace
}  // namespace weft::cli
