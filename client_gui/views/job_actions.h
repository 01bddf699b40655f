// SPDX-License-Identifier: Apache-2.0
// What can be done to the jobs that are selected: a menu's actions, enabled where they make sense.
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
  // `table` shows the fleet's jobs; the actions work in it and in its context menu.
  JobActions(Fleet& fleet, QTableView& table);

  const std::vector<QAction*>& actions() const { return actions_; }
  // By the name it is given in the constructor: "cancel".
  QAction* action(const QString& name) const;

 signals:
  // The job is to be looked at, what it wrote beside what it read.
  void compare_wanted(const weft::gui::PlacedJob& job);
  // What became of an order, once for all jobs that it was given for.
  void told(const QString& sentence, weft::gui::Announcements::Weight weight);

 private:
  using Kind = JobCommand::Kind;

  QAction& add(const QString& name, const QString& text, const QKeySequence& key, std::function<void()> act);
  void add_order(const QString& name, const QString& text, const QKeySequence& key, Kind kind);
  void enable();
  // The selected jobs to which that can be done.
  std::vector<PlacedJob> selected(Kind kind) const;
  std::vector<int> selected_rows() const;
  // Jobs of servers that are no longer looked at are left out.
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
