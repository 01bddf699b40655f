// SPDX-License-Identifier: Apache-2.0
#include "client_cli/command_line/suggest.h"

#include <algorithm>

#include "client_cli/command_line/filter_texts.h"
#include "options/words.h"

namespace weft::cli {
namespace {

struct Synonym {
  std::string_view word;
  std::string_view command;
};

// Of other queues, service managers and media tools.
constexpr Synonym kSynonyms[] = {
    {"abort", "cancel"},
    {"continue", "resume"},
    {"convert", "submit video"},
    {"delete", "cancel"},
    {"doctor", "devices"},
    {"deinterlace", "help filters"},
    {"encoders", "help submit video"},
    {"filter", "help filters"},
    {"filters", "help filters"},
    {"gpus", "devices"},
    {"hold", "pause"},
    {"info", "server"},
    {"jobs", "list"},
    {"kill", "cancel"},
    {"log", "logs"},
    {"ls", "list"},
    {"ps", "list"},
    {"queue", "list"},
    {"rm", "cancel"},
    {"status", "list"},
    {"stop", "cancel"},
    {"transcode", "submit video"},
    {"undrain", "resume"},
    {"wait", "watch"},
};

}  // namespace

std::string suggest_command(const Command& command, std::string_view word) {
  std::vector<std::string> names;
  for (const Command& inside : command.commands)
    if (!inside.hidden) names.push_back(inside.name);
  if (command.parent == nullptr) {
    for (const Synonym& synonym : kSynonyms)
      if (synonym.word == word) return fmt::format("; did you mean `weft {}`?", synonym.command);
    const Command* submit = command.find("submit");
    const bool is_filter =
        std::ranges::any_of(all_filters(), [&](const FilterUse& use) { return use.filter.name() == word; });
    if (submit != nullptr && (is_filter || submit->find(word) != nullptr))
      return fmt::format("; did you mean `weft submit {}` or `weft run {}`?", word, word);
  }
  const std::string hint = options::did_you_mean(word, names);
  return hint.empty() ? "." : hint;
}

}  // namespace weft::cli
