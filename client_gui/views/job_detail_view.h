// SPDX-License-Identifier: Apache-2.0
// Shows the details of one job: properties and results, the growing log, the decisions of its
// analyses, and the settings.
#pragma once

#include <QTabWidget>
#include <QTimer>
#include <deque>

#include "client_gui/models/fleet.h"
#include "client_gui/models/job_properties.h"

class QLabel;
class QPlainTextEdit;
class QTreeWidget;
class QTreeWidgetItem;

namespace weft::gui {

class DecisionsView;

class JobDetailView : public QTabWidget {
  Q_OBJECT

 public:
  explicit JobDetailView(Fleet& fleet, QWidget* parent = nullptr);

  // Clears the view and requests the job's details. An empty ID selects no job.
  void select_job(int server, const QString& id);
  void show_log();
  // Returns true if no requested data is pending.
  bool is_settled() const;
  DecisionsView& decisions() { return *decisions_; }

 private:
  void show_detail(const JobDetail& detail);
  void show_properties();
  void add_lines(const std::deque<LogRow>& lines);

  Fleet& fleet_;
  int server_ = 0;
  QString id_;  // ID of the selected job
  bool waits_ = false;
  JobDetail detail_;
  std::vector<Property> shown_;
  QTimer again_;        // requests the details again; runs while the job is queued
  QLabel* invitation_;  // shown instead of an empty log
  QTreeWidget* properties_;
  QPlainTextEdit* log_;
  DecisionsView* decisions_;
  QPlainTextEdit* specification_;
};

}  // namespace weft::gui
