// SPDX-License-Identifier: Apache-2.0
// Shows the decisions of a job's analyses over time, and saves them as a picture.
#pragma once

#include <QTimer>
#include <QWidget>
#include <memory>
#include <vector>

#include "client_gui/models/decision_text.h"
#include "client_gui/models/fleet.h"

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace weft::gui {

class DecisionChart;

// Requests the decisions while it is visible, again until they exist.
class DecisionsView : public QWidget {
  Q_OBJECT

 public:
  explicit DecisionsView(Fleet& fleet, QWidget* parent = nullptr);

  // Clears the view. An empty ID selects no job.
  void select_job(int server, const QString& id);
  // Returns true if no requested data is pending.
  bool is_settled() const { return !waits_; }
  const std::vector<DecisionChart*>& charts() const { return charts_; }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void request();
  void show_decisions(const JobDecisions& decisions);
  bool may_follow() const;
  void show_message();
  void clear();
  void save();

  Fleet& fleet_;
  int server_ = 0;
  QString id_;
  QString error_;
  bool waits_ = false, exists_ = false;
  QTimer again_;  // requests the decisions again; runs while the job has none and has not ended
  QLabel* message_;
  QPushButton* save_;
  QVBoxLayout* list_;
  std::vector<DecisionChart*> charts_;
};

}  // namespace weft::gui
