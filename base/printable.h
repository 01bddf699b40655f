// SPDX-License-Identifier: Apache-2.0
// Makes text from outside safe to show. A name of a file or an owner can hold any bytes, and a
// terminal or a log interprets some of them.
//
//   log_info("{}", printable("a\x1b[2J\nb"));  // a\x1b[2J\nb
#pragma once

#include <string>
#include <string_view>

namespace weft {

// Escapes control characters (C0, DEL, C1), Unicode's bidirectional controls and line separators,
// bytes that are not UTF-8, and the backslash. The form is that of bash between $' and ', so that
// the original can be recovered. Other text is unchanged. Apply it once, where the text is shown: a
// second pass doubles the backslashes.
std::string printable(std::string_view text);

// Escapes text that may have several lines and keeps its line breaks. Each line after the first
// begins with `indent`, which is added if it is missing. So no line of the text looks like a
// separate message.
std::string printable_lines(std::string_view text, std::string_view indent = "  ");

// Returns the text as a JSON string with its quotation marks. The same characters are escaped as by
// printable(). A byte that is not UTF-8 becomes U+FFFD.
std::string json_string(std::string_view text);

}  // namespace weft
