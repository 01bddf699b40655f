// SPDX-License-Identifier: Apache-2.0
// Provides actions on the selected jobs for menus. An action is enabled if it applies to a selected
// job.
#pragma once

#include <QObject>
#include <QStringList>
#include <functional>
#include <vector>

#include "client_gui/models/fleet.h"
#include "client_gui/models/order_batches.h"
#include "client_gui/views/announcements.h"

class QAction;
class QKeySequence;
class QTableView;

namespace weft::gui {

class JobActions : public QObject {
  Q_OBJECT

 public:
  // `table` must show the fleet's jobs. The actions are added to the table and to its context menu.
  JobActions(Fleet& fleet, QTableView& table);

  const std::vector<QAction*>& actions() const { return actions_; }
  // Returns an action by its name in the constructor ("cancel").
  QAction* action(const QString& name) const;

 signals:
  // Requests a comparison of the job's input and output.
  void compare_wanted(const weft::gui::PlacedJob& job);
  // Reports the result of an order for all its jobs in one sentence.
  void announced(const QString& sentence, weft::gui::Announcements::Weight weight);

 private:
  using Kind = JobCommand::Kind;

  QAction& add(const QString& name, const QString& text, const QKeySequence& key, std::function<void()> act);
  void add_order(const QString& name, const QString& text, const QKeySequence& key, Kind kind);
  void enable();
  // Returns the selected jobs that permit the order.
  std::vector<PlacedJob> selected(Kind kind) const;
  std::vector<int> selected_rows() const;
  // Handles the answer to an order. Answers for jobs of removed servers are ignored.
  void take_answer(int server, const OrderAnswer& answer);
  void order(Kind kind, const std::vector<PlacedJob>& jobs,
             const std::function<int(const JobRow&)>& priority = {});
  void cancel();
  void ask_for_priority();
  void copy_ids();
  void open_folder();
  void export_rows();

  Fleet& fleet_;
  QTableView& table_;
  OrderBatches batches_;
  std::vector<QAction*> actions_;
};

}  // namespace weft::gui
