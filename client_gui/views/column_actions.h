// SPDX-License-Identifier: Apache-2.0
// Provides actions on a table's columns: show, hide, move and sort. They are in the header's menu,
// or have keys for the column of the current cell.
#pragma once

#include <QObject>

class QMenu;
class QTableView;

namespace weft::gui {

class ColumnActions : public QObject {
  Q_OBJECT

 public:
  // `table` must have a model and must outlive this object.
  explicit ColumnActions(QTableView& table);

  // Returns the menu with all columns in their order and the actions for the current column.
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
