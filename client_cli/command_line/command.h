// SPDX-License-Identifier: Apache-2.0
// The command tree as data: the one source of parsing, help, manual, reference and completion.
//
//   Command& command = root.add("list", "Lists jobs, newest first.");
//   command.flag("--all", list->all, "List every job, however many there are.");
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

namespace weft::cli {

// What may stand for an option's value: for shell completion and the manual.
struct Values {
  enum class Kind { kAnything, kFile, kJob, kDevice, kWord, kChain };
  Kind kind = Kind::kAnything;
  std::vector<options::Choice> words{};                            // kWord
  std::vector<const google::protobuf::FieldDescriptor*> chains{};  // kChain: the chains that give the filters
};

// A flag, or a word such as IN.
struct Argument {
  std::vector<std::string> flags;           // "-o", "--output"; empty for a word
  std::vector<std::string> negative_flags;  // "--no-overwrite"
  std::string value_name;                   // "OUT"; empty: takes no value
  std::string help;                         // sentences
  std::string heading = "Options";
  bool required = false;
  bool has_stand_in = false;  // something else may say it: the command looks whether it is there
  bool several = false;       // a word that takes many, or a flag that may be given again
  Values values;
  std::vector<std::string> excludes;  // flags that may not stand beside it
  // Takes what was given: the values in order; for a flag without a value "true" or "false".
  std::function<Status(const std::vector<std::string>&)> set;

  bool is_word() const { return flags.empty(); }
  std::string title() const;  // "-o, --output OUT", "--[no-]overwrite", "IN..."

  Argument& require() { return required = true, *this; }
  Argument& under(std::string_view title) { return heading = title, *this; }
  Argument& completed_by(Values::Kind kind) { return values.kind = kind, *this; }
  Argument& without(std::string_view flag) { return excludes.emplace_back(flag), *this; }
};

// The heading of options that only full help shows.
inline constexpr const char* kAdvanced = "Advanced";

struct Command {
  Command(std::string_view its_name, std::string_view its_summary) : name(its_name), summary(its_summary) {}
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  // Commands inside; references stay valid. A command has either these or words of its own; it may run itself where none is named.
  Command& add(std::string_view inside, std::string_view its_summary);

  // Options; `names`: "-f,--follow". What is given is stored in the last argument but one when the line is read.
  Argument& flag(std::string_view names, bool& value, std::string_view help);
  Argument& value(std::string_view names, std::string_view value_name, std::string& value,
                  std::string_view help);
  Argument& value(std::string_view names, std::string_view value_name, std::vector<std::string>& values,
                  std::string_view help);
  Argument& word(std::string_view value_name, std::string& value, std::string_view help);
  Argument& words(std::string_view value_name, std::vector<std::string>& values, std::string_view help);
  // Only these words are taken.
  Argument& choose(Argument& option, std::string& value, const std::vector<options::Choice>& choices);
  Argument& add_option(Argument option);

  std::string full_name() const;  // "weft submit video"
  std::string usage()
      const;  // "weft submit video IN... -o OUT [OPTIONS]"; two lines where a default command is inside
  const Command* find(std::string_view inside) const;
  const Command* default_command() const;  // null: none
  std::vector<const Argument*> options_of(bool words) const;

  std::string name;      // "video"
  std::string summary;   // a sentence
  std::string examples;  // lines
  bool hidden = false;
  // Is meant where the first word behind its parent names no other command; that word is its own first one.
  bool is_default = false;
  // OK: such a word can be the first one. INVALID_ARGUMENT tells why not.
  std::function<Status(const std::string&)> check_first_word;
  const Command* same_as = nullptr;  // has the same commands and options, and is documented
  std::list<Argument> options;       // addresses stay valid
  std::list<Command> commands;
  const Command* parent = nullptr;
  std::function<int()> run;
  // Instead of reading words and flags: gets all that follows the name.
  std::function<void(std::vector<std::string>)> take_rest;
};

// Where words lead to in the command tree.
struct CommandPosition {
  const Command* command;
  const Argument* waiting = nullptr;  // a flag, if the next word is its value
  size_t plain_words = 0;             // words of the command that stand already
  size_t named_at = 0;    // the command's name ends before this word; of a default command its parent's
  size_t first_word = 0;  // of the command, where plain_words is not 0
};
CommandPosition find_position(const Command& root, const std::vector<std::string>& words);

// The flag among those of the command, of its default command and of the root; null: there is none.
const Argument* find_flag(const Command& command, const Command& root, const std::string& flag);

// "3", from `lowest` to `highest`. INVALID_ARGUMENT names the option, the value and the limits.
StatusOr<int> parse_whole(std::string_view option, std::string_view text, int lowest, int highest);

// What a command line asks for.
struct Parsed {
  const Command* command = nullptr;  // the one that was named last
  bool help = false;                 // its help is wanted
  bool full_help = false;            // with the options for experts
  bool incomplete = false;           // a command must follow; its help says which there are
  bool version = false;              // `weft --version`
};

// True if one of these flags stands among the words; what follows "--" are no flags.
bool has_flag(const std::vector<std::string>& words, std::initializer_list<std::string> flags);

// Reads the words after the program's name and stores the values. `--help` and `--help-all` stop it. Errors are
// usage: INVALID_ARGUMENT, with the nearest known word where one was misspelt.
StatusOr<Parsed> parse(Command& root, const std::vector<std::string>& words);

// Help of one command, in at most `width` columns; advanced options only with `all`.
struct Terminal;
std::string format_help(const Command& command, const Command& root, size_t width, bool all,
                        const Terminal& terminal);

// Of a command that is the same as another: where its options are documented.
std::string same_text(const Command& command);

// The manual weft(1), in the man macros of groff.
std::string format_manual(const Command& root);

// docs/reference/command-line.md, docs/reference/options.md: every option of every kind of job, and
// docs/reference/filters.md: every filter with its options.
std::string format_command_reference(const Command& root);
std::string format_options_reference();
std::string format_filters_reference();

}  // namespace weft::cli
