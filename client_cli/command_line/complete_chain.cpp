// SPDX-License-Identifier: Apache-2.0
#include "client_cli/command_line/complete_chain.h"

#include <algorithm>
#include <set>

#include "options/chain_text.h"
#include "options/filters.h"
#include "options/option.h"

namespace weft::cli {
namespace {

using google::protobuf::FieldDescriptor;
using options::LocatedText;

class ChainCompletion {
 public:
  explicit ChainCompletion(const std::string& typed) : typed_(typed) {}

  void add_chain(const FieldDescriptor& chain, const LocatedText& text) {
    options::TokenReader reader(text);
    while (true) {
      const LocatedText name = reader.take("=,;[]");
      if (reader.at_end()) return add_names(chain, name);
      const auto filter = options::find_filter(chain.message_type(), name.text);
      if (reader.next() == '=' && filter) {
        reader.skip();
        const LocatedText arguments = reader.take(",;[]");
        if (reader.at_end()) return add_argument(*filter, arguments);
      }
      if (reader.next() != ',') return;
      reader.skip();
    }
  }

  std::vector<Candidate> take() { return std::move(candidates_); }

 private:
  // Adds a candidate if `word` begins with the text typed so far. The words contain no characters
  // that need quotes.
  void add(const LocatedText& begun, const std::string& word, const std::string& help) {
    if (word.starts_with(begun.text))
      candidates_.push_back({typed_.substr(0, begun.positions[0]) + word, help});
  }

  void add_names(const FieldDescriptor& chain, const LocatedText& begun) {
    for (const options::FilterKind& filter : options::filters_of(chain.message_type()))
      add(begun, filter.name(), filter.declaration().summary());
  }

  void add_argument(const options::FilterKind& filter, const LocatedText& arguments) {
    options::TokenReader reader(arguments);
    std::set<std::string> given;
    for (bool is_first = true;; is_first = false) {
      const std::optional<LocatedText> key = reader.take_key();
      const LocatedText value = reader.take(":");
      const std::string flag = key ? key->text : is_first ? filter.declaration().first_option() : "";
      const auto option = options::find_option(filter.message(), flag);
      if (!reader.at_end()) {
        given.insert(flag);
        reader.skip();
        continue;
      }
      if (option) add_value(*option, value);
      if (!key) add_keys(filter, value, given);
      return;
    }
  }

  void add_keys(const options::FilterKind& filter, const LocatedText& begun,
                const std::set<std::string>& given) {
    for (const options::Option& option : options::options_of(filter.message()))
      if (!given.contains(option.flag()) || option.is_repeated())
        add(begun, option.flag() + "=", option.help());
  }

  void add_value(const options::Option& option, const LocatedText& begun) {
    if (option.is_chain()) return add_chain(option.field(), begun);
    for (const options::Choice& choice : option.choices()) add(begun, choice.name, choice.help);
    if (option.type() != options::ValueType::kBool) return;
    add(begun, "true", "");
    add(begun, "false", "");
  }

  const std::string& typed_;
  std::vector<Candidate> candidates_;
};

}  // namespace

std::vector<Candidate> complete_chains(const std::vector<const FieldDescriptor*>& chains,
                                       const std::string& typed) {
  std::vector<Candidate> all;
  for (const FieldDescriptor* chain : chains) {
    ChainCompletion completion(typed);
    completion.add_chain(*chain, LocatedText::of(typed));
    for (Candidate& candidate : completion.take())
      if (std::ranges::find(all, candidate.word, &Candidate::word) == all.end())
        all.push_back(std::move(candidate));
  }
  return all;
}

}  // namespace weft::cli
