// SPDX-License-Identifier: Apache-2.0
// The table of jobs, with a line to search in it, and below it all that is known of the chosen one.
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

  // Only jobs of this scope are shown; the text that is searched for stays.
  void set_scope(const JobScope& scope);
  void search();  // puts the cursor into the line
  JobsTable& table() { return *table_; }
  JobDetailView& detail() { return *detail_; }
  const JobActions& actions() const { return *actions_; }
  ColumnActions& columns() { return *columns_; }
  // The first job, where none is chosen.
  void choose_first();
  // What is known of the chosen job is shown.
  bool is_settled() const;

  // How the table and the pane below share the height.
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
  QPersistentModelIndex kept_;  // while rows move: is to stay in view
  QTimer typing_;               // runs while somebody types
  QTimer ages_;                 // redraws what depends on the time
};

}  // namespace weft::gui
