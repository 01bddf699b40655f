// SPDX-License-Identifier: Apache-2.0
// Asks where a table or another file goes, and writes it there.
#pragma once

#include <QAbstractItemModel>
#include <QByteArray>
#include <QWidget>
#include <vector>

namespace weft::gui {

// The rows as CSV, as they are when this is called. `name`: of the file, as a proposal.
void save_table(QWidget& parent, const QString& title, const QString& name, const QAbstractItemModel& table,
                const std::vector<int>& rows);

// `type`: which files the dialog lists: "Comma-separated values (*.csv)".
void save_bytes(QWidget& parent, const QString& title, const QString& name, const QString& type,
                const QByteArray& bytes);

}  // namespace weft::gui
