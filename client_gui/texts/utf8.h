// SPDX-License-Identifier: Apache-2.0
// What the rest of the program has as UTF-8, as Qt's text.
#pragma once

#include <QString>
#include <string>

namespace weft::gui {

inline QString text(const std::string& utf8) { return QString::fromStdString(utf8); }

}  // namespace weft::gui
