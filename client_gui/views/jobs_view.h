// SPDX-License-Identifier: Apache-2.0
// Shows the jobs table with a search line above and the selected job's details below.
#pragma once

#include <QPersistentModelIndex>
#include <QTimer>
#include <QWidget>

#include "client_gui/models/fleet.h"
#include "client_gui/views/column_actions.h"
#include "client_gui/views/job_actions.h"

class QLabel;
class QLineEdit;
class QSplitter;

namespace weft::gui {

class JobDetailView;
class JobsTable;

class JobsView : public QWidget {
  Q_OBJECT

 public:
  explicit JobsView(Fleet& fleet, QWidget* parent = nullptr);

  // Sets the filter of the jobs; the search text stays.
  void set_scope(const JobScope& scope);
  void search();  // moves the focus to the search line
  JobsTable& table() { return *table_; }
  JobDetailView& detail() { return *detail_; }
  const JobActions& actions() const { return *actions_; }
  ColumnActions& columns() { return *columns_; }
  // Selects the first job if no job is selected.
  void choose_first();
  // Returns true if the selected job's details are shown.
  bool is_settled() const;

  // Returns the sizes of the table and of the details, for the settings.
  QByteArray save_parts() const;
  void restore_parts(const QByteArray& state);

 signals:
  void parts_moved();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void keep_in_view();
  void show_count();
  void apply_scope();
  void follow_selection();

  JobsModel& jobs_;
  JobScope scope_;
  QLineEdit* search_;
  QLabel* count_;
  JobsTable* table_;
  JobDetailView* detail_;
  QSplitter* splitter_;
  JobActions* actions_ = nullptr;
  ColumnActions* columns_ = nullptr;
  QPersistentModelIndex kept_;  // current row, kept while rows move
  QTimer typing_;               // runs during typing; the search begins when it expires
  QTimer ages_;                 // redraws values that depend on the time
};

}  // namespace weft::gui
