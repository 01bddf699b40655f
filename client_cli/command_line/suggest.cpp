// SPDX-License-Identifier: Apache-2.0
#include "client_cli/command_line/suggest.h"

#include <algorithm>

#include "client_cli/command_line/filter_texts.h"
#include "options/synonyms.h"
#include "options/words.h"

namespace weft::cli {
namespace {

using options::Synonym;

bool holds_chain(const Argument& argument) { return !argument.values.chains.empty(); }

// Returns true if the command has the flag that replaces the synonym.
bool applies(const Synonym& synonym, const Command& command, const Command& root) {
  if (synonym.kind == Synonym::Kind::kFilterFlag) return std::ranges::any_of(command.options, holds_chain);
  const std::string_view text = synonym.replacement;
  if (text.starts_with("--"))
    return find_flag(command, root, std::string(text.substr(0, text.find(' ')))) != nullptr;
  return std::ranges::any_of(command.options,
                             [](const Argument& each) { return each.values.kind == Values::Kind::kFile; });
}

// Returns a suggestion with the replacement as it is written on the command line.
std::string written(const Synonym& synonym, const std::string& replacement, const Command& command) {
  if (replacement.empty()) return "";
  if (synonym.kind != Synonym::Kind::kFilterFlag) return fmt::format("did you mean `{}`?", replacement);
  const auto chain = std::ranges::find_if(command.options, holds_chain);
  if (chain->is_word()) return fmt::format("it is a filter here: write {} as the first word.", replacement);
  return fmt::format("did you mean `{} {}`?", chain->flags.back(), replacement);
}

}  // namespace

std::string suggest_command(const Command& command, std::string_view word) {
  std::vector<std::string> names;
  for (const Command& inside : command.commands)
    if (!inside.hidden) names.push_back(inside.name);
  if (command.parent == nullptr) {
    if (const Synonym* known = options::find_synonym(Synonym::Kind::kCommand, word))
      return fmt::format("; did you mean `weft {}`?", known->replacement);
    const Command* submit = command.find("submit");
    const bool is_filter =
        std::ranges::any_of(all_filters(), [&](const FilterUse& use) { return use.filter.name() == word; });
    if (submit != nullptr && (is_filter || submit->find(word) != nullptr))
      return fmt::format("; did you mean `weft submit {}` or `weft run {}`?", word, word);
  }
  const std::string hint = options::did_you_mean(word, names);
  return hint.empty() ? "." : hint;
}

std::string suggest_flags(const Command& command, const Command& root,
                          const std::vector<std::string>& words) {
  std::string text;
  for (size_t i = 0; i < words.size() && words[i] != "--"; i++) {
    const std::string flag = words[i].substr(0, words[i].find('='));
    if (!flag.starts_with('-') || find_flag(command, root, flag) != nullptr) continue;
    const Synonym* known = options::find_synonym(Synonym::Kind::kFlag, flag);
    if (known == nullptr || !applies(*known, command, root))
      known = options::find_synonym(Synonym::Kind::kFilterFlag, flag);
    if (known == nullptr || !applies(*known, command, root)) continue;
    const bool has_value = flag.size() < words[i].size();
    const bool follows = !has_value && i + 1 < words.size() && !words[i + 1].starts_with('-');
    const std::string value = has_value ? words[i].substr(flag.size() + 1) : follows ? words[i + 1] : "";
    const std::string hint = written(*known, options::replacement_with(*known, value), command);
    text += fmt::format("{}{} has no option '{}'{}{}{}{}", text.empty() ? "" : "\n", command.full_name(),
                        flag, hint.empty() ? "." : "; ", hint, known->note.empty() ? "" : " ", known->note);
  }
  return text;
}

}  // namespace weft::cli
