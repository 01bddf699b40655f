// SPDX-License-Identifier: Apache-2.0
#include "client_cli/command_line/command.h"

#include <algorithm>
#include <charconv>

#include "options/words.h"

namespace weft::cli {
namespace {

// Splits "-f,--follow" into {"-f", "--follow"}.
std::vector<std::string> split_names(std::string_view names) {
  std::vector<std::string> result;
  while (!names.empty()) {
    const size_t comma = std::min(names.find(','), names.size());
    result.emplace_back(names.substr(0, comma));
    names.remove_prefix(std::min(comma + 1, names.size()));
  }
  return result;
}

Argument make_option(std::string_view names, std::string_view value_name, std::string_view help) {
  Argument option;
  option.flags = split_names(names);
  option.value_name = value_name;
  option.help = help;
  return option;
}

auto store_last(std::string& value) {
  return [&value](const std::vector<std::string>& given) {
    value = given.back();
    return ok_status();
  };
}

auto store_all(std::vector<std::string>& values) {
  return [&values](const std::vector<std::string>& given) {
    values = given;
    return ok_status();
  };
}

}  // namespace

std::string Argument::title() const {
  if (is_word()) return value_name + (several ? "..." : "");
  std::string text;
  for (const std::string& flag : flags) {
    const bool negatable = flag.starts_with("--") && !negative_flags.empty();
    text += (text.empty() ? "" : ", ") + (negatable ? "--[no-]" + flag.substr(2) : flag);
  }
  return value_name.empty() ? text : text + " " + value_name;
}

Command& Command::add(std::string_view inside, std::string_view its_summary) {
  Command& command = commands.emplace_back(inside, its_summary);
  command.parent = this;
  return command;
}

Argument& Command::add_option(Argument option) { return options.emplace_back(std::move(option)); }

Argument& Command::flag(std::string_view names, bool& value, std::string_view help) {
  Argument option = make_option(names, "", help);
  option.set = [&value](const std::vector<std::string>& given) {
    value = given.back() == "true";
    return ok_status();
  };
  return add_option(std::move(option));
}

Argument& Command::value(std::string_view names, std::string_view value_name, std::string& value,
                         std::string_view help) {
  Argument option = make_option(names, value_name, help);
  option.set = store_last(value);
  return add_option(std::move(option));
}

Argument& Command::value(std::string_view names, std::string_view value_name,
                         std::vector<std::string>& values, std::string_view help) {
  Argument option = make_option(names, value_name, help);
  option.several = true;
  option.set = store_all(values);
  return add_option(std::move(option));
}

Argument& Command::word(std::string_view value_name, std::string& value, std::string_view help) {
  Argument option = make_option("", value_name, help);
  option.set = store_last(value);
  return add_option(std::move(option));
}

Argument& Command::words(std::string_view value_name, std::vector<std::string>& values,
                         std::string_view help) {
  Argument option = make_option("", value_name, help);
  option.several = true;
  option.set = store_all(values);
  return add_option(std::move(option));
}

Argument& Command::choose(Argument& option, std::string& value, const std::vector<options::Choice>& choices) {
  option.values = {Values::Kind::kWord, choices};
  option.set = [&value, choices, title = option.title()](const std::vector<std::string>& given) {
    std::vector<std::string> names;
    for (const options::Choice& choice : choices) names.push_back(choice.name);
    value = given.back();
    if (std::find(names.begin(), names.end(), value) != names.end()) return ok_status();
    const std::string hint = options::did_you_mean(value, names);
    return invalid_argument("{} cannot be '{}'{} Use {}.", title, value, hint.empty() ? "." : hint,
                            options::join_or(names));
  };
  return option;
}

std::string Command::full_name() const { return parent == nullptr ? name : parent->full_name() + " " + name; }

std::vector<const Argument*> Command::options_of(bool words) const {
  std::vector<const Argument*> result;
  for (const Argument& option : options)
    if (option.is_word() == words) result.push_back(&option);
  return result;
}

std::string Command::usage() const {
  std::string text = full_name();
  const Command* meant = default_command();
  if (!commands.empty() && !run) return (meant != nullptr ? meant->usage() + "\n" : "") + text + " COMMAND";
  for (const Argument* word : options_of(true)) {
    // the command's name has the role of this word
    if (is_default && word->title() == name) continue;
    text += word->required ? " " + word->title() : " [" + word->title() + "]";
  }
  const std::vector<const Argument*> flags = options_of(false);
  for (const Argument* flag : flags)
    if (flag->required) text += fmt::format(" {} {}", flag->flags[0], flag->value_name);
  return flags.empty() ? text : text + " [OPTIONS]";
}

const Command* Command::find(std::string_view inside) const {
  for (const Command& candidate : commands)
    if (candidate.name == inside) return &candidate;
  return nullptr;
}

std::string same_text(const Command& command) {
  return fmt::format("It has the commands and options of `{}`.", command.same_as->full_name());
}

const Command* Command::default_command() const {
  for (const Command& candidate : commands)
    if (candidate.is_default) return &candidate;
  return nullptr;
}

const Argument* find_flag(const Command& command, const Command& root, const std::string& flag) {
  for (const Command* where : {&command, command.default_command(), &root}) {
    if (where == nullptr) continue;
    for (const Argument& option : where->options)
      if (std::find(option.flags.begin(), option.flags.end(), flag) != option.flags.end()) return &option;
  }
  return nullptr;
}

CommandPosition find_position(const Command& root, const std::vector<std::string>& words) {
  CommandPosition position{&root};
  bool flags_ended = false;
  for (size_t i = 0; i < words.size(); i++) {
    const std::string& word = words[i];
    if (std::exchange(position.waiting, nullptr) != nullptr) continue;
    if (!flags_ended && word.starts_with('-') && word != "-") {
      flags_ended = word == "--";
      const Argument* option = find_flag(*position.command, root, word);
      if (option != nullptr && !option->value_name.empty()) position.waiting = option;
    } else if (const Command* inside = flags_ended ? nullptr : position.command->find(word)) {
      position = {.command = inside, .named_at = i + 1};
    } else {
      if (const Command* meant = position.command->default_command()) position.command = meant;
      if (position.plain_words++ == 0) position.first_word = i;
    }
  }
  return position;
}

StatusOr<int> parse_whole(std::string_view option, std::string_view text, int lowest, int highest) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < lowest || value > highest)
    return invalid_argument("{} ({}) is not a whole number from {} to {}; give one.", option, text, lowest,
                            highest);
  return value;
}

}  // namespace weft::cli
