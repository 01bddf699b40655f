// SPDX-License-Identifier: Apache-2.0
// Columns of a table that stay in view while it is scrolled sideways: a second view of the same rows, above the first one's left
// edge. It is hidden, without rows, while the table is not scrolled.
#pragma once

#include <QTableView>
#include <vector>

namespace weft::gui {

class PinnedColumns : public QTableView {
  Q_OBJECT

 public:
  // `table` has its model and delegate, and is the parent. `rows`: a vertical header like the table's; is taken.
  PinnedColumns(QTableView& table, std::vector<int> columns, QHeaderView* rows);

 protected:
  // Keys are the table's.
  bool event(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void place();
  void attach(bool attached);
  void uncover(const QModelIndex& current);
  void follow_sort();

  QTableView& table_;
  const std::vector<int> columns_;
};

}  // namespace weft::gui
