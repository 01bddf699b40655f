// SPDX-License-Identifier: Apache-2.0
// Paths as people type them in a shell.
#pragma once

#include <QDir>
#include <QString>

namespace weft::gui {

// "~/a.ts" with the person's folder in the place of the "~"; other paths as they are. The server knows no "~".
inline QString with_home(const QString& path) {
  return path == QLatin1String("~") || path.startsWith(QLatin1String("~/")) ? QDir::homePath() + path.mid(1)
                                                                            : path;
}

}  // namespace weft::gui
