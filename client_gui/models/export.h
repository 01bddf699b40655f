// SPDX-License-Identifier: Apache-2.0
// Exports tables.
#pragma once

#include <QAbstractItemModel>
#include <QByteArray>
#include <vector>

namespace weft::gui {

// Returns the rows as CSV (RFC 4180, UTF-8): a line of titles, and all columns as displayed.
QByteArray to_csv(const QAbstractItemModel& table, const std::vector<int>& rows);

}  // namespace weft::gui
