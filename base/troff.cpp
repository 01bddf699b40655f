// SPDX-License-Identifier: Apache-2.0
#include "base/troff.h"

#include <fmt/format.h>

namespace weft {

std::string troff_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
  }
  if (result.starts_with('.') || result.starts_with('\'')) result = "\\&" + result;
  return result;
}

std::string troff_item(std::string_view title, std::string_view text) {
  return fmt::format(".TP\n.B {}\n{}\n", troff_text(title), troff_text(text));
}

}  // namespace weft
