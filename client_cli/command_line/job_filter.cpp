// SPDX-License-Identifier: Apache-2.0
#include "client_cli/command_line/job_filter.h"

#include "options/job_kinds.h"
#include "options/words.h"

namespace weft::cli {
namespace {

Status unknown_word(std::string_view what, std::string_view word, const std::vector<std::string>& known) {
  const std::string hint = options::did_you_mean(word, known);
  return invalid_argument("The {} ({}) is not known{} There are {}.", what, word, hint.empty() ? "." : hint,
                          options::join_and(known));
}

}  // namespace

void FilterFlags::add(Command& command) {
  Argument& state =
      command.value("--state", "STATE", states, "Only jobs in this state; may be given several times.");
  state.values = {Values::Kind::kWord, options::choices_of(v1::JobState_descriptor())};
  command.value("--label", "KEY=VALUE", labels, "Only jobs with this label; may be given several times.");
  command.value("--owner", "NAME", owner, "Only jobs of this user.");
  Argument& kinds = command.value("--kind", "KIND", kind, "Only jobs of this kind.");
  kinds.completed_by(Values::Kind::kWord);
  for (const options::JobKind& known : options::job_kinds())
    kinds.values.words.push_back({known.name, known.summary, 0});
  command.value("--text", "TEXT", text, "Only jobs with this in the path of a file.");
}

StatusOr<v1::JobFilter> FilterFlags::resolve() const {
  v1::JobFilter filter;
  for (const std::string& state : states) {
    const auto number = options::choice_number(v1::JobState_descriptor(), state);
    std::vector<std::string> names;
    for (const options::Choice& choice : options::choices_of(v1::JobState_descriptor()))
      names.push_back(choice.name);
    if (!number) return unknown_word("state", state, names);
    filter.add_states(static_cast<v1::JobState>(*number));
  }
  for (const std::string& label : labels) {
    const size_t equals = label.find('=');
    if (equals == std::string::npos || equals == 0)
      return invalid_argument(
          "The label ({}) is not of the form KEY=VALUE; give a name, an equals sign and a value.", label);
    (*filter.mutable_labels())[label.substr(0, equals)] = label.substr(equals + 1);
  }
  if (!kind.empty() && !options::find_job_kind(kind)) {
    std::vector<std::string> names;
    for (const options::JobKind& known : options::job_kinds()) names.push_back(known.name);
    return unknown_word("kind", kind, names);
  }
  filter.set_owner(owner);
  filter.set_kind(kind);
  filter.set_text(text);
  return filter;
}

}  // namespace weft::cli
