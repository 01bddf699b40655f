// SPDX-License-Identifier: Apache-2.0
#include "client_cli/command_line/job_filter.h"

#include <ctime>

#include "client_cli/output/text.h"
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
      command.value("--state", "STATE", states,
                    "Only jobs in this state; may be given several times, for jobs in any of the states.");
  state.values = {Values::Kind::kWord, options::choices_of(v1::JobState_descriptor())};
  command.value(
      "--label", "KEY[=VALUE]", labels,
      "Only jobs with this label, with any value if only KEY is given; may be given several times, for "
      "jobs with all of the labels.");
  command.value("--owner", "NAME", owner, "Only jobs of this user.");
  Argument& kinds = command.value("--kind", "KIND", kind, "Only jobs of this kind.");
  kinds.completed_by(Values::Kind::kWord);
  for (const options::JobKind& known : options::job_kinds())
    kinds.values.words.push_back({known.name, known.summary, 0});
  command.value("--text", "TEXT", text, "Only jobs with this in the path of a file.");
  command.value(
      "--since", "TIME", since,
      "Only jobs submitted at this time or later: 2h, 1d (before now), 2026-11-28, \"2026-11-28 14:30\", "
      "today or yesterday.");
}

bool FilterFlags::is_given() const {
  return !states.empty() || !labels.empty() || !owner.empty() || !kind.empty() || !text.empty() ||
         !since.empty();
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
    if (label.empty() || equals == 0)
      return invalid_argument("The label ({}) has no name; write KEY or KEY=VALUE.", label);
    if (equals == std::string::npos)
      filter.add_label_keys(label);
    else
      (*filter.mutable_labels())[label.substr(0, equals)] = label.substr(equals + 1);
  }
  if (!since.empty()) {
    ASSIGN_OR_RETURN(*filter.mutable_since(), parse_past(since, std::time(nullptr)));
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
