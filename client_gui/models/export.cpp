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
void add_line(QByteArray& csv, const TextOf& text_of_column) {
  for (int column = 0; column < kJobColumns; column++) {
    if (column > 0) csv += ',';
    csv += field(text_of_column(column)).toUtf8();
  }
  csv += "\r\n";
}

}  // namespace

QByteArray to_csv(const JobsModel& jobs, const std::vector<int>& rows) {
  QByteArray csv;
  add_line(csv, [](int column) { return title_of(JobColumn(column)); });
  for (const int row : rows)
    add_line(csv, [&](int column) { return jobs.index(row, column).data().toString(); });
  return csv;
}

}  // namespace weft::gui
