// SPDX-License-Identifier: Apache-2.0
// Formats the help of commands for the terminal, from the command tree.
#include <algorithm>

#include "client_cli/command_line/command.h"
#include "client_cli/output/terminal.h"
#include "client_cli/output/text.h"

namespace weft::cli {
namespace {

constexpr size_t kTitleColumns = 30;

// Returns the headings in the order of their first option, the advanced one last.
std::vector<std::string> headings_of(const Command& command) {
  std::vector<std::string> result;
  for (const Argument* option : command.options_of(false))
    if (std::find(result.begin(), result.end(), option->heading) == result.end())
      result.push_back(option->heading);
  std::stable_partition(result.begin(), result.end(),
                        [](const std::string& heading) { return heading != kAdvanced; });
  return result;
}

class HelpText {
 public:
  HelpText(size_t width, const Terminal& terminal) : width_(width), terminal_(terminal) {}

  void add(std::string_view text) { text_ += text; }
  void title(std::string_view text) { text_ += "\n" + paint(terminal_, TextColour::kBold, text) + "\n"; }
  void line(const std::string& name, const std::string& help) {
    const size_t used = 2 + display_width(name);
    const bool fits = used + 1 < kTitleColumns;
    text_ += "  " + paint(terminal_, TextColour::kBold, name);
    text_ += fits ? std::string(kTitleColumns - used, ' ') : "\n" + std::string(kTitleColumns, ' ');
    text_ += wrap(help, width_, kTitleColumns) + "\n";
  }
  void lines(const std::string& text) {
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      text_ += "  " + text.substr(begin, end - begin) + "\n";
      begin = end + 1;
    }
  }
  std::string take() { return std::move(text_); }

 private:
  size_t width_;
  const Terminal& terminal_;
  std::string text_;
};

// Adds the flags. Returns true if options were omitted.
bool add_flags(HelpText& text, const Command& command, bool all) {
  bool left_out = false;
  for (const std::string& heading : headings_of(command)) {
    if (heading == kAdvanced && !all) {
      left_out = true;
      continue;
    }
    text.title(heading + ":");
    for (const Argument* option : command.options_of(false))
      if (option->heading == heading) text.line(option->title(), option->help);
  }
  return left_out;
}

}  // namespace

std::string format_help(const Command& command, const Command& root, size_t width, bool all,
                        const Terminal& terminal) {
  HelpText text(width, terminal);
  text.add(wrap(command.summary, width, 0) + "\n");
  text.title("Usage:");
  text.lines(command.usage());
  const std::vector<const Argument*> words = command.options_of(true);
  if (!words.empty()) text.add("\n");
  for (const Argument* word : words) text.line(word->title(), word->help);
  if (!command.commands.empty()) text.title("Commands:");
  for (const Command& inside : command.commands)
    if (!inside.hidden) text.line(inside.name, inside.summary);
  const bool left_out = add_flags(text, command, all);
  if (&command != &root) {
    text.title("Global options:");
    for (const Argument& option : root.options) text.line(option.title(), option.help);
  }
  if (!command.examples.empty()) text.title("Examples:");
  text.lines(command.examples);
  if (left_out) text.add("\nThere are more options for experts: --help-all shows them.\n");
  return text.take();
}

}  // namespace weft::cli
