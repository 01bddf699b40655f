// SPDX-License-Identifier: Apache-2.0
#include "client_gui/models/export.h"

namespace weft::gui {
namespace {

QString field(QString text) {
  const bool is_plain =
      !text.contains(',') && !text.contains('"') && !text.contains('\n') && !text.contains('\r');
  return is_plain ? text : '"' + text.replace('"', "\"\"") + '"';
}

template <class TextOf>
void add_line(QByteArray& csv, int columns, const TextOf& text_of_column) {
  for (int column = 0; column < columns; column++) {
    if (column > 0) csv += ',';
    csv += field(text_of_column(column)).toUtf8();
  }
  csv += "\r\n";
}

}  // namespace

QByteArray to_csv(const QAbstractItemModel& table, const std::vector<int>& rows) {
  QByteArray csv;
  const int columns = table.columnCount();
  add_line(csv, columns, [&](int column) { return table.headerData(column, Qt::Horizontal).toString(); });
  for (const int row : rows)
    add_line(csv, columns, [&](int column) { return table.index(row, column).data().toString(); });
  return csv;
}

}  // namespace weft::gui
