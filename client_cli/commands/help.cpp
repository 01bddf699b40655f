// SPDX-License-Identifier: Apache-2.0
// weft help [TOPIC...]: help, and the pages generated from the command tree at build time.
#include <optional>

#include "client_cli/command_line/command.h"
#include "client_cli/command_line/filter_texts.h"
#include "client_cli/command_line/suggest.h"
#include "client_cli/command_line/topics.h"
#include "client_cli/commands/commands.h"
#include "client_cli/output/exit_codes.h"

namespace weft::cli {
namespace {

constexpr size_t kWidest = 100;

struct Help {
  std::vector<std::string> words;
  bool manual = false;
  bool commands = false;
  bool options = false;
  bool filters = false;
};

Status unknown_command(const Command& command, const std::string& word) {
  if (command.parent == nullptr) {
    const std::string hint = suggest_topic(command, word);
    return invalid_argument("There is no help on '{}'{} `weft help` lists the commands.", word,
                            hint.empty() ? "." : hint);
  }
  return invalid_argument("{} has no command '{}'{}", command.full_name(), word,
                          suggest_command(command, word));
}

// Returns the number of words before names of filters: `weft help filters qtgmc`, `weft help qtgmc`
// and `weft help submit qtgmc`. Nothing: another topic.
std::optional<size_t> words_before_filters(const Command& root, const std::vector<std::string>& words) {
  if (words.empty()) return std::nullopt;
  if (words[0] == kFiltersTopic) return 1;
  const Command* command = root.find(words[0]);
  const size_t before = command != nullptr && command->default_command() != nullptr ? 1 : 0;
  if (words.size() <= before || (before == 0 && command != nullptr)) return std::nullopt;
  return format_filters({words[before]}, kWidest).ok() ? std::optional(before) : std::nullopt;
}

int run(const CommandContext& context, const Help& help) {
  const Command& root = *context.root;
  if (help.manual) {
    context.print(format_manual(root));
  } else if (help.commands) {
    context.print(format_command_reference(root));
  } else if (help.options) {
    context.print(format_options_reference());
  } else if (help.filters) {
    context.print(format_filters_reference());
  } else if (const auto before = words_before_filters(root, help.words)) {
    const auto text = format_filters({help.words.begin() + ptrdiff_t(*before), help.words.end()},
                                     std::min(context.out.width, kWidest));
    if (!text.ok()) return context.fail_usage(text.status());
    context.print(*text);
  } else if (!help.words.empty() && is_encoder_topic(help.words[0])) {
    const auto text = format_encoders(help.words, std::min(context.out.width, kWidest));
    if (!text.ok()) return context.fail_usage(text.status());
    context.print(*text);
  } else {
    const Command* command = &root;
    for (const std::string& word : help.words) {
      const Command* inside = command->find(word);
      if (inside == nullptr) return context.fail_usage(unknown_command(*command, word));
      command = inside;
    }
    context.print(format_help(*command, root, std::min(context.out.width, kWidest), true, context.out));
  }
  return kExitDone;
}

}  // namespace

void add_help(Command& root, CommandContext& context) {
  const auto help = std::make_shared<Help>();
  Command& command = root.add("help", "Shows help, the manual or the reference.");
  command
      .words("TOPIC", help->words, "A command (submit video), a filter, an encoder, or: filters, encoders.")
      .completed_by(Values::Kind::kTopic);
  command.flag("--man", help->manual, "Print the manual weft(1) in roff.");
  command.flag("--commands", help->commands, "Print the reference of all commands in Markdown.")
      .without("--man");
  command.flag("--options", help->options, "Print the reference of all options in Markdown.")
      .without("--man")
      .without("--commands");
  command.flag("--filters", help->filters, "Print the reference of all filters in Markdown.")
      .without("--man")
      .without("--commands")
      .without("--options");
  command.run = [&context, help] { return run(context, *help); };
}

}  // namespace weft::cli
