// SPDX-License-Identifier: Apache-2.0
#include "options/synonyms.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <vector>

#include "options/synonym_table.h"

namespace weft::options {
namespace {

using SynonymValues = std::map<std::string, std::string, std::less<>>;

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

bool is_same(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  });
}

// Returns the first name of a parameter: "w" for "width" in "w,width:h,height". Returns an empty
// view if no parameter has the name.
std::string_view parameter_named(const Synonym& synonym, std::string_view name) {
  for (const std::string_view parameter : parts_of(synonym.parameters, ':')) {
    const auto names = parts_of(parameter, ',');
    if (std::ranges::find(names, name) != names.end()) return names[0];
  }
  return "";
}

// Returns the replacement of a value, or an empty string if the value has none and counts as not
// given.
std::string translated(const Synonym& synonym, std::string_view parameter, std::string_view value) {
  bool has_table = false;
  for (const std::string_view entry : parts_of(synonym.values, ' ')) {
    const std::string_view key = entry.substr(0, entry.find('='));
    if (!key.starts_with(parameter) || key.substr(parameter.size(), 1) != ".") continue;
    has_table = true;
    if (is_same(key.substr(parameter.size() + 1), value)) return std::string(entry.substr(key.size() + 1));
  }
  if (parameter == "encoder")
    if (const Synonym* known = find_synonym(Synonym::Kind::kEncoder, value); known != nullptr)
      return std::string(known->replacement);
  return has_table ? "" : std::string(value);
}

SynonymValues values_of(const Synonym& synonym, std::string_view arguments) {
  SynonymValues values;
  const auto parameters = parts_of(synonym.parameters, ':');
  const auto add = [&](std::string_view parameter, std::string_view value) {
    if (std::string text = translated(synonym, parameter, value); !parameter.empty() && !text.empty())
      values.emplace(parameter, std::move(text));
  };
  if (synonym.kind != Synonym::Kind::kFilter) {
    if (!parameters.empty() && !arguments.empty()) add(parameters[0], arguments);
    return values;
  }
  size_t index = 0;
  for (const std::string_view argument : parts_of(arguments, ':')) {
    const size_t equals = argument.find('=');
    if (equals != std::string_view::npos)
      add(parameter_named(synonym, argument.substr(0, equals)), argument.substr(equals + 1));
    else if (index < parameters.size())
      add(parts_of(parameters[index], ',')[0], argument);
    index++;
  }
  return values;
}

bool is_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789.") == std::string_view::npos;
}

// Fills the placeholders of a replacement.
class Filling {
 public:
  explicit Filling(const SynonymValues& values) : values_(values) {}

  // Returns the number of values that appear in the replacement.
  size_t used() const { return used_; }

  std::string fill(std::string_view text) {
    std::string result;
    while (!text.empty()) {
      const char c = text[0];
      text.remove_prefix(1);
      if (c == '{') {
        result += value_for(text.substr(0, text.find('}')));
        text.remove_prefix(text.find('}') + 1);
      } else if (c == '[') {
        is_given_ = true;
        const std::string piece = fill(text.substr(0, text.find(']')));
        if (is_given_) result += piece;
        text.remove_prefix(text.find(']') + 1);
      } else {
        result += c;
      }
    }
    return result;
  }

 private:
  std::string value_for(std::string_view placeholder) {
    const bool wants_number = placeholder.starts_with('#');
    if (wants_number) placeholder.remove_prefix(1);
    const size_t bar = std::min(placeholder.find('|'), placeholder.size());
    const auto value = values_.find(placeholder.substr(0, bar));
    if (value != values_.end() && (!wants_number || is_number(value->second))) return used_++, value->second;
    is_given_ = false;
    return std::string(placeholder.substr(std::min(bar + 1, placeholder.size())));
  }

  const SynonymValues& values_;
  size_t used_ = 0;
  bool is_given_ = true;  // true if every value of the text in brackets is given
};

// Turns the first colon of a filter into an equals sign: "yadif:rate=frame" becomes
// "yadif=rate=frame".
std::string with_equals(const Synonym& synonym, std::string text) {
  const bool is_chain = synonym.kind == Synonym::Kind::kFilter || synonym.kind == Synonym::Kind::kFilterFlag;
  const size_t separator = text.find_first_of("=:");
  if (is_chain && separator != std::string::npos) text[separator] = '=';
  return text;
}

}  // namespace

std::span<const Synonym> synonyms() { return synonym_table::kSynonyms; }

const Synonym* find_synonym(Synonym::Kind kind, std::string_view name) {
  const bool is_exact = kind == Synonym::Kind::kFlag || kind == Synonym::Kind::kFilterFlag;
  for (const Synonym& synonym : synonym_table::kSynonyms)
    if (synonym.kind == kind && (is_exact ? synonym.name == name : is_same(synonym.name, name)))
      return &synonym;
  return nullptr;
}

std::string replacement_with(const Synonym& synonym, std::string_view arguments) {
  const SynonymValues values = values_of(synonym, arguments);
  return with_equals(synonym, Filling(values).fill(synonym.replacement));
}

bool translates_all(const Synonym& synonym, std::string_view arguments) {
  const SynonymValues values = values_of(synonym, arguments);
  Filling filling(values);
  static_cast<void>(filling.fill(synonym.replacement));
  return filling.used() == parts_of(arguments, ':').size();
}

std::string plain_replacement(const Synonym& synonym) { return replacement_with(synonym, ""); }

}  // namespace weft::options
