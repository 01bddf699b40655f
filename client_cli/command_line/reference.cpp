// SPDX-License-Identifier: Apache-2.0
// Formats the pages of docs/reference/ from the command tree and from the declared options.
#include <fmt/format.h>

#include "client/output_template.h"
#include "client_cli/command_line/command.h"
#include "client_cli/command_line/exit_texts.h"
#include "client_cli/command_line/filter_texts.h"
#include "client_cli/command_line/spec_flags.h"
#include "options/job_kinds.h"
#include "options/synonyms.h"
#include "options/words.h"

namespace weft::cli {
namespace {

// Returns the text as a cell of a Markdown table.
std::string cell(std::string_view text) {
  std::string result;
  for (const char c : text) result += c == '|' ? std::string("\\|") : std::string(1, c);
  return result;
}

std::string option_rows(const std::list<Argument>& options) {
  if (options.empty()) return "";
  std::string text = "| option | meaning |\n|---|---|\n";
  for (const Argument& option : options)
    text += fmt::format("| `{}` | {} |\n", cell(option.title()), cell(option.help));
  return text + "\n";
}

// Returns the table rows of other programs' names and their replacements, which messages also
// suggest.
std::string synonym_rows() {
  std::string text =
      "Names of other programs are not accepted, but messages suggest these replacements, with the values "
      "that "
      "were given.\n\n| program | name | replacement |\n|---|---|---|\n";
  for (const options::Synonym& synonym : options::synonyms()) {
    std::string replacement = options::plain_replacement(synonym);
    if (synonym.kind == options::Synonym::Kind::kCommand) replacement = "weft " + replacement;
    if (synonym.kind == options::Synonym::Kind::kEncoder) replacement = "--encoder " + replacement;
    if (!replacement.empty())
      replacement = fmt::format("`{}`{}", replacement, synonym.note.empty() ? "" : ". ");
    text += fmt::format("| {} | `{}` | {}{} |\n", synonym.program, cell(synonym.name), cell(replacement),
                        cell(synonym.note));
  }
  return text + "\n";
}

std::string command_section(const Command& command) {
  std::string text;
  if (command.hidden) return text;
  if (command.same_as != nullptr)
    return fmt::format("## {}\n\n{} {}\n\n", command.full_name(), command.summary, same_text(command));
  if (command.commands.empty() || command.run) {
    text = fmt::format("## {}\n\n{}\n\n    {}\n\n", command.full_name(), command.summary, command.usage()) +
           option_rows(command.options);
    if (!command.examples.empty()) text += fmt::format("```sh\n{}\n```\n\n", command.examples);
  }
  for (const Command& inside : command.commands) text += command_section(inside);
  return text;
}

std::string type_text(const options::Option& option) {
  switch (option.type()) {
    case options::ValueType::kBool:
      return "yes or no";
    case options::ValueType::kInteger:
      return "whole number";
    case options::ValueType::kNumber:
      return "number";
    case options::ValueType::kText:
      return option.is_map()                                   ? "KEY=VALUE"
             : option.path_kind() == v1::PATH_KIND_UNSPECIFIED ? "text"
                                                               : "path";
    case options::ValueType::kChain:
      return "[filters](filters.md)";
    case options::ValueType::kChoice:
      break;
  }
  std::string text;
  for (const options::Choice& choice : option.choices())
    text += (text.empty() ? "" : ", ") + ("`" + choice.name + "`");
  return text;
}

// Returns a table of a message's options. `lead` is the text in front of an option's name: "--".
std::string options_table(const google::protobuf::Descriptor* message, std::string_view lead = "--") {
  std::string text = "| option | field | value | default | meaning |\n|---|---|---|---|---|\n";
  for (const options::Option& option : options::options_of(message)) {
    std::string type = type_text(option);
    if (const std::string range = option.range_text(); !range.empty()) type += ", " + range;
    if (!option.unit().empty()) type += " " + option.unit();
    const std::string standard = option.required()               ? "required"
                                 : option.default_text().empty() ? ""
                                                                 : "`" + option.default_text() + "`";
    const std::string original = option.original_name();
    text += fmt::format("| `{}{}`{} | `{}` | {} | {} | {}{} |\n", lead, option.flag(),
                        original.empty() ? "" : fmt::format(" ({})", original), option.path(), cell(type),
                        standard, cell(option.help()), option.advanced() ? " (expert)" : "");
  }
  text += "\n";
  for (const options::Option& option : options::options_of(message)) {
    if (option.choices().empty()) continue;
    text += fmt::format("Choices of `{}{}`:\n\n", lead, option.flag());
    for (const options::Choice& choice : option.choices())
      text += fmt::format("- `{}`: {}\n", choice.name, choice.text());
    text += "\n";
  }
  return text;
}

}  // namespace

std::string format_command_reference(const Command& root) {
  std::string text = fmt::format(
      "# The command line\n\n<!-- Generated by `weft help --commands`; do not edit. -->\n\n{}\n\n",
      kProgramText);
  text += "Options that every command takes, before or after its name:\n\n" + option_rows(root.options);
  for (const Command& command : root.commands) text += command_section(command);
  text += "## Synonyms\n\n" + synonym_rows();
  text += fmt::format("## Output names\n\n{}\n\n| field | meaning |\n|---|---|\n", kTemplateText);
  for (const auto& [field, help] : client::documented_fields())
    text += fmt::format("| `{{{}}}` | {} |\n", field, help);
  text += "\n## Exit status\n\n| status | meaning |\n|---|---|\n";
  for (const ExitText& exit : kExitTexts) text += fmt::format("| {} | {} |\n", int(exit.code), exit.text);
  text += "\n## Environment\n\n| variable | meaning |\n|---|---|\n";
  for (const EnvironmentText& variable : kEnvironmentTexts)
    text += fmt::format("| `{}` | {} |\n", variable.name, variable.text);
  return text;
}

std::string format_options_reference() {
  std::string text =
      "# Options\n\n<!-- Generated by `weft help --options`; do not edit. -->\n\n"
      "Every option of every kind of job, as declared in `proto/weft/v1`. The command line's flags, the "
      "fields of the API and "
      "the defaults are these.\n\n";
  for (const options::JobKind& kind : options::job_kinds())
    text +=
        fmt::format("## {}\n\n{} Fields of `{}`.\n\n", kind.name, kind.summary, kind.message()->full_name()) +
        options_table(kind.message());
  text += fmt::format("## Queue\n\nHow a job is queued: the same for every kind. Fields of `{}`.\n\n",
                      v1::JobSettings::descriptor()->full_name());
  text += options_table(v1::JobSettings::descriptor());
  text.pop_back();  // removes the empty line of the last table
  return text;
}

std::string format_filters_reference() {
  std::string text = fmt::format(
      "# Filters\n\n<!-- Generated by `weft help --filters`; do not edit. -->\n\n{}\n\n", kChainText);
  for (const FilterUse& use : all_filters()) {
    const v1::FilterDeclaration& declared = use.filter.declaration();
    text +=
        fmt::format("## {}\n\n{} For {}.", declared.name(), declared.summary(), options::join_or(use.kinds));
    if (!declared.first_option().empty())
      text += fmt::format(" A first value without a key is `{}`.", declared.first_option());
    text += fmt::format(" Fields of `{}`.\n\n", use.filter.message()->full_name());
    text += options_table(use.filter.message(), "");
  }
  text.pop_back();  // removes the empty line of the last table
  return text;
}

}  // namespace weft::cli
