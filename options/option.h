// SPDX-License-Identifier: Apache-2.0
// The options that a protobuf message declares (proto/weft/v1/options.proto), read by reflection: one list for
// validation, flags, help, completion, forms and the reference.
//
//   for (const Option& option : options_of(v1::VideoJob::descriptor()))
//     fmt::print("--{}  {}\n", option.flag(), option.help());
//
// Everything here is read-only and thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <google/protobuf/descriptor.h>

#include "weft/v1/options.pb.h"

namespace weft::options {

// What a value is. Numbers with a point are kNumber; a chain of filters (filters.h) is kChain.
enum class ValueType { kBool, kInteger, kNumber, kText, kChoice, kChain };

// One word that an enumeration knows.
struct Choice {
  std::string name;  // "svt-av1"
  std::string help;  // a sentence; may be empty
  int number = 0;
  std::vector<std::string> defaults{};  // "blades=6": for options that follow in the same message

  std::string text() const;  // for people: the help, and what it sets
};

// One declared option: a field of the message it was read from, or of a message inside that.
class Option {
 public:
  // `fields`: the way from the message to the option's field, which carries the declaration.
  explicit Option(std::vector<const google::protobuf::FieldDescriptor*> fields);

  const google::protobuf::FieldDescriptor& field() const { return *fields_.back(); }
  const std::vector<const google::protobuf::FieldDescriptor*>& fields() const { return fields_; }
  const v1::OptionDeclaration& declaration() const;

  std::string path() const;        // "decoding.decoder", from the message it was read from
  std::string flag() const;        // "filter"
  std::string short_flag() const;  // "o", or ""
  std::string label() const;       // "Encoder threads": the flag as words, for forms
  std::string value_name() const;  // "FILTER", "KEY=VALUE", "N"; "" for a bool
  const std::string& help() const { return declaration().help(); }
  const std::string& unit() const { return declaration().unit(); }
  const std::string& default_text() const { return declaration().default_value(); }
  bool required() const { return declaration().required(); }
  bool advanced() const { return declaration().advanced(); }
  v1::PathKind path_kind() const { return declaration().path(); }

  ValueType type() const;               // of a value; of a map's values
  bool is_map() const;                  // KEY=VALUE, several times
  bool is_chain() const;                // a chain of filters: one text
  bool is_repeated() const;             // several times; true for maps too
  std::vector<Choice> choices() const;  // empty unless kChoice

  // Bounds of a number, both allowed: the declared ones, else those of the type.
  double minimum() const;
  double maximum() const;
  bool has_bounds() const;  // declared ones
  // "-1000 to 1000", "at least 1", "at most 8"; "" when nothing is declared.
  std::string range_text() const;
  size_t maximum_bytes() const;        // of a text
  int maximum_filters() const;         // of a chain
  size_t maximum_entries() const;      // of a repeated or map option
  size_t maximum_key_bytes() const;    // of a map option's key
  size_t maximum_total_bytes() const;  // of all entries of a repeated or map option together, keys included

 private:
  const google::protobuf::FieldDescriptor& value_field() const;

  std::vector<const google::protobuf::FieldDescriptor*> fields_;
};

inline constexpr size_t kDefaultMaximumBytes = 4096;
inline constexpr int kMaximumEntries = 256;  // of a repeated or map option that declares none

// True when the field declares an option.
bool is_option(const google::protobuf::FieldDescriptor& field);

// All options of a message and of the messages inside it, in the order of declaration. Members of a oneof are
// left out: which one it is must be known first (job_kinds.h).
std::vector<Option> options_of(const google::protobuf::Descriptor* message);

// The option with this flag ("filter"), or nothing.
std::optional<Option> find_option(const google::protobuf::Descriptor* message, std::string_view flag);

// The choices of an enumeration, its zero value left out.
std::vector<Choice> choices_of(const google::protobuf::EnumDescriptor* type);

// Short name of an enumeration's value without prefix, in lower case with dashes: JOB_STATE_QUEUED is "queued";
// the zero value is "unspecified", an unknown number its digits.
std::string choice_name(const google::protobuf::EnumDescriptor* type, int number);

// The number of a short name. Capitals and '_' for '-' are forgiven.
std::optional<int> choice_number(const google::protobuf::EnumDescriptor* type, std::string_view name);

// For generated enumerations: choice_name(v1::JOB_STATE_QUEUED) is "queued".
template <class Enum>
std::string choice_name(Enum value) {
  return choice_name(google::protobuf::GetEnumDescriptor<Enum>(), static_cast<int>(value));
}

}  // namespace weft::options
