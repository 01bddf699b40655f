// SPDX-License-Identifier: Apache-2.0
// Shows dialogs that save a table or another file.
#pragma once

#include <QAbstractItemModel>
#include <QByteArray>
#include <QWidget>
#include <vector>

namespace weft::gui {

// Saves the rows as CSV with their values at the time of the call. `name` is the proposed file
// name.
void save_table(QWidget& parent, const QString& title, const QString& name, const QAbstractItemModel& table,
                const std::vector<int>& rows);

// Saves bytes as a file. `type` is the filter of the dialog: "Comma-separated values (*.csv)".
void save_bytes(QWidget& parent, const QString& title, const QString& name, const QString& type,
                const QByteArray& bytes);

}  // namespace weft::gui
