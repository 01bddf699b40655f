// SPDX-License-Identifier: Apache-2.0
// The table of jobs, with a line to search in it.
#pragma once

#include <QTimer>
#include <QWidget>

#include "client_gui/models/jobs_model.h"

class QLabel;
class QLineEdit;
class QTableView;

namespace weft::gui {

class JobsView : public QWidget {
  Q_OBJECT

 public:
  explicit JobsView(JobsModel& jobs, QWidget* parent = nullptr);

  // Only jobs of this scope are shown; the text that is searched for stays.
  void set_scope(const JobScope& scope);
  void search();  // puts the cursor into the line
  QTableView& table() { return *table_; }

  QByteArray save_state() const;
  void restore_state(const QByteArray& state);

 private:
  void set_up_table();
  void show_count();
  void apply_scope();

  JobsModel& jobs_;
  JobScope scope_;
  QLineEdit* search_;
  QLabel* count_;
  QTableView* table_;
  QTimer typing_;  // runs while somebody types
  QTimer ages_;    // redraws what depends on the time
};

}  // namespace weft::gui
