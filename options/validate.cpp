// SPDX-License-Identifier: Apache-2.0
#include "options/validate.h"

#include <cmath>
#include <set>

#include "google/rpc/error_details.pb.h"
#include "options/chain.h"
#include "options/media_position.h"
#include "options/option.h"
#include "options/values.h"
#include "options/visit.h"
#include "options/words.h"

namespace weft::options {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::OneofDescriptor;
using google::protobuf::Reflection;

class Validation {
 public:
  void check(const Message& message, const std::string& prefix) {
    const Descriptor& descriptor = *message.GetDescriptor();
    const Reflection& reflection = *message.GetReflection();
    check_oneofs(message, prefix);
    check_part(message, prefix);
    for (int i = 0; i < descriptor.field_count(); i++) {
      const FieldDescriptor& field = *descriptor.field(i);
      if (field.real_containing_oneof() != nullptr && !reflection.HasField(message, &field)) continue;
      if (is_option(field))
        check_option(message, Option({&field}), join_path(prefix, field.name()));
      else if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && !field.is_repeated())
        check(reflection.GetMessage(message, &field), join_path(prefix, field.name()));
    }
    const auto& unknown = reflection.GetUnknownFields(message);
    for (int i = 0; i < unknown.field_count(); i++)
      add(join_path(prefix, fmt::format("#{}", unknown.field(i).number())),
          "The field (number {}) is not known here; the client is newer than the daemon, update the daemon.",
          unknown.field(i).number());
  }

  std::vector<Violation> take() { return std::move(violations_); }

 private:
  template <class... Args>
  void add(const std::string& field, fmt::format_string<Args...> format, Args&&... args) {
    violations_.push_back({field, fmt::format(format, std::forward<Args>(args)...)});
  }

  void check_oneofs(const Message& message, const std::string& prefix) {
    const Descriptor& descriptor = *message.GetDescriptor();
    for (int i = 0; i < descriptor.real_oneof_decl_count(); i++) {
      const OneofDescriptor& oneof = *descriptor.oneof_decl(i);
      if (message.GetReflection()->HasOneof(message, &oneof)) continue;
      std::vector<std::string> names;
      for (int k = 0; k < oneof.field_count(); k++) names.push_back(oneof.field(k)->name());
      add(join_path(prefix, oneof.name()), "Nothing is chosen; give {}.", join_or(names));
    }
  }

  void check_option(const Message& holder, const Option& option, const std::string& path) {
    if (!is_set(holder, option)) {
      if (option.required())
        add(path, "The option '{}' is missing and has no default; give it.", option.flag());
      return;
    }
    if (option.is_chain()) return check_chain(holder, option, path);
    const std::vector<std::string> values = format_values(holder, option);
    if (values.size() > option.maximum_entries()) {
      add(path, "The option '{}' has too many entries ({}, at most {}); give fewer.", option.flag(),
          values.size(), option.maximum_entries());
      return;
    }
    size_t bytes = 0;
    for (const std::string& value : values) bytes += value.size();
    if (bytes > option.maximum_total_bytes())
      add(path, "The entries of the option '{}' are too long together ({} bytes, at most {}); shorten them.",
          option.flag(), bytes, option.maximum_total_bytes());
    // A value is valid if its text form can be set, so both directions share one set of rules.
    const std::unique_ptr<Message> scratch(holder.New());
    for (const std::string& value : values) {
      if (const Status status = set_from_text(*scratch, option, value); !status.ok())
        add(path, "{}", message_of(status));
      if (option.path_kind() != v1::PATH_KIND_UNSPECIFIED && !value.starts_with('/'))
        add(path,
            "The path '{}' ({}) is relative, and the daemon has another folder than you; give an absolute "
            "path.",
            option.flag(), value);
    }
  }

  void check_chain(const Message& holder, const Option& option, const std::string& path) {
    const ChainSize size = size_of_chain(holder, option.field());
    if (size.depth > kMostChainDepth)
      return add(path, "The option '{}' nests chains too deep ({} levels, at most {}); use fewer.",
                 option.flag(), size.depth, kMostChainDepth);
    if (size.filters > option.maximum_filters())
      return add(path, "The option '{}' has too many filters ({}, at most {}); use fewer.", option.flag(),
                 size.filters, option.maximum_filters());
    const Reflection& reflection = *holder.GetReflection();
    for (int i = 0; i < reflection.FieldSize(holder, &option.field()); i++)
      check(reflection.GetRepeatedMessage(holder, &option.field(), i), entry_path(path, i));
  }

  // Checks that a part ends after its beginning.
  void check_part(const Message& message, const std::string& prefix) {
    std::string from;
    for (int i = 0; i < message.GetDescriptor()->field_count(); i++) {
      const FieldDescriptor& field = *message.GetDescriptor()->field(i);
      const v1::TextForm form = field.options().GetExtension(v1::option).form();
      if (form != v1::TEXT_FORM_BEGIN && form != v1::TEXT_FORM_END) continue;
      const std::string text = format_value(message, Option({&field}));
      if (form == v1::TEXT_FORM_BEGIN) from = text;
      if (form == v1::TEXT_FORM_BEGIN || text.empty() || !parse_position(text).ok() ||
          (!from.empty() && !parse_position(from).ok()))
        continue;
      if (const Status status = check_order(from, text); !status.ok())
        add(join_path(prefix, field.name()), "{}", message_of(status));
    }
  }

  std::vector<Violation> violations_;
};

// Returns true if `flag` is a valid name of at least `shortest` characters. A key in a chain may be
// a single letter; a command-line flag may not.
bool is_flag(std::string_view flag, size_t shortest) {
  if (flag.size() < shortest || flag.front() == '-' || flag.back() == '-') return false;
  for (const char c : flag)
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-')) return false;
  return true;
}

bool is_sentence(std::string_view text) { return text.size() > 1 && text.back() == '.'; }

std::unique_ptr<Message> new_message(const Descriptor* type) {
  return std::unique_ptr<Message>(
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(type)->New());
}

// Returns the error in a choice's default for another option, or an empty string.
std::string wrong_choice_default(const Option& option, const std::string& text) {
  const Descriptor* type = option.field().containing_type();
  const std::unique_ptr<Message> scratch = new_message(type);
  if (const Status status = apply_choice_default(*scratch, text); !status.ok()) return message_of(status);
  const Option other = find_option(type, text.substr(0, text.find('='))).value();
  if (other.fields().front()->index() > option.field().index()) return "";
  return fmt::format("The default of a choice ({}) is for an option that stands before it.", text);
}

void check_filter_declaration(const Descriptor* message, std::vector<Violation>& result) {
  const v1::FilterDeclaration& declared = message->options().GetExtension(v1::filter);
  const auto wrong = [&](std::string text) { result.push_back({message->name(), std::move(text)}); };
  if (!is_sentence(declared.summary())) wrong("The filter's summary is not a sentence.");
  if (declared.name().empty()) wrong("The filter has no name.");
  for (const char c : declared.name())
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')) {
      wrong(fmt::format("The filter's name ({}) is not made of lower case letters, digits and '_'.",
                        declared.name()));
      break;
    }
  if (declared.first_option().empty()) return;
  const std::optional<Option> first = find_option(message, declared.first_option());
  if (!first || first->is_repeated())
    wrong(fmt::format("The filter's first option ({}) is none of its options that have one value.",
                      declared.first_option()));
}

void check_filter_names(const Option& chain, std::vector<Violation>& result) {
  std::set<std::string> names;
  for (const FilterKind& kind : filters_of(chain.field().message_type()))
    if (!names.insert(kind.name()).second)
      result.push_back({chain.path(), fmt::format("Two of its filters have one name ({}).", kind.name())});
}

}  // namespace

std::vector<Violation> validate(const Message& message, std::string_view prefix) {
  Validation validation;
  validation.check(message, std::string(prefix));
  return validation.take();
}

std::vector<Violation> check_declarations(const Descriptor* message) {
  std::vector<Violation> result;
  std::set<std::string> names;
  const bool is_filter = message->options().HasExtension(v1::filter);
  if (is_filter) check_filter_declaration(message, result);
  for (const Option& option : options_of(message)) {
    if (option.is_chain()) check_filter_names(option, result);
    const auto wrong = [&](std::string text) { result.push_back({option.path(), std::move(text)}); };
    if (!is_sentence(option.help())) wrong("Its help is not a sentence.");
    if (!is_flag(option.flag(), is_filter ? 1 : 2))
      wrong(fmt::format("Its flag ({}) is not made of lower case words and dashes.", option.flag()));
    if (!names.insert(option.flag()).second)
      wrong(fmt::format("Its flag ({}) is used twice.", option.flag()));
    const std::string letter = option.short_flag();
    if (letter.size() > 1) wrong(fmt::format("Its short flag ({}) is longer than a letter.", letter));
    if (!letter.empty() && !names.insert(letter).second)
      wrong(fmt::format("Its short flag ({}) is used twice.", letter));
    for (const Choice& choice : option.choices()) {
      if (!is_sentence(choice.help)) wrong(fmt::format("The choice ({}) has no help sentence.", choice.name));
      for (const std::string& text : choice.defaults)
        if (std::string why = wrong_choice_default(option, text); !why.empty()) wrong(std::move(why));
    }
    if (option.default_text().empty()) continue;
    const std::unique_ptr<Message> scratch = new_message(option.field().containing_type());
    const Status status = set_from_text(*scratch, Option({&option.field()}), option.default_text());
    if (!status.ok()) wrong("Its default is wrong: " + message_of(status));
  }
  return result;
}

Status to_status(const std::vector<Violation>& violations) {
  if (violations.empty()) return ok_status();
  google::rpc::BadRequest details;
  std::string text;
  for (const Violation& violation : violations) {
    auto& field = *details.add_field_violations();
    field.set_field(violation.field);
    field.set_description(violation.description);
    text += (text.empty() ? "" : " ") + violation.description;
  }
  Status status = make_status(StatusCode::kInvalidArgument, text);
  status.SetPayload(absl::string_view(kBadRequestType.data(), kBadRequestType.size()),
                    absl::Cord(details.SerializeAsString()));
  return status;
}

std::vector<Violation> violations_of(const Status& status) {
  std::vector<Violation> result;
  const auto payload = status.GetPayload(absl::string_view(kBadRequestType.data(), kBadRequestType.size()));
  google::rpc::BadRequest details;
  if (!payload || !details.ParseFromString(std::string(*payload))) return result;
  for (const auto& field : details.field_violations()) result.push_back({field.field(), field.description()});
  return result;
}

}  // namespace weft::options
