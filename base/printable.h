// SPDX-License-Identifier: Apache-2.0
// Text from outside, as it may be shown: names of files and owners hold any bytes, and a terminal or a log acts on some.
//
//   log_info("{}", printable("a\x1b[2J\nb"));  // a\x1b[2J\nb
#pragma once

#include <string>
#include <string_view>

namespace weft {

// With escapes, as bash reads them between $' and ', for control characters (C0, DEL, C1), for what turns the direction of writing
// or ends a line in Unicode, for bytes that are not UTF-8, and for the backslash, so that the text can be had back. What is printable
// already and has no backslash stays as it is. Where text is shown, once: twice would double its backslashes.
std::string printable(std::string_view text);

// The same of text that may have several lines, which stay: each after the first begins with `indent`, added where it does not, so
// that none passes for a line of its own.
std::string printable_lines(std::string_view text, std::string_view indent = "  ");

// The text as a string of JSON, with its quotation marks. The same characters are escaped; a byte that is not UTF-8 becomes U+FFFD.
std::string json_string(std::string_view text);

}  // namespace weft
