// SPDX-License-Identifier: Apache-2.0
// Implements weft-declared-texts, which writes the texts declared in the protos as a C++ source for
// Qt's lupdate (scripts/translate).
#include <fmt/format.h>

#include "client_gui/texts/declared.h"

namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char each : text) {
    if (each == '"' || each == '\\') result += '\\';
    result += each;
  }
  return result + '"';
}

}  // namespace

int main() {
  for (const weft::gui::DeclaredText& each : weft::gui::declared_texts())
    fmt::print("QT_TRANSLATE_NOOP({}, {});\n", quoted(each.context), quoted(each.text));
}
