// SPDX-License-Identifier: Apache-2.0
// Reads the command line: the only file that knows CLI11.
#include <algorithm>
#include <filesystem>
#include <map>

#include <CLI/CLI.hpp>

#include "client_cli/command_line/command.h"
#include "client_cli/command_line/suggest.h"
#include "options/filters.h"
#include "options/words.h"

namespace weft::cli {
namespace {

// The command tree in CLI11's form, and the parsed values of each option.
class Parser {
 public:
  explicit Parser(Command& root) : root_(root) {
    app_.set_help_flag();
    app_.add_flag("--version");
    build(app_, root);
  }

  StatusOr<Parsed> read(std::vector<std::string> words) {
    words_ = words;
    // Help is wanted even where words that are required are missing, which CLI11 finds first.
    const bool full_help = has_flag(words, {"--help-all"});
    const bool help = full_help || has_flag(words, {"-h", "--help"});
    std::reverse(words.begin(), words.end());
    Status mistake;
    try {
      app_.parse(words);
    } catch (const CLI::Error& error) {
      mistake = describe(error, *chosen());
    }
    if (help) return Parsed{.command = chosen(), .help = true, .full_help = full_help};
    RETURN_IF_ERROR(mistake);
    if (app_.count("--version") > 0) return Parsed{.command = &root_, .version = true};
    if (!chosen()->run) return Parsed{.command = chosen(), .incomplete = true};
    RETURN_IF_ERROR(check_words(*chosen()));
    RETURN_IF_ERROR(check_outer(*chosen()));
    for (auto& [option, values] : given_) RETURN_IF_ERROR(option->set(values));
    return Parsed{.command = chosen()};
  }

 private:
  void build(CLI::App& app, Command& command) {
    std::map<std::string, CLI::Option*> by_flag;
    for (Argument& option : command.options) {
      CLI::Option* added = add(app, option);
      // CLI11 would take the name of a command inside for the word.
      if (option.is_word() && !command.commands.empty()) added->required(false);
      for (const std::string& flag : option.flags) by_flag[flag] = added;
      for (const std::string& other : option.excludes)
        if (by_flag.contains(other)) added->excludes(by_flag[other]);
    }
    // One command each, and not CLI11's fallthrough: else a file called "list" would be taken for
    // the command.
    app.require_subcommand(0, 1);
    if (&command != &root_)
      for (Argument& option : root_.options) add(app, option);
    app.add_flag("-h,--help,--help-all");
    for (Command& inside : command.commands) {
      CLI::App* sub = app.add_subcommand(inside.name);
      sub->set_help_flag();
      build(*sub, inside);
    }
  }

  CLI::Option* add(CLI::App& app, Argument& option) {
    const auto take = [this, &option](const CLI::results_t& values) {
      given_.emplace_back(&option, values);
      return true;
    };
    if (option.is_word()) {
      CLI::Option* word =
          app.add_option(option.value_name, take)->required(option.required && !option.has_stand_in);
      if (option.several) word->expected(1, CLI::detail::expected_max_vector_size)->allow_extra_args();
      return word;
    }
    std::string names;
    for (const std::string& flag : option.flags) names += (names.empty() ? "" : ",") + flag;
    for (const std::string& flag : option.negative_flags) names += ",!" + flag;
    if (option.value_name.empty()) {
      const auto count = [this, &option](int64_t times) {
        given_.push_back({&option, {times > 0 ? "true" : "false"}});
      };
      return app.add_flag_function(names, std::function<void(int64_t)>(count));
    }
    CLI::Option* flag = app.add_option(names, take)->required(option.required && !option.has_stand_in);
    flag->multi_option_policy(option.several ? CLI::MultiOptionPolicy::TakeAll
                                             : CLI::MultiOptionPolicy::TakeLast);
    return flag->allow_extra_args(false);
  }

  const Command* chosen() const {
    const Command* command = &root_;
    for (const CLI::App* app = &app_; !app->get_subcommands().empty();) {
      app = app->get_subcommands().back();
      command = command->find(app->get_name());
    }
    return command;
  }

  // Checks that the required words of a command are given.
  Status check_words(const Command& command) const {
    for (const Argument& option : command.options) {
      if (!option.is_word() || !option.required || option.has_stand_in) continue;
      if (std::ranges::none_of(given_, [&](const auto& each) { return each.first == &option; }))
        return invalid_argument("{0}: {1} is required. `{0} --help` shows how it is used.",
                                command.full_name(), option.value_name);
    }
    return ok_status();
  }

  // Refuses words and options in front of the command's name that belong to a command around it.
  Status check_outer(const Command& command) const {
    for (const Command* outer = command.parent; outer != nullptr && outer != &root_; outer = outer->parent)
      for (const auto& [option, values] : given_)
        if (std::ranges::any_of(outer->options, [&](const Argument& each) { return &each == option; }))
          return invalid_argument("{} takes no {} of `{}` ({}); leave it out.", command.full_name(),
                                  option->is_word() ? "word" : "option", outer->full_name(),
                                  option->is_word() ? values[0] : option->title());
    return ok_status();
  }

  // Returns the first word that is neither an option of the root command nor the value of one.
  std::string first_word() const {
    for (size_t i = 0; i < words_.size() && words_[i] != "--"; i++) {
      if (!words_[i].starts_with('-')) return words_[i];
      const Argument* option = find_flag(root_, root_, words_[i]);
      if (option != nullptr && !option->value_name.empty()) i++;
    }
    return "";
  }

  // Returns CLI11's error as a sentence of Weft.
  Status describe(const CLI::Error& error, const Command& command) const {
    const std::string usage = fmt::format(" `{} --help` shows how it is used.", command.full_name());
    // Options after an unknown command belong to it, so that the command is reported first.
    if (const std::string word = &command == &root_ ? first_word() : ""; !word.empty())
      return invalid_argument("{} has no command '{}'{}{}", command.full_name(), word,
                              suggest_command(command, word), usage);
    if (const std::string text = suggest_flags(command, root_, words_); !text.empty())
      return invalid_argument("{}", text);
    std::vector<std::string> extras = app_.remaining(true);
    // An unknown option is the cause even if it also made another one missing.
    const auto unknown =
        std::ranges::find_if(extras, [](const std::string& word) { return word.starts_with('-'); });
    const bool has_unknown = unknown != extras.end();
    if (has_unknown) std::rotate(extras.begin(), unknown, extras.end());
    const std::string what_it_is = error.what();
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
      return invalid_argument("{}: {} needs a value.{}", command.full_name(),
                              what_it_is.substr(0, what_it_is.find(':')), usage);
    if (!has_unknown && (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr || extras.empty()))
      return invalid_argument("{}: {}.{}", command.full_name(), what_it_is, usage);
    const std::string word = extras[0].substr(0, extras[0].find('='));
    const bool is_flag = word.starts_with('-');
    std::vector<std::string> known;
    for (const Command* where : {&command, static_cast<const Command*>(&root_)})
      for (const Argument& option : where->options)
        if (is_flag) known.insert(known.end(), option.flags.begin(), option.flags.end());
    const bool takes_words = std::ranges::any_of(command.options, &Argument::is_word);
    if (!is_flag && !command.commands.empty() && !takes_words)
      return invalid_argument("{} has no command '{}'{}{}", command.full_name(), word,
                              suggest_command(command, word), usage);
    std::error_code failed;
    if (is_flag && std::filesystem::exists(extras[0], failed))
      return invalid_argument(
          "{} has no option '{}'. There is a file of that name: write -- in front of the files, or ./{}.",
          command.full_name(), word, extras[0]);
    const bool takes_filters = std::ranges::any_of(
        command.options_of(true), [](const Argument* each) { return !each->values.chains.empty(); });
    if (takes_filters && (word == "--filter" || word == "--filters"))
      return invalid_argument("{} has no option '{}': the filters are its first word.{}", command.full_name(),
                              word, usage);
    if (const std::string filter = is_flag ? filter_with(command, word) : ""; !filter.empty())
      return invalid_argument(
          "{} has no option '{}': it belongs to the filter. Write it after the filter's name ({}).{}",
          command.full_name(), word, filter, usage);
    const std::string what = is_flag ? "option" : "place for the word";
    // Every one-letter option is one letter away from every other.
    const bool has_one_letter = is_flag && word.size() <= 2;
    const std::string hint = has_one_letter ? "" : options::did_you_mean(word, known);
    return invalid_argument("{} has no {} '{}'{}{}", command.full_name(), what, word,
                            hint.empty() ? "." : hint, usage);
  }

  // Returns the chain that sets an option which was given as a flag, with its choices:
  // "yadif=rate=frame|field". Filters on the line are preferred. Returns an empty string if no
  // filter of the command has the option.
  std::string filter_with(const Command& command, std::string_view flag) const {
    std::string name(flag.substr(std::min(flag.find_first_not_of('-'), flag.size())));
    if (name.starts_with("no-")) name = name.substr(3);
    std::string found;
    for (const Argument& option : command.options)
      for (const google::protobuf::FieldDescriptor* chain : option.values.chains)
        for (const options::FilterKind& filter : options::filters_of(chain->message_type())) {
          const auto found_option = options::find_option(filter.message(), name);
          if (!found_option) continue;
          std::string values;
          if (const auto* type = found_option->field().enum_type(); type != nullptr)
            for (const options::Choice& choice : options::choices_of(type))
              values += (values.empty() ? "" : "|") + choice.name;
          if (values.empty()) values = "VALUE";
          const bool is_given = std::ranges::any_of(
              words_, [&](const std::string& word) { return word.find(filter.name()) != std::string::npos; });
          if (found.empty() || is_given) found = fmt::format("{}={}={}", filter.name(), name, values);
          if (is_given) return found;
        }
    return found;
  }

  Command& root_;
  std::vector<std::string> words_;
  CLI::App app_{"", "weft"};
  std::vector<std::pair<Argument*, std::vector<std::string>>> given_;
};

}  // namespace

bool has_flag(const std::vector<std::string>& words, std::initializer_list<std::string> flags) {
  const auto end = std::find(words.begin(), words.end(), "--");
  return std::find_first_of(words.begin(), end, flags.begin(), flags.end()) != end;
}

StatusOr<Parsed> parse(Command& root, const std::vector<std::string>& words) {
  // The completion command is handled here: CLI11 would parse the flags of the line being completed
  // as its own.
  for (Command& command : root.commands)
    if (command.take_rest && !words.empty() && words[0] == command.name) {
      command.take_rest({words.begin() + 1, words.end()});
      return Parsed{.command = &command};
    }
  const CommandPosition position = find_position(root, words);
  if (!position.command->is_default || position.plain_words == 0) return Parser(root).read(words);
  if (!has_flag(words, {"-h", "--help", "--help-all"}))
    RETURN_IF_ERROR(position.command->check_first_word(words[position.first_word]));
  std::vector<std::string> named = words;
  named.insert(named.begin() + ptrdiff_t(position.named_at), position.command->name);
  return Parser(root).read(std::move(named));
}

}  // namespace weft::cli
