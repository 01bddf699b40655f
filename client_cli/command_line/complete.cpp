// SPDX-License-Identifier: Apache-2.0
#include "client_cli/command_line/complete.h"

#include <algorithm>
#include <map>

#include "client/built_in_profiles.h"
#include "client/profiles.h"
#include "client_cli/command_line/complete_chain.h"
#include "client_cli/command_line/spec_flags.h"
#include "client_cli/command_line/topics.h"
#include "options/job_kinds.h"

namespace weft::cli {
namespace {

void add_matching(Completion& completion, const std::string& start, const std::string& word,
                  const std::string& help) {
  if (word.starts_with(start)) completion.candidates.push_back({word, help});
}

// Adds words. In a list, the text after the last comma is completed.
void add_words(Completion& completion, const Values& values, const std::string& start,
               const std::string& lead) {
  const size_t comma = values.is_list ? start.rfind(',') : std::string::npos;
  const size_t begin = comma == std::string::npos ? 0 : comma + 1;
  for (const options::Choice& choice : values.words)
    if (choice.name.starts_with(start.substr(begin)))
      completion.candidates.push_back({lead + start.substr(0, begin) + choice.name, choice.help});
  completion.goes_on = values.is_list;
}

// Returns the options of all kinds of jobs and of the queue, by flag. One of several kinds has the
// values of the first, and the chains of all.
std::map<std::string, Argument> settable_options() {
  std::map<std::string, Argument> found;
  const auto add = [&](const google::protobuf::Descriptor* message) {
    for (const options::Option& option : options::options_of(message)) {
      const auto [entry, is_new] = found.emplace(option.flag(), declare_flag(option));
      if (!is_new && option.is_chain()) entry->second.values.chains.push_back(&option.field());
    }
  };
  for (const options::JobKind& kind : options::job_kinds()) add(kind.message());
  add(v1::JobSettings::descriptor());
  return found;
}

// Adds values. `lead` is the text of the word in front of the value ("--filter=").
void add_values(Completion& completion, const Values& values, const std::string& start,
                const std::string& lead, const LiveValues& live) {
  const auto add_all = [&](const std::vector<Candidate>& candidates) {
    for (const Candidate& candidate : candidates)
      if (candidate.word.starts_with(start))
        completion.candidates.push_back({lead + candidate.word, candidate.help});
  };
  switch (values.kind) {
    case Values::Kind::kAnything:
      break;
    case Values::Kind::kFile:
      completion.files = lead.empty();
      break;
    case Values::Kind::kJob:
      add_all(live.jobs(values.states));
      break;
    case Values::Kind::kJobOrDevice:
      add_all(live.jobs(values.states));
      add_all(live.devices());
      break;
    case Values::Kind::kDevice:
      add_all(live.devices());
      break;
    case Values::Kind::kProfile:  // a name or a file
      for (const std::string& name : client::profile_names())
        if (name.starts_with(start)) completion.candidates.push_back({lead + name, ""});
      for (const client::BuiltInProfile& each : client::built_in_profiles())
        if (each.name.starts_with(start))
          completion.candidates.push_back({lead + std::string(each.name), ""});
      completion.files = lead.empty();
      break;
    case Values::Kind::kWord:
      add_words(completion, values, start, lead);
      break;
    case Values::Kind::kSetting: {
      const std::map<std::string, Argument> settable = settable_options();
      const size_t equals = start.find('=');
      completion.goes_on = equals == std::string::npos;
      if (completion.goes_on) {
        for (const auto& [name, option] : settable)
          if ((name + "=").starts_with(start))
            completion.candidates.push_back({lead + name + "=", option.help});
      } else if (const auto option = settable.find(start.substr(0, equals)); option != settable.end()) {
        add_values(completion, option->second.values, start.substr(equals + 1),
                   lead + start.substr(0, equals + 1), live);
      }
      break;
    }
    case Values::Kind::kTopic:
      break;  // complete() adds the topics, which depend on the words before
    case Values::Kind::kChain:
      add_all(complete_chains(values.chains, start));
      completion.goes_on = true;
  }
}

// Adds the topics of `weft help`, also for a word in capitals, since names of filters are often
// written so.
void add_topics(Completion& completion, const Command& root, const std::vector<std::string>& before,
                std::string start) {
  std::ranges::transform(start, start.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  std::vector<std::string> words;
  for (size_t i = 1; i < before.size(); i++)
    if (!before[i].starts_with('-')) words.push_back(before[i]);
  for (const Candidate& topic : topics_after(root, words))
    add_matching(completion, start, topic.word, topic.help);
}

void add_flags(Completion& completion, const Command& command, const Command& root,
               const std::string& start) {
  for (const Command* where : {&command, &root}) {
    if (where == &root && &command == &root) break;
    for (const Argument& option : where->options) {
      for (const std::string& flag : option.flags)
        if (flag.starts_with("--")) add_matching(completion, start, flag, option.help);
      for (const std::string& flag : option.negative_flags)
        if (start.starts_with("--no")) add_matching(completion, start, flag, option.help);
    }
  }
}

constexpr const char* kBash = R"(# bash completion for weft; made by `weft completion bash`.
_weft() {
  local line word lead='' file_names=0 words=()
  COMPREPLY=()
  # bash splits words at = and :; they are joined again.
  local i glue=0
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((glue)) || [[ $word == [=:]* && ${#words[@]} -gt 0 ]]; then words[${#words[@]}-1]+=$word; else words+=("$word"); fi
    [[ $word == *[=:] ]] && glue=1 || glue=0
  done
  word=${words[${#words[@]}-1]}
  [[ $word == *[=:]* ]] && lead=${word%"${word##*[=:]}"}
  while IFS= read -r line; do
    case "$line" in
      :files) file_names=1 ;;
      :goes-on) compopt -o nospace 2>/dev/null ;;
      *)
        line=${line%%$'\t'*}
        COMPREPLY+=("${line#"$lead"}") ;;
    esac
  done < <("${COMP_WORDS[0]}" __complete -- "${words[@]}" 2>/dev/null)
  if [ "$file_names" = 1 ]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
  fi
}
complete -F _weft weft
)";

constexpr const char* kZsh = R"(#compdef weft
# zsh completion for weft; made by `weft completion zsh`.
_weft() {
  local line word help file_names=0
  local -a candidates goes_on
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      file_names=1
      continue
    fi
    if [[ $line == :goes-on ]]; then
      goes_on=(-S '')
      continue
    fi
    word=${line%%$'\t'*}
    help=${line#*$'\t'}
    candidates+=("${word//:/\\:}:$help")
  done < <("${words[1]}" __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
  (( $#candidates )) && _describe -V weft candidates $goes_on
  (( file_names )) && _files
}
if [[ $funcstack[1] == _weft ]]; then
  _weft "$@"
else
  compdef _weft weft
fi
)";

constexpr const char* kFish = R"(# fish completion for weft; made by `weft completion fish`.
function __weft_complete
    set -l words (commandline -opc)
    set -l program $words[1]
    set -e words[1]
    set -l current (commandline -ct)
    for line in ($program __complete -- $words "$current" 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path "$current"
        else if test "$line" != :goes-on
            echo $line
        end
    end
end
complete -c weft -f -a '(__weft_complete)'
)";

}  // namespace

Completion complete(const Command& root, const std::vector<std::string>& words, const LiveValues& live) {
  Completion completion;
  const std::string current = words.empty() ? "" : words.back();
  const std::vector<std::string> before(words.begin(), words.end() - (words.empty() ? 0 : 1));
  const CommandPosition position = find_position(root, before);
  if (position.waiting != nullptr) {
    add_values(completion, position.waiting->values, current, "", live);
    return completion;
  }
  if (const size_t equals = current.find('='); current.starts_with("--") && equals != std::string::npos) {
    const Argument* option = find_flag(*position.command, root, current.substr(0, equals));
    if (option != nullptr)
      add_values(completion, option->values, current.substr(equals + 1), current.substr(0, equals + 1), live);
    return completion;
  }
  if (current.starts_with('-')) {
    add_flags(completion, *position.command, root, current);
    return completion;
  }
  for (const Command& inside : position.command->commands)
    if (!inside.hidden && !inside.is_default) add_matching(completion, current, inside.name, inside.summary);
  const Command* meant = position.command->default_command();
  size_t index = 0;
  for (const Argument& option : (meant != nullptr ? meant : position.command)->options) {
    if (!option.is_word()) continue;
    if (index++ == position.plain_words || option.several) {
      if (option.values.kind == Values::Kind::kTopic) add_topics(completion, root, before, current);
      add_values(completion, option.values, current, "", live);
      break;
    }
  }
  return completion;
}

std::string completion_script(const std::string& shell) {
  if (shell == "bash") return kBash;
  if (shell == "zsh") return kZsh;
  if (shell == "fish") return kFish;
  return "";
}

}  // namespace weft::cli
