// SPDX-License-Identifier: Apache-2.0
// Shows the statistics of a server over the last days: charts by day, owner, kind of job and reason
// for failure, and a table.
#pragma once

#include <QTimer>
#include <QWidget>

#include "client_gui/models/fleet.h"
#include "client_gui/models/statistics_model.h"

class QComboBox;
class QLabel;
class QTableView;

namespace weft::gui {

class BarChart;

class StatisticsView : public QWidget {
  Q_OBJECT

 public:
  explicit StatisticsView(Fleet& fleet, QWidget* parent = nullptr);

  // Selects the server. 0: the first server.
  void set_server(int server);
  QTableView& table() { return *table_; }
  // Returns true if no requested data is pending.
  bool is_settled() const;

 public slots:
  void ask();

 protected:
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  enum class Measure { kJobs, kUnits, kGpuSeconds };

  int shown_server() const;
  void take(int server, const Statistics& statistics);
  void show_statistics();
  void show_days(Measure measure);
  void export_rows();

  Fleet& fleet_;
  int server_ = 0;
  bool is_announced_ = false;  // true: the shown server has answered
  Statistics statistics_;
  StatisticsModel model_;
  QComboBox* days_;
  QComboBox* measure_;
  QLabel* said_;
  BarChart* by_day_;
  BarChart* by_owner_;
  BarChart* by_kind_;
  BarChart* by_failure_;
  QTableView* table_;
  QTimer again_;
};

}  // namespace weft::gui
