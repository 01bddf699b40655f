// SPDX-License-Identifier: Apache-2.0
#include "options/chain.h"

#include <algorithm>
#include <memory>
#include <set>

#include "options/chain_text.h"
#include "options/option.h"
#include "options/synonyms.h"
#include "options/values.h"
#include "options/words.h"

namespace weft::options {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr std::string_view kChainEnds = ",;[]";
constexpr std::string_view kNameEnds = "=,;[]";
constexpr std::string_view kArgumentEnds = ":";
constexpr std::string_view kGraph = ";[]";

std::string with_dashes(std::string_view key) {
  std::string flag(key);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

std::vector<std::string> keys_of(const FilterKind& kind) {
  std::vector<std::string> keys;
  for (const Option& option : options_of(kind.message())) keys.push_back(option.flag());
  return keys;
}

// Parses one chain. Every function returns false after the first mistake.
class ChainReader {
 public:
  bool read(const LocatedText& text, int depth, Message& holder, const FieldDescriptor& chain) {
    if (depth > kMostChainDepth)
      return fail(
          text.positions[0],
          fmt::format("Chains are nested too deep here (at most {} levels); use fewer.", kMostChainDepth));
    TokenReader reader(text);
    reader.skip_space();
    while (!reader.at_end()) {
      if (!read_filter(reader, depth, holder, chain)) return false;
      if (reader.at_end()) return true;
      if (reader.next() != ',') return fail_graph(reader);
      reader.skip();
      reader.skip_space();
      if (reader.at_end())
        return fail(reader.position(), "A filter is missing behind the comma; add one, or remove the comma.");
    }
    return true;
  }

  const Mistake& mistake() const { return mistake_; }

 private:
  bool fail(size_t position, std::string what) {
    mistake_ = {position, std::move(what)};
    return false;
  }

  bool fail_graph(const TokenReader& reader) {
    return fail(reader.position(),
                fmt::format("A chain has one input and one output, '{}' is of graphs that have more; "
                            "quote it if it is part of a value.",
                            reader.next()));
  }

  // Records the mistake of `reader`. It precedes other mistakes, because the reader's result is
  // meaningless after it.
  bool check(const TokenReader& reader) {
    if (reader.mistake()) mistake_ = *reader.mistake();
    return !reader.mistake();
  }

  bool read_filter(TokenReader& reader, int depth, Message& holder, const FieldDescriptor& chain) {
    const LocatedText name = reader.take(kNameEnds);
    if (!check(reader)) return false;
    if (name.text.empty() && !reader.at_end() && kGraph.find(reader.next()) != std::string_view::npos)
      return fail_graph(reader);
    if (name.text.empty()) return fail(name.positions[0], "The name of a filter is missing here; give it.");
    const auto kind = find_filter(chain.message_type(), name.text);
    if (!kind) {
      if (!reader.at_end() && reader.next() == '=') reader.skip();
      return fail(name.positions[0], unknown_filter(chain, name.text, reader.take(kChainEnds).text));
    }
    if (++filters_ > kMostFilters)
      return fail(name.positions[0],
                  fmt::format("The chain has too many filters (at most {}); use fewer.", kMostFilters));
    Message& element = *holder.GetReflection()->AddMessage(&holder, &chain);
    Message& filter = *element.GetReflection()->MutableMessage(&element, kind->field);
    if (!reader.at_end() && reader.next() == '=') {
      reader.skip();
      const LocatedText arguments = reader.take(kChainEnds);
      if (!check(reader)) return false;
      if (!read_arguments(arguments, depth, *kind, filter)) {
        suggest_replacement(holder, chain, *kind, arguments.text);
        return false;
      }
    }
    for (const Option& option : options_of(kind->message()))
      if (option.required() && !is_set(filter, option))
        return fail(name.positions.back(),
                    fmt::format("The filter '{}' needs its option '{}'; give {}={}={}.", kind->name(),
                                option.flag(), kind->name(), option.flag(), option.value_name()));
    return true;
  }

  bool read_arguments(const LocatedText& arguments, int depth, const FilterKind& kind, Message& filter) {
    TokenReader reader(arguments);
    std::set<std::string> given;
    reader.skip_space();
    for (bool is_first = true; !reader.at_end(); is_first = false) {
      const std::optional<LocatedText> key = reader.take_key();
      const LocatedText value = reader.take(kArgumentEnds);
      if (!check(reader)) return false;
      const std::optional<Option> option = key ? find_by_key(kind, *key) : find_first(kind, value, is_first);
      if (!option) return false;
      if (!given.insert(option->flag()).second && !option->is_repeated())
        return fail((key ? *key : value).positions[0],
                    fmt::format("The option '{}' is given twice; give it once.", option->flag()));
      if (!set(filter, *option, value, depth)) return false;
      if (reader.at_end()) return true;
      reader.skip();
      reader.skip_space();
      if (reader.at_end())
        return fail(reader.position(),
                    "An option is missing behind the colon; add one, or remove the colon.");
    }
    return true;
  }

  std::optional<Option> find_by_key(const FilterKind& kind, const LocatedText& key) {
    std::optional<Option> option = find_option(kind.message(), with_dashes(key.text));
    if (!option) option = find_labelled(kind.message(), key.text);
    if (option) return option;
    const std::vector<std::string> keys = keys_of(kind);
    const std::string hint = did_you_mean(with_dashes(key.text), keys);
    const std::string list = keys.empty() ? "It has none." : fmt::format("It has {}.", join_and(keys));
    fail(key.positions[0], fmt::format("The filter '{}' has no option '{}'{}", kind.name(), key.text,
                                       hint.empty() ? ". " + list : hint));
    return std::nullopt;
  }

  std::optional<Option> find_first(const FilterKind& kind, const LocatedText& value, bool is_first) {
    const std::string& first = kind.declaration().first_option();
    std::string what;
    if (value.text.empty())
      what = "A value is missing here; give KEY=VALUE.";
    else if (!is_first)
      what = fmt::format("The value '{}' has no key, which the first one alone may lack; give KEY={}.",
                         value.text, value.text);
    else if (first.empty())
      what = fmt::format("The filter '{}' takes no value without a key ('{}'); give KEY={}.", kind.name(),
                         value.text, value.text);
    if (what.empty()) return find_option(kind.message(), first);
    fail(value.positions[0], std::move(what));
    return std::nullopt;
  }

  bool set(Message& filter, const Option& option, const LocatedText& value, int depth) {
    if (option.is_chain()) return set_chain(filter, option, value, depth);
    const Status status = set_from_text(filter, option, value.text);
    return status.ok() || fail(value.positions[0], std::string(message_of(status)));
  }

  bool set_chain(Message& filter, const Option& option, const LocatedText& value, int depth) {
    Message& holder = holder_of(filter, option);
    if (!read(value, depth + 1, holder, option.field())) return false;
    const int filters = size_of_chain(holder, option.field()).filters;
    return filters <= option.maximum_filters() ||
           fail(value.positions[0],
                fmt::format("The option '{}' has too many filters ({}, at most {}); use fewer.",
                            option.flag(), filters, option.maximum_filters()));
  }

  // Appends a suggested replacement for another program's arguments to the mistake, if that
  // replacement is valid.
  void suggest_replacement(const Message& holder, const FieldDescriptor& chain, const FilterKind& kind,
                           const std::string& arguments) {
    const Synonym* known = find_synonym(Synonym::Kind::kFilter, kind.name());
    if (known == nullptr || !translates_all(*known, arguments)) return;
    const std::string replacement = replacement_with(*known, arguments);
    const std::unique_ptr<Message> scratch(holder.New());
    if (parse_chain(replacement, *scratch, chain).ok())
      mistake_.what += fmt::format(" Did you mean '{}'?", replacement);
  }

  // Returns the hint for another program's filter ("; did you mean 'resize=1280x720'?"), or an
  // empty string if this chain has no replacement.
  static std::string replacement_hint(const FieldDescriptor& chain, const std::string& name,
                                      const std::string& arguments) {
    const Synonym* known = find_synonym(Synonym::Kind::kFilter, name);
    if (known == nullptr) return "";
    const std::string replacement = replacement_with(*known, arguments);
    const bool exists =
        find_filter(chain.message_type(), replacement.substr(0, replacement.find_first_of("=,"))).has_value();
    if (!exists && !replacement.empty()) return "";
    const std::string note = known->note.empty() ? "" : fmt::format(" {}", known->note);
    return (exists ? fmt::format("; did you mean '{}'?", replacement) : ".") + note;
  }

  static std::string unknown_filter(const FieldDescriptor& chain, const std::string& name,
                                    const std::string& arguments) {
    // "deinterlace" is the role of several filters and not the name of one.
    const bool is_role = name == "deinterlace";
    std::vector<std::string> names;
    for (const FilterKind& filter : filters_of(chain.message_type()))
      if (!is_role || filter.declaration().role() == v1::FILTER_ROLE_DEINTERLACER)
        names.push_back(filter.name());
    if (is_role)
      return fmt::format("There is no filter '{}'; name a deinterlacer: {}.", name, join_or(names));
    std::string hint = replacement_hint(chain, name, arguments);
    if (hint.empty()) hint = did_you_mean(name, names);
    return fmt::format("There is no filter '{}'{}", name,
                       hint.empty() ? fmt::format(". There are {}.", join_and(names)) : hint);
  }

  Mistake mistake_;
  int filters_ = 0;
};

std::string print_argument(const std::string& key, const std::string& value) {
  return fmt::format("{}={}", key, protect(value, kArgumentEnds));
}

// Returns true if an argument without a key would be parsed as one with a key.
bool has_key(const std::string& argument) {
  const LocatedText text = LocatedText::of(argument);
  return TokenReader(text).take_key().has_value();
}

std::vector<std::string> print_arguments(const Message& filter, const FilterKind& kind) {
  std::vector<std::string> arguments;
  const std::string& first = kind.declaration().first_option();
  for (const Option& option : options_of(kind.message())) {
    const std::vector<std::string> values = format_values(filter, option);
    const std::string keyless = values.size() == 1 ? protect(values[0], kArgumentEnds) : "";
    if (option.flag() == first && !keyless.empty() && !has_key(keyless)) {
      arguments.insert(arguments.begin(), keyless);
      continue;
    }
    for (const std::string& value : values) arguments.push_back(print_argument(option.flag(), value));
  }
  return arguments;
}

std::string print_filter(const Message& element) {
  const std::optional<FilterKind> kind = filter_of(element);
  if (!kind) return "";
  const Message& filter = element.GetReflection()->GetMessage(element, kind->field);
  const std::vector<std::string> arguments = print_arguments(filter, *kind);
  if (arguments.empty()) return kind->name();
  return fmt::format("{}={}", kind->name(),
                     protect(fmt::format("{}", fmt::join(arguments, ":")), kChainEnds));
}

}  // namespace

Status parse_chain(std::string_view text, Message& holder, const FieldDescriptor& chain) {
  if (text.size() > kMostChainBytes)
    return invalid_argument("The chain is too long ({} bytes, at most {}); shorten it.", text.size(),
                            kMostChainBytes);
  const std::unique_ptr<Message> scratch(holder.New());
  ChainReader reader;
  if (!reader.read(LocatedText::of(text), 1, *scratch, chain))
    return invalid_argument("{}", show_mistake(text, reader.mistake()));
  holder.GetReflection()->SwapFields(&holder, scratch.get(), {&chain});
  return ok_status();
}

std::string print_chain(const Message& holder, const FieldDescriptor& chain) {
  std::string text;
  const int filters = holder.GetReflection()->FieldSize(holder, &chain);
  for (int i = 0; i < filters; i++)
    text += (i > 0 ? "," : "") + print_filter(holder.GetReflection()->GetRepeatedMessage(holder, &chain, i));
  return text;
}

ChainSize size_of_chain(const Message& holder, const FieldDescriptor& chain) {
  ChainSize size;
  const int filters = holder.GetReflection()->FieldSize(holder, &chain);
  for (int i = 0; i < filters; i++) {
    const Message& element = holder.GetReflection()->GetRepeatedMessage(holder, &chain, i);
    size.filters++;
    size.depth = std::max(size.depth, 1);
    const std::optional<FilterKind> kind = filter_of(element);
    if (!kind) continue;
    const Message& filter = element.GetReflection()->GetMessage(element, kind->field);
    for (const Option& option : options_of(kind->message())) {
      if (!option.is_chain()) continue;
      const ChainSize inside = size_of_chain(holder_of(filter, option), option.field());
      size.filters += inside.filters;
      size.depth = std::max(size.depth, 1 + inside.depth);
    }
  }
  return size;
}

}  // namespace weft::options
