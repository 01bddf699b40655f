// SPDX-License-Identifier: Apache-2.0
// Formats texts about filters for help, manual and reference.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "options/filters.h"

namespace weft::cli {

// A filter, and the kinds of jobs with a chain that may contain it.
struct FilterUse {
  options::FilterKind filter;
  std::vector<std::string> kinds;
};

// Returns a line of a list in help: the name, and in a second column the wrapped text.
std::string help_line(const std::string& name, const std::string& help, size_t width);

// Returns each filter once, in the order of the kinds of jobs and of their chains.
std::vector<FilterUse> all_filters();

// The placeholder of filters in help (`weft submit FILTERS IN... -o OUT`) and its help.
inline constexpr const char* kFiltersWord = "FILTERS";
inline constexpr const char* kFiltersHelp =
    "The filters in order, in FFmpeg's syntax: NAME=KEY=VALUE:KEY=VALUE,NAME. `weft help filters` lists "
    "them.";

// The description of a chain's syntax.
inline constexpr const char* kChainText =
    "A chain is written as for FFmpeg: filters separated by commas, each with its options after an equals "
    "sign, and the options separated by colons: NAME=KEY=VALUE:KEY=VALUE,NAME. The key of the first value "
    "may be left out. White space around separators is ignored. A backslash escapes the next character and "
    "single quotes enclose literal text. As in FFmpeg there are two levels of escaping: a separator inside "
    "a chain that is itself a value needs quotes.";

// Returns the named filters with all their options, or all filters, one a line, if `names` is
// empty. INVALID_ARGUMENT: a filter is unknown.
StatusOr<std::string> format_filters(const std::vector<std::string>& names, size_t width);

}  // namespace weft::cli
