// SPDX-License-Identifier: Apache-2.0
// What help, manual and reference say of filters.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "options/filters.h"

namespace weft::cli {

// A filter, and the kinds of job whose chains may hold it.
struct FilterUse {
  options::FilterKind filter;
  std::vector<std::string> kinds;
};

// Each filter once, in the order of the kinds and their chains.
std::vector<FilterUse> all_filters();

// The word that stands for filters in help, `weft submit FILTERS IN... -o OUT`, and its help.
inline constexpr const char* kFiltersWord = "FILTERS";
inline constexpr const char* kFiltersHelp =
    "The filters in order, in FFmpeg's syntax: NAME=KEY=VALUE:KEY=VALUE,NAME. `weft help filters` lists "
    "them.";

// How a chain is written.
inline constexpr const char* kChainText =
    "A chain has FFmpeg's syntax: filters with a comma between them, each with its options behind "
    "an equals sign "
    "and a colon between those: NAME=KEY=VALUE:KEY=VALUE,NAME. A first value may stand without its key. "
    "White space around "
    "separators does not count. A backslash takes the next character as it is, single quotes take all "
    "between them as it is; "
    "as in FFmpeg there are two levels of that, so that a separator inside of a chain that is a value needs "
    "quotes.";

// `names`: those that are asked for, all with their options; none: every filter in a line. INVALID_ARGUMENT: there is no such one.
StatusOr<std::string> format_filters(const std::vector<std::string>& names, size_t width);

}  // namespace weft::cli
