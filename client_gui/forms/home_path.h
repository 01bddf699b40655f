// SPDX-License-Identifier: Apache-2.0
// Expands "~" in paths.
#pragma once

#include <QDir>
#include <QString>

namespace weft::gui {

// Returns the path with a "~/" at its beginning replaced by the home folder. The server does not
// expand "~".
inline QString with_home(const QString& path) {
  return path == QLatin1String("~") || path.startsWith(QLatin1String("~/")) ? QDir::homePath() + path.mid(1)
                                                                            : path;
}

}  // namespace weft::gui
