// SPDX-License-Identifier: Apache-2.0
#include "client_cli/command_line/complete.h"

#include <algorithm>

#include "client_cli/command_line/complete_chain.h"

namespace weft::cli {
namespace {

void add_matching(Completion& completion, const std::string& start, const std::string& word,
                  const std::string& help) {
  if (word.starts_with(start)) completion.candidates.push_back({word, help});
}

// `lead`: what stands before the value in the same word ("--filter=").
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
      add_all(live.jobs());
      break;
    case Values::Kind::kDevice:
      add_all(live.devices());
      break;
    case Values::Kind::kWord:
      for (const options::Choice& choice : values.words)
        if (choice.name.starts_with(start))
          completion.candidates.push_back({lead + choice.name, choice.help});
      break;
    case Values::Kind::kChain:
      add_all(complete_chains(values.chains, start));
      completion.goes_on = true;
  }
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
  # bash takes words apart at = and :; what stood in one word is put together again.
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
  const CommandPosition place = find_position(root, before);
  if (place.waiting != nullptr) {
    add_values(completion, place.waiting->values, current, "", live);
    return completion;
  }
  if (const size_t equals = current.find('='); current.starts_with("--") && equals != std::string::npos) {
    const Argument* option = find_flag(*place.command, root, current.substr(0, equals));
    if (option != nullptr)
      add_values(completion, option->values, current.substr(equals + 1), current.substr(0, equals + 1), live);
    return completion;
  }
  if (current.starts_with('-')) {
    add_flags(completion, *place.command, root, current);
    return completion;
  }
  for (const Command& inside : place.command->commands)
    if (!inside.hidden && !inside.is_default) add_matching(completion, current, inside.name, inside.summary);
  const Command* meant = place.command->default_command();
  size_t index = 0;
  for (const Argument& option : (meant != nullptr ? meant : place.command)->options) {
    if (!option.is_word()) continue;
    if (index++ == place.plain_words || option.several) {
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
