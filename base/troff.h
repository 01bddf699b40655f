// SPDX-License-Identifier: Apache-2.0
// Writes manual pages in the macros of man(7).
#pragma once

#include <string>
#include <string_view>

namespace weft {

// Returns text of one line that troff prints unchanged: backslashes are escaped, hyphens can be
// copied, and the text does not begin with a request.
std::string troff_text(std::string_view text);

// Returns a paragraph with a title in bold.
std::string troff_item(std::string_view title, std::string_view text);

}  // namespace weft
