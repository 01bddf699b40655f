// SPDX-License-Identifier: Apache-2.0
#include "client_cli/command_line/spec_flags.h"

#include <algorithm>

#include "options/values.h"
#include "options/words.h"

namespace weft::cli {
namespace {

Values values_of(const options::Option& option) {
  Values values;
  values.words = option.choices();
  if (!values.words.empty()) values.kind = Values::Kind::kWord;
  if (option.path_kind() != v1::PATH_KIND_UNSPECIFIED) values.kind = Values::Kind::kFile;
  if (option.is_chain()) {
    values.kind = Values::Kind::kChain;
    values.chains = {&option.field()};
  }
  if (option.flag() == "device") values.kind = Values::Kind::kDevice;
  return values;
}

}  // namespace

std::string describe_option(const options::Option& option, std::string_view own_default) {
  std::string text = option.help();
  std::vector<std::string> names;
  for (const options::Choice& choice : option.choices()) names.push_back(choice.name);
  if (!names.empty()) text += fmt::format(" One of {}.", options::join_or(names));
  if (const std::string range = option.range_text(); !range.empty())
    text += fmt::format(" {}{}{}.", char(std::toupper(range[0])), range.substr(1),
                        option.unit().empty() ? "" : " " + option.unit());
  const std::string_view meant = own_default.empty() ? option.default_text() : own_default;
  if (!meant.empty()) text += fmt::format(" Default: {}.", meant);
  return text;
}

Argument declare_flag(const options::Option& option, std::string_view own_default) {
  Argument flag;
  if (!option.short_flag().empty()) flag.flags.push_back("-" + option.short_flag());
  flag.flags.push_back("--" + option.flag());
  if (option.type() == options::ValueType::kBool && !option.is_repeated())
    flag.negative_flags.push_back("--no-" + option.flag());
  else
    flag.value_name = option.value_name();
  flag.help = describe_option(option, own_default);
  flag.several = option.is_repeated();
  flag.values = values_of(option);
  return flag;
}

void SpecFlags::add(Command& command, const google::protobuf::Descriptor* message, const std::string& heading,
                    const std::vector<std::string>& skip,
                    const std::map<std::string, std::string>& own_defaults) {
  for (const options::Option& option : options::options_of(message)) {
    if (std::find(skip.begin(), skip.end(), option.flag()) != skip.end() || has(option.flag())) continue;
    const auto given = std::make_shared<Given>(Given{option, {}});
    given_.push_back(given);
    const auto own = own_defaults.find(option.flag());
    Argument flag = declare_flag(option, own == own_defaults.end() ? "" : own->second);
    flag.heading = option.advanced() ? kAdvanced : heading;
    flag.set = [given](const std::vector<std::string>& values) {
      given->values = values;
      return ok_status();
    };
    command.add_option(std::move(flag));
  }
}

bool SpecFlags::has(const std::string& flag) const {
  return std::any_of(given_.begin(), given_.end(),
                     [&](const auto& given) { return given->option.flag() == flag; });
}

Status SpecFlags::fill(google::protobuf::Message& message, std::string_view whose) const {
  for (const auto& given : given_) {
    if (given->values.empty()) continue;
    const auto option = options::find_option(message.GetDescriptor(), given->option.flag());
    if (!option)
      return invalid_argument("--{} does not count here, {} has no such option; leave it out.",
                              given->option.flag(), whose);
    for (const std::string& value : given->values)
      RETURN_IF_ERROR(options::set_from_text(message, *option, value));
  }
  return ok_status();
}

}  // namespace weft::cli
