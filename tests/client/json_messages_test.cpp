// SPDX-License-Identifier: Apache-2.0
// Tests JSON of every message of the API, filled with random values. parse_json() reads it back,
// and so does a second reader, which implements only the rules of docs/reference/json.md and uses
// protobuf's parser.
#include <filesystem>
#include <random>
#include <set>

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
#include "google/rpc/error_details.pb.h"
#include "weft/v1/device_service.pb.h"
#include "weft/v1/job_service.pb.h"
#include "weft/v1/picture_service.pb.h"
#include "weft/v1/profile.pb.h"
#include "weft/v1/server_service.pb.h"
#include "weft/v1/statistics_service.pb.h"
#include "weft/v1/stream_service.pb.h"
#include "weft/v1/trace_service.pb.h"

namespace weft::client {
namespace {

namespace pb = google::protobuf;
using pb::FieldDescriptor;
using pb::Message;
using pb::util::TimeUtil;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kRounds = 12;

std::unique_ptr<Message> make(const pb::Descriptor* type) {
  return std::unique_ptr<Message>(pb::MessageFactory::generated_factory()->GetPrototype(type)->New());
}

// Sets fields to random values. The deeper a message is nested, the fewer messages it contains.
class Filler {
 public:
  explicit Filler(unsigned seed) : random_(seed) {}

  void fill(Message& message, int depth = 0) {
    if (fill_known_type(message)) return;
    const pb::Descriptor& type = *message.GetDescriptor();
    for (int i = 0; i < type.field_count(); i++) {
      const FieldDescriptor& field = *type.field(i);
      const bool is_message = field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
      if (below(is_message ? 4 + 4 * depth : 4) >= 3) continue;
      for (int entries = field.is_repeated() && !field.is_map() ? 2 : 1; entries > 0; entries--)
        set(message, field, depth);
    }
  }

 private:
  // Returns a number from 0 to `limit` - 1.
  int below(int limit) { return int(random_() % unsigned(limit)); }

  // Returns the limits of the type, and other random values.
  template <class Number>
  Number number() {
    using Limits = std::numeric_limits<Number>;
    constexpr int64_t kExact = int64_t(1) << 53;
    const Number edges[] = {Number(0),  Number(1),      Limits::min(),     Limits::max(),
                            Number(-1), Number(kExact), Number(kExact + 1)};
    return below(2) == 0 ? edges[below(int(std::size(edges)))] : Number(random_());
  }
  double real() {
    const double edges[] = {0, -0.5, 1e-300, 1e300, 1.0 / 3, 25};
    return below(2) == 0 ? edges[below(int(std::size(edges)))] : double(random_()) / 1e3;
  }
  std::string text() {
    const char* pieces[] = {"a", "\"", "\\", "\n", "\x01", "\x7f", "映", "\u202e", "😀", "{", "null", " "};
    std::string text;
    while (below(4) > 0) text += pieces[below(int(std::size(pieces)))];
    return text;
  }

  bool fill_known_type(Message& message) {
    if (auto* time = dynamic_cast<pb::Timestamp*>(&message)) {
      *time = TimeUtil::NanosecondsToTimestamp(int64_t(random_() >> 1));
    } else if (auto* duration = dynamic_cast<pb::Duration*>(&message)) {
      *duration = TimeUtil::NanosecondsToDuration(int64_t(random_() >> 12) * (below(2) == 0 ? 1 : -1));
    } else if (auto* any = dynamic_cast<pb::Any*>(&message)) {
      google::rpc::BadRequest inside;
      inside.add_field_violations()->set_field(text());
      any->PackFrom(inside);
    } else {
      return false;
    }
    return true;
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
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_BOOL:
        return put(&R::SetBool, &R::AddBool, below(2) == 0);
      case FieldDescriptor::CPPTYPE_ENUM:
        return put(&R::SetEnumValue, &R::AddEnumValue,
                   field.enum_type()->value(below(field.enum_type()->value_count()))->number());
      case FieldDescriptor::CPPTYPE_STRING:
        return put(&R::SetString, &R::AddString, text());
      case FieldDescriptor::CPPTYPE_FLOAT:
        return put(&R::SetFloat, &R::AddFloat, float(below(1000000)) / 7);
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return put(&R::SetDouble, &R::AddDouble, real());
      case FieldDescriptor::CPPTYPE_INT32:
        return put(&R::SetInt32, &R::AddInt32,
                   field.full_name() == "google.rpc.Status.code" ? below(17) : number<int32_t>());
      case FieldDescriptor::CPPTYPE_INT64:
        return put(&R::SetInt64, &R::AddInt64, number<int64_t>());
      case FieldDescriptor::CPPTYPE_UINT32:
        return put(&R::SetUInt32, &R::AddUInt32, number<uint32_t>());
      case FieldDescriptor::CPPTYPE_UINT64:
        return put(&R::SetUInt64, &R::AddUInt64, number<uint64_t>());
      case FieldDescriptor::CPPTYPE_MESSAGE:
        fill(field.is_repeated() ? *to.AddMessage(&message, &field) : *to.MutableMessage(&message, &field),
             depth + 1);
    }
  }

  std::mt19937_64 random_;
};

// --- A second reader ----------------------------------------------------------------------------

void read(const pb::Value& json, Message& message);

// Returns the number of the enum value with the shortest name that ends with the given name. Null
// is the first value.
int number_of(const pb::EnumDescriptor& type, const pb::Value& json) {
  if (json.kind_case() == pb::Value::kNullValue) return type.value(0)->number();
  std::string end = "_" + json.string_value();
  for (char& c : end) c = c == '-' ? '_' : char(std::toupper(c));
  const pb::EnumValueDescriptor* found = nullptr;
  for (int i = 1; i < type.value_count(); i++)
    if (type.value(i)->name().ends_with(end) &&
        (found == nullptr || type.value(i)->name().size() < found->name().size()))
      found = type.value(i);
  return found == nullptr ? -1 : found->number();
}

int code_of(const std::string& name) {
  constexpr std::string_view kCodes[] = {
      "ok",        "cancelled",      "unknown",           "invalid-argument",   "deadline-exceeded",
      "not-found", "already-exists", "permission-denied", "resource-exhausted", "failed-precondition",
      "aborted",   "out-of-range",   "unimplemented",     "internal",           "unavailable",
      "data-loss", "unauthenticated"};
  return int(std::find(std::begin(kCodes), std::end(kCodes), name) - std::begin(kCodes));
}

// Returns a number, from JSON or from a string of digits if a double cannot hold it.
template <class Number>
Number whole(const pb::Value& json) {
  if (json.kind_case() != pb::Value::kStringValue) return Number(json.number_value());
  EXPECT_GT(json.string_value().size(), 15u) << json.string_value();
  return std::is_signed_v<Number> ? Number(std::stoll(json.string_value()))
                                  : Number(std::stoull(json.string_value()));
}

// Reads a value into a plain field, or as a new entry of a repeated field.
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
      return put(&R::SetEnumValue, &R::AddEnumValue, number_of(*field.enum_type(), json));
    case FieldDescriptor::CPPTYPE_STRING:
      if (field.type() == FieldDescriptor::TYPE_BYTES) absl::Base64Unescape(json.string_value(), &bytes);
      return put(&R::SetString, &R::AddString,
                 field.type() == FieldDescriptor::TYPE_BYTES ? bytes : json.string_value());
    case FieldDescriptor::CPPTYPE_FLOAT:
      return put(&R::SetFloat, &R::AddFloat, float(json.number_value()));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return put(&R::SetDouble, &R::AddDouble, json.number_value());
    case FieldDescriptor::CPPTYPE_INT32:
      return put(&R::SetInt32, &R::AddInt32,
                 field.full_name() == "google.rpc.Status.code" ? code_of(json.string_value())
                                                               : int32_t(json.number_value()));
    case FieldDescriptor::CPPTYPE_INT64:
      return put(&R::SetInt64, &R::AddInt64, whole<int64_t>(json));
    case FieldDescriptor::CPPTYPE_UINT32:
      return put(&R::SetUInt32, &R::AddUInt32, uint32_t(json.number_value()));
    case FieldDescriptor::CPPTYPE_UINT64:
      return put(&R::SetUInt64, &R::AddUInt64, whole<uint64_t>(json));
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
    *duration = TimeUtil::SecondsToDuration(int64_t(json.number_value())) +
                TimeUtil::NanosecondsToDuration(
                    std::llround((json.number_value() - std::trunc(json.number_value())) * 1e9));
  } else if (auto* any = dynamic_cast<pb::Any*>(&message)) {
    pb::Value inside = json;
    const std::string type = inside.mutable_struct_value()->mutable_fields()->at("@type").string_value();
    inside.mutable_struct_value()->mutable_fields()->erase("@type");
    const auto packed = make(pb::DescriptorPool::generated_pool()->FindMessageTypeByName(type));
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
      else if (value.kind_case() != pb::Value::kNullValue)
        read_value(value, message, *field);
    }
  }
}

// --- Every message ------------------------------------------------------------------------------

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

// Adds the names of the choices of a message and of the messages inside it, as protobuf spells
// them.
void add_names_of_choices(const pb::Descriptor* type, std::set<const pb::Descriptor*>& seen,
                          std::vector<std::string>& names) {
  if (!seen.insert(type).second) return;
  for (int i = 0; i < type->field_count(); i++) {
    if (type->field(i)->message_type() != nullptr)
      add_names_of_choices(type->field(i)->message_type(), seen, names);
    const pb::EnumDescriptor* choices = type->field(i)->enum_type();
    for (int k = 0; choices != nullptr && k < choices->value_count(); k++)
      names.push_back(choices->value(k)->name());
  }
}

// Returns the fields that are missing in JSON. Members of a oneof may be missing.
std::string absent_fields(const pb::Value& json, const pb::Descriptor& type) {
  std::string absent;
  for (int i = 0; i < type.field_count(); i++) {
    const FieldDescriptor& field = *type.field(i);
    const auto found = json.struct_value().fields().find(field.name());
    if (found == json.struct_value().fields().end() && field.real_containing_oneof() == nullptr)
      absent += field.name() + " ";
  }
  return absent;
}

std::string differences(const Message& a, const Message& b) {
  std::string text;
  pb::util::MessageDifferencer differencer;
  differencer.ReportDifferencesToString(&text);
  static_cast<void>(differencer.Compare(a, b));
  return text;
}

TEST(JsonMessages, EveryMessageComesBack) {
  const auto types = messages_of_the_api();
  EXPECT_GT(types.size(), 100u);
  for (const pb::Descriptor* type : types) {
    std::vector<std::string> names;
    std::set<const pb::Descriptor*> seen;
    add_names_of_choices(type, seen, names);
    for (unsigned round = 0; round < kRounds; round++) {
      const auto message = make(type), back = make(type), back_of_answer = make(type),
                 back_of_file = make(type), judged = make(type);
      Filler(round * 1000003 + unsigned(type->index())).fill(*message);
      const std::string json = to_json(*message);
      SCOPED_TRACE(type->full_name() + "\n" + json);
      ASSERT_THAT(parse_json(json, *back), IsOk());
      EXPECT_EQ(differences(*message, *back), "");
      ASSERT_THAT(parse_json(to_json_answer(*message), *back_of_answer), IsOk());
      EXPECT_EQ(differences(*message, *back_of_answer), "");
      ASSERT_THAT(parse_json(to_json_file(*message), *back_of_file), IsOk());
      EXPECT_EQ(differences(*message, *back_of_file), "");
      pb::Value value;
      ASSERT_TRUE(pb::util::JsonStringToMessage(json, &value).ok());
      read(value, *judged);
      EXPECT_EQ(differences(*message, *judged), "");
      EXPECT_EQ(absent_fields(value, *type), "");
      EXPECT_THAT(json, Not(HasSubstr("\n")));
      for (const std::string& name : names) EXPECT_THAT(json, Not(HasSubstr(name)));
    }
  }
}

// The spelling of some choices is constant, since scripts compare them.
TEST(JsonMessages, SpellingsOfChoices) {
  const auto spelled = [](auto set) {
    v1::Job job;
    set(job);
    return to_json(job);
  };
  using v1::Job;
  EXPECT_THAT(spelled([](Job& job) { job.set_state(v1::JOB_STATE_SUCCEEDED); }), HasSubstr("\"succeeded\""));
  EXPECT_THAT(spelled([](Job& job) { job.mutable_settings()->set_job_class(v1::JOB_CLASS_SPARE); }),
              HasSubstr("\"job_class\": \"spare\""));
  EXPECT_THAT(spelled([](Job& job) {
                job.mutable_spec()->mutable_video()->mutable_encoding()->set_encoder(v1::ENCODER_HEVC_NVENC);
              }),
              HasSubstr("\"encoder\": \"hevc-nvenc\""));
  EXPECT_THAT(spelled([](Job& job) {
                (*job.mutable_spec()->mutable_video()->mutable_encoding()->mutable_audio_streams())[2] =
                    v1::AUDIO_AAC;
              }),
              HasSubstr("\"audio_streams\": {\"2\": \"aac\"}"));
}

}  // namespace
}  // namespace weft::client
