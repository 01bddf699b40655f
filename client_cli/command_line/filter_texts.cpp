// SPDX-License-Identifier: Apache-2.0
#include "client_cli/command_line/filter_texts.h"

#include <algorithm>

#include "client_cli/command_line/spec_flags.h"
#include "client_cli/output/text.h"
#include "options/job_kinds.h"
#include "options/words.h"

namespace weft::cli {
namespace {

std::string format_one(const FilterUse& use, size_t width) {
  const v1::FilterDeclaration& declared = use.filter.declaration();
  std::string text =
      fmt::format("{}: {} For {}.\n  weft submit {}=KEY=VALUE:KEY=VALUE IN... -o OUT\n", declared.name(),
                  declared.summary(), options::join_or(use.kinds), declared.name());
  for (const options::Option& option : options::options_of(use.filter.message())) {
    const bool is_first = option.flag() == declared.first_option();
    const std::string original = option.original_name();
    text += help_line(option.flag(),
                      (original.empty() ? "" : original + ": ") + describe_option(option) +
                          (is_first ? " Needs no key where it comes first." : ""),
                      width);
  }
  return text;
}

}  // namespace

std::string help_line(const std::string& name, const std::string& help, size_t width) {
  constexpr size_t kNameColumns = 20;
  const std::string space(name.size() + 3 < kNameColumns ? kNameColumns - name.size() - 2 : 1, ' ');
  return fmt::format("  {}{}{}\n", name, space, wrap(help, width, kNameColumns));
}

std::vector<FilterUse> all_filters() {
  std::vector<FilterUse> all;
  for (const options::JobKind& kind : options::job_kinds()) {
    if (kind.chain() == nullptr) continue;
    for (const options::FilterKind& filter : options::filters_of(kind.chain()->message_type())) {
      const auto known = std::find_if(all.begin(), all.end(), [&](const FilterUse& each) {
        return each.filter.message() == filter.message();
      });
      if (known == all.end())
        all.push_back({filter, {kind.name}});
      else
        known->kinds.push_back(kind.name);
    }
  }
  return all;
}

StatusOr<std::string> format_filters(const std::vector<std::string>& names, size_t width) {
  const std::vector<FilterUse> all = all_filters();
  std::string text;
  std::vector<std::string> known;
  for (const FilterUse& use : all) known.push_back(use.filter.name());
  const auto is_named = [](const FilterUse& use, const std::string& name) {
    const auto filter = options::find_filter(use.filter.field->containing_type(), name);
    return filter && filter->name() == use.filter.name();
  };
  for (const std::string& name : names) {
    const auto found = std::ranges::find_if(all, [&](const FilterUse& use) { return is_named(use, name); });
    if (found == all.end()) {
      const std::string hint = options::did_you_mean(name, known);
      return invalid_argument("There is no filter '{}'{} There are {}.", name, hint.empty() ? "." : hint,
                              options::join_and(known));
    }
    text += (text.empty() ? "" : "\n") + format_one(*found, width);
  }
  if (!names.empty()) return text;
  text = wrap(kChainText, width, 0) + "\n\n";
  for (const FilterUse& use : all)
    text += help_line(
        use.filter.name(),
        fmt::format("{} For {}.", use.filter.declaration().summary(), options::join_or(use.kinds)), width);
  return text + "\n`weft help filters NAME` shows a filter's options.\n";
}

}  // namespace weft::cli
