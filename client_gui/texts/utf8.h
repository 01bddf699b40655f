// SPDX-License-Identifier: Apache-2.0
// Converts UTF-8 to Qt strings.
#pragma once

#include <QString>
#include <string>

namespace weft::gui {

inline QString text(const std::string& utf8) { return QString::fromStdString(utf8); }

}  // namespace weft::gui
