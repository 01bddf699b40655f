// SPDX-License-Identifier: Apache-2.0
// What a person does to a table's columns: hide and show them, move them, sort by one. By the header's menu, or by keys for
// the column that the current cell is in.
#pragma once

#include <QObject>

class QMenu;
class QTableView;

namespace weft::gui {

class ColumnActions : public QObject {
  Q_OBJECT

 public:
  // `table` has its model, and lives longer.
  explicit ColumnActions(QTableView& table);

  // Every column, to be shown or not, in the order they stand in; then what can be done to the current one.
  QMenu& menu() { return *menu_; }

 private:
  void fill();
  void show_column(int column, bool shown);
  void move(int step);
  void sort();

  QTableView& table_;
  QMenu* menu_;
};

}  // namespace weft::gui
