// SPDX-License-Identifier: Apache-2.0
// Shows the benchmark results of a server: the newest runs, the cases of the selected run and a
// plot, optionally compared with another run.
#pragma once

#include <QSortFilterProxyModel>
#include <QWidget>
#include <optional>

#include "client_gui/models/benchmark_cases_model.h"
#include "client_gui/models/benchmark_runs_model.h"
#include "client_gui/models/benchmark_text.h"
#include "client_gui/models/fleet.h"

class QComboBox;
class QLabel;
class QPushButton;
class QTableView;

namespace weft::gui {

class BenchmarkPlotView;

class BenchmarksView : public QWidget {
  Q_OBJECT

 public:
  explicit BenchmarksView(Fleet& fleet, QWidget* parent = nullptr);

  // Selects the server. 0: the first server.
  void set_server(int server);
  // Returns true if no requested data is pending.
  bool is_settled() const;
  // Returns the selected run as a file, or an empty array if no run is selected.
  QByteArray file(BenchmarkFile type) const;

  QTableView& runs() { return *runs_; }
  QTableView& cases() { return *cases_; }
  BenchmarkPlotView& plot() { return *plot_; }

 signals:
  // Requests a benchmark job on the server. 0: no server.
  void run_wanted(int server);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* make_left();
  QWidget* make_right();
  QLayout* make_choices();
  QPushButton* make_export();
  int shown_server() const;
  void ask();
  void hear(int server, const Delivery& delivery);
  void take(int server, const std::shared_ptr<const BenchmarkRuns>& runs);
  const client::BenchmarkRun* chosen() const;
  const client::BenchmarkRun* other() const;
  std::optional<v1::BenchmarkName> benchmark() const;
  void list_rest();
  void list_benchmarks();
  void show_run();
  void show_cases();
  void show_plot();
  void save(BenchmarkFile type);

  Fleet& fleet_;
  int server_ = 0;
  bool is_announced_ = false;  // true: the shown server has answered
  bool waits_ = false;         // true: an answer is pending
  bool is_old_ = false;        // true: new results exist since the request
  BenchmarkRunsModel runs_model_;
  BenchmarkCasesModel cases_model_;
  QSortFilterProxyModel sorted_cases_;
  QLabel* said_;
  QTableView* runs_;
  QLabel* invitation_;  // shown if there is no run
  QPushButton* export_;
  QComboBox* compare_;
  QComboBox* benchmark_;
  QComboBox* value_;
  BenchmarkPlotView* plot_;
  QTableView* cases_;
};

}  // namespace weft::gui
