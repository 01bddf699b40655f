// SPDX-License-Identifier: Apache-2.0
// Asks where a table goes, and writes it there.
#pragma once

#include <QAbstractItemModel>
#include <QWidget>
#include <vector>

namespace weft::gui {

// The rows as CSV, as they are when this is called. `name`: of the file, as a proposal.
void save_table(QWidget& parent, const QString& title, const QString& name, const QAbstractItemModel& table,
                const std::vector<int>& rows);

}  // namespace weft::gui
