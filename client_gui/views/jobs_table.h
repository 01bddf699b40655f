// SPDX-License-Identifier: Apache-2.0
// The table of jobs: which columns are shown at first, as wide as they need to be, in the width that there is. State and Done stay
// in view however far it is scrolled sideways.
#pragma once

#include <QTableView>

#include "client_gui/models/jobs_model.h"

namespace weft::gui {

class JobsTable : public QTableView {
  Q_OBJECT

 public:
  JobsTable(JobsModel& jobs, QWidget* parent);

  // From one start of the program to the next: columns, their order and widths, and the sort. What another version wrote is left out.
  QByteArray save_columns() const;
  void restore_columns(const QByteArray& state);
  // Shows the column of the server where there are several, unless a person chose the columns.
  void tell_servers_apart(bool are_several);
  // Not sideways for a column that is pinned: it is in view.
  void scrollTo(const QModelIndex& index, ScrollHint hint = EnsureVisible) override;

 signals:
  // A person moved, resized, hid or sorted something.
  void columns_changed();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void set_first_widths();
  void fit();

  bool is_fitting_ = false;
  bool is_arranged_ = false;  // by a person: widths are not touched any more
};

}  // namespace weft::gui
