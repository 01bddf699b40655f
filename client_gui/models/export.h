// SPDX-License-Identifier: Apache-2.0
// Tables as files for other programs.
#pragma once

#include <QAbstractItemModel>
#include <QByteArray>
#include <vector>

namespace weft::gui {

// The rows as comma-separated values (RFC 4180), UTF-8, with a line of titles: every column, as it is shown.
QByteArray to_csv(const QAbstractItemModel& table, const std::vector<int>& rows);

}  // namespace weft::gui
