// SPDX-License-Identifier: Apache-2.0
// Shows the table of jobs and fits its default columns to the width. State and Done stay visible
// while the table scrolls horizontally.
#pragma once

#include <QTableView>

#include "client_gui/models/jobs_model.h"

namespace weft::gui {

class JobsTable : public QTableView {
  Q_OBJECT

 public:
  JobsTable(JobsModel& jobs, QWidget* parent);

  // Save and restore the columns, their order and widths, and the sort order. Data with another
  // number of columns is ignored.
  QByteArray save_columns() const;
  void restore_columns(const QByteArray& state);
  // Shows the Server column if there are several servers, unless the user has set a column's width.
  void distinguish_servers(bool are_several);
  // Scrolls to a cell. Does not scroll horizontally to the columns that stay visible.
  void scrollTo(const QModelIndex& index, ScrollHint hint = EnsureVisible) override;

 signals:
  // Reports that the user moved, resized, hid or sorted a column.
  void columns_changed();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void set_first_widths();
  void fit();

  bool is_fitting_ = false;
  bool is_arranged_ = false;  // true: the user has set a column's width; the widths stay fixed
};

}  // namespace weft::gui
