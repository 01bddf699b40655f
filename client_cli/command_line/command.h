// SPDX-License-Identifier: Apache-2.0
// Describes the command tree as data. Parsing, help, manual, reference and completion are all
// derived from it.
//
//   Command& command = root.add("list", "Lists jobs, newest first.");
//   command.flag("--all", list->all, "List all jobs without a limit.");
//   command.run = [&context, list] { return run(context, *list); };
#pragma once

#include <functional>
#include <initializer_list>
#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "options/option.h"
#include "weft/v1/job.pb.h"

namespace weft::cli {

// The possible values of an option, for shell completion and the manual.
struct Values {
  enum class Kind {
    kAnything,
    kFile,
    kJob,
    kDevice,
    kJobOrDevice,
    kProfile,
    kWord,
    kChain,
    kTopic,
    kSetting
  };
  Kind kind = Kind::kAnything;
  std::vector<options::Choice> words{};  // kWord: the values
  // kChain: the chains that can contain the filters
  std::vector<const google::protobuf::FieldDescriptor*> chains{};
  // kJob: states of the offered jobs; empty: all jobs
  std::vector<v1::JobState> states{};
  // kSetting: an option of a job as KEY=VALUE
  // kWord: the option accepts several values, separated by commas
  bool is_list = false;
};

// A flag, or a positional argument (a word) such as IN.
struct Argument {
  std::vector<std::string> flags;           // names of the flag: "-o", "--output"; empty for a word
  std::vector<std::string> negative_flags;  // names that set the opposite: "--no-overwrite"
  // placeholder of the value: "OUT"; empty: the flag has no value
  std::string value_name;
  std::string help;  // help text, one or more sentences
  std::string heading = "Options";
  bool required = false;
  // parsing does not require it, because another source may provide the value; the command checks
  // this
  bool has_stand_in = false;
  bool several = false;  // a word with several values, or a flag that may be repeated
  Values values;
  std::vector<std::string> excludes;  // flags that may not be given together with this one
  // Receives the values in order. A flag without a value receives "true" or "false".
  std::function<Status(const std::vector<std::string>&)> set;

  bool is_word() const { return flags.empty(); }
  // usage of the argument: "-o, --output OUT", "--[no-]overwrite" or "IN..."
  std::string title() const;

  Argument& require() { return required = true, *this; }
  Argument& under(std::string_view title) { return heading = title, *this; }
  Argument& completed_by(Values::Kind kind) { return values.kind = kind, *this; }
  Argument& without(std::string_view flag) { return excludes.emplace_back(flag), *this; }
};

// The heading of the options that only the full help shows.
inline constexpr const char* kAdvanced = "Advanced";

struct Command {
  Command(std::string_view its_name, std::string_view its_summary) : name(its_name), summary(its_summary) {}
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  // Adds a subcommand and returns a reference that stays valid. A command has either subcommands or
  // words. A command with subcommands may also have an action for a call without a subcommand.
  Command& add(std::string_view inside, std::string_view its_summary);

  // Declare options and words. `names` are separated by commas: "-f,--follow". Parsing stores the
  // value in `value`.
  Argument& flag(std::string_view names, bool& value, std::string_view help);
  Argument& value(std::string_view names, std::string_view value_name, std::string& value,
                  std::string_view help);
  Argument& value(std::string_view names, std::string_view value_name, std::vector<std::string>& values,
                  std::string_view help);
  Argument& word(std::string_view value_name, std::string& value, std::string_view help);
  Argument& words(std::string_view value_name, std::vector<std::string>& values, std::string_view help);
  // Restricts an option to the names of `choices`.
  Argument& choose(Argument& option, std::string& value, const std::vector<options::Choice>& choices);
  Argument& add_option(Argument option);

  std::string full_name() const;  // name with its parents: "weft submit video"
  // usage line: "weft submit video IN... -o OUT"; two lines if the command has a default subcommand
  std::string usage() const;
  const Command* find(std::string_view inside) const;
  const Command* default_command() const;  // null: there is no default subcommand
  std::vector<const Argument*> options_of(bool words) const;

  std::string name;      // name without its parents: "video"
  std::string summary;   // one sentence
  std::string examples;  // command lines, one a line
  bool hidden = false;
  // Default subcommand of the parent: chosen if the word after the parent's name is no name of a
  // subcommand. This word is then the first word of the default subcommand.
  bool is_default = false;
  // Checks the first word of a default subcommand. The message of INVALID_ARGUMENT states why the
  // word is not valid.
  std::function<Status(const std::string&)> check_first_word;
  // command with the same subcommands and options, which documents them
  const Command* same_as = nullptr;
  std::list<Argument> options;  // a list, so that addresses stay valid
  std::list<Command> commands;
  const Command* parent = nullptr;
  std::function<int()> run;
  // Receives all words after the command's name, which are then not parsed.
  std::function<void(std::vector<std::string>)> take_rest;
};

// The position in the command tree after some words of a command line.
struct CommandPosition {
  const Command* command;
  const Argument* waiting = nullptr;  // flag that the next word is the value of
  size_t plain_words = 0;             // number of the command's positional words so far
  // index of the word after the command's name; for a default subcommand: after its parent's name
  size_t named_at = 0;
  size_t first_word = 0;  // index of the command's first positional word, if plain_words is not 0
};
CommandPosition find_position(const Command& root, const std::vector<std::string>& words);

// Returns a flag of the command, of its default subcommand or of the root, or null if there is no
// such flag.
const Argument* find_flag(const Command& command, const Command& root, const std::string& flag);

// Parses a whole number ("3") from `lowest` to `highest`. The message of INVALID_ARGUMENT names the
// option, the value and the limits.
StatusOr<int> parse_whole(std::string_view option, std::string_view text, int lowest, int highest);

// The result of parsing a command line.
struct Parsed {
  const Command* command = nullptr;  // the last command on the command line
  bool help = false;                 // true: help of the command is requested
  bool full_help = false;            // true: the help includes the advanced options
  // true: the subcommand is missing; the help of the command lists the subcommands
  bool incomplete = false;
  bool version = false;  // true: `weft --version`
};

// Returns true if the words contain one of these flags. Words after "--" are not flags.
bool has_flag(const std::vector<std::string>& words, std::initializer_list<std::string> flags);

// Parses the words after the program's name and stores the values. `--help` and `--help-all` end
// the parsing. Errors are mistakes in the command line: INVALID_ARGUMENT, with the nearest known
// word for a misspelt one.
StatusOr<Parsed> parse(Command& root, const std::vector<std::string>& words);

// Returns the help of a command with lines of at most `width` columns. `all` includes the advanced
// options.
struct Terminal;
std::string format_help(const Command& command, const Command& root, size_t width, bool all,
                        const Terminal& terminal);

// Returns a sentence that refers from an alias to the command that documents its options.
std::string same_text(const Command& command);

// Returns the manual page weft(1) in the man macros of groff.
std::string format_manual(const Command& root);

// Return the pages docs/reference/command-line.md, options.md (the options of every kind of job)
// and filters.md (every filter with its options).
std::string format_command_reference(const Command& root);
std::string format_options_reference();
std::string format_filters_reference();

}  // namespace weft::cli
