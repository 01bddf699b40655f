// SPDX-License-Identifier: Apache-2.0
// Keeps columns of a table visible while it scrolls horizontally, with a second view of the same
// rows above the left edge. The second view is hidden and has no rows while the table is not
// scrolled.
#pragma once

#include <QTableView>
#include <vector>

namespace weft::gui {

class PinnedColumns : public QTableView {
  Q_OBJECT

 public:
  // `table` is the parent and has a model and a delegate. `rows` is a vertical header equal to the
  // table's; this object takes ownership of it.
  PinnedColumns(QTableView& table, std::vector<int> columns, QHeaderView* rows);

 protected:
  // Passes keys to the table.
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
