// SPDX-License-Identifier: Apache-2.0
// Reads the options that a protobuf message declares (proto/weft/v1/options.proto) by reflection.
// Validation, flags, help, completion, forms and the reference all use this list.
//
//   for (const Option& option : options_of(v1::VideoJob::descriptor()))
//     fmt::print("--{}  {}\n", option.flag(), option.help());
//
// All types and functions are read-only and thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <google/protobuf/descriptor.h>

#include "weft/v1/options.pb.h"

namespace weft::options {

// The type of a value. kNumber is a floating-point number; kChain is a chain of filters
// (filters.h).
enum class ValueType { kBool, kInteger, kNumber, kText, kChoice, kChain };

// One choice of an enumeration.
struct Choice {
  std::string name;  // "svt-av1"
  std::string help;  // a sentence; may be empty
  int number = 0;
  std::vector<std::string> defaults{};  // defaults of later options of the same message: "blades=6"

  std::string text() const;  // help text, followed by the options that the choice sets
};

// One declared option: a field of a message, or of a message inside it.
class Option {
 public:
  // `fields` are the fields from the outer message to the option's field, which carries the
  // declaration.
  explicit Option(std::vector<const google::protobuf::FieldDescriptor*> fields);

  const google::protobuf::FieldDescriptor& field() const { return *fields_.back(); }
  const std::vector<const google::protobuf::FieldDescriptor*>& fields() const { return fields_; }
  const v1::OptionDeclaration& declaration() const;

  std::string path() const;        // path from the outer message: "decoding.decoder"
  std::string flag() const;        // flag without dashes: "filter"
  std::string short_flag() const;  // short flag: "o", or ""
  // Returns the name in forms: the declared label ("TR0"), else the flag as words ("Encoder
  // threads").
  std::string label() const;
  // Returns the declared label ("TR0" for the flag tr0), or "" if it equals the flag or the flag as
  // words (nsize, Preset).
  std::string original_name() const;
  // placeholder of the value in help: "FILTER", "KEY=VALUE", "N"; "" for a bool
  std::string value_name() const;
  const std::string& help() const { return declaration().help(); }
  const std::string& unit() const { return declaration().unit(); }
  const std::string& default_text() const { return declaration().default_value(); }
  bool required() const { return declaration().required(); }
  bool advanced() const { return declaration().advanced(); }
  v1::PathKind path_kind() const { return declaration().path(); }

  ValueType type() const;               // type of a value; of a map's values for a map
  bool is_map() const;                  // may be given several times as KEY=VALUE
  bool is_chain() const;                // a chain of filters, given as one text
  bool is_repeated() const;             // may be given several times; true for a map too
  std::vector<Choice> choices() const;  // empty for other types than kChoice

  // Return the bounds of a number, both included: the declared ones, else those of the type.
  double minimum() const;
  double maximum() const;
  bool has_bounds() const;  // true if bounds are declared
  // Returns "-1000 to 1000", "at least 1" or "at most 8", or "" if no bound is declared.
  std::string range_text() const;
  size_t maximum_bytes() const;      // limit of a text option
  int maximum_filters() const;       // limit of a chain option
  size_t maximum_entries() const;    // limit of a repeated or map option
  size_t maximum_key_bytes() const;  // limit of a map option's key
  // limit of all entries of a repeated or map option together, keys included
  size_t maximum_total_bytes() const;

 private:
  const google::protobuf::FieldDescriptor& value_field() const;

  std::vector<const google::protobuf::FieldDescriptor*> fields_;
};

inline constexpr size_t kDefaultMaximumBytes = 4096;
inline constexpr int kMaximumEntries = 256;  // default limit of a repeated or map option

// Returns true if the field declares an option.
bool is_option(const google::protobuf::FieldDescriptor& field);

// Returns all options of a message and of the messages inside it, in the order of declaration.
// Members of a oneof are left out, because the chosen member must be known first (job_kinds.h).
std::vector<Option> options_of(const google::protobuf::Descriptor* message);

// Returns the option with this flag ("filter"), or nullopt.
std::optional<Option> find_option(const google::protobuf::Descriptor* message, std::string_view flag);

// Returns the option with this declared label in any case ("tr0", "ThSAD1"), or nullopt.
std::optional<Option> find_labelled(const google::protobuf::Descriptor* message, std::string_view label);

// Returns the choices of an enumeration without its zero value.
std::vector<Choice> choices_of(const google::protobuf::EnumDescriptor* type);

// Returns the short name of an enumeration's value, without prefix, in lower case with dashes:
// "queued" for JOB_STATE_QUEUED. The zero value is "unspecified". An unknown number is returned as
// digits.
std::string choice_name(const google::protobuf::EnumDescriptor* type, int number);

// Returns the number of a short name, or nullopt. Case is ignored, and '_' matches '-'.
std::optional<int> choice_number(const google::protobuf::EnumDescriptor* type, std::string_view name);

// Returns the short name of a generated enumeration's value: choice_name(v1::JOB_STATE_QUEUED) is
// "queued".
template <class Enum>
std::string choice_name(Enum value) {
  return choice_name(google::protobuf::GetEnumDescriptor<Enum>(), static_cast<int>(value));
}

}  // namespace weft::options
