// SPDX-License-Identifier: Apache-2.0
// All that is known of one job: what became of it, its log as it grows, and what was asked for.
#pragma once

#include <QTabWidget>
#include <QTimer>
#include <deque>

#include "client_gui/models/fleet.h"
#include "client_gui/models/job_facts.h"

class QLabel;
class QPlainTextEdit;
class QTreeWidget;
class QTreeWidgetItem;

namespace weft::gui {

class JobDetailView : public QTabWidget {
  Q_OBJECT

 public:
  explicit JobDetailView(Fleet& fleet, QWidget* parent = nullptr);

  // Empties the view; what is known of the job comes when it is there. An empty id: no job.
  void look_at(int server, const QString& id);
  void show_log();
  // Nothing that was asked for is on its way.
  bool is_settled() const { return !waits_; }

 private:
  void show_detail(const JobDetail& detail);
  void show_facts();
  void add_lines(const std::deque<LogRow>& lines);

  Fleet& fleet_;
  int server_ = 0;
  QString id_;  // of the job that is looked at
  bool waits_ = false;
  JobDetail detail_;
  std::vector<Fact> shown_;
  QTimer again_;        // runs while the job is queued
  QLabel* invitation_;  // while there is none
  QTreeWidget* facts_;
  QPlainTextEdit* log_;
  QPlainTextEdit* specification_;
};

}  // namespace weft::gui
