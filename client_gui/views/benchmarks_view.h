// SPDX-License-Identifier: Apache-2.0
// What was measured on a server's devices: the newest runs, the cases of the chosen one with a plot, beside another run where one
// is chosen to compare with.
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

  // 0: the first there is.
  void set_server(int server);
  // Nothing that is to be shown is on its way.
  bool is_settled() const;
  // The run that is shown, for a file; empty: there is none.
  QByteArray file(BenchmarkFile type) const;

  QTableView& runs() { return *runs_; }
  QTableView& cases() { return *cases_; }
  BenchmarkPlotView& plot() { return *plot_; }

 signals:
  // A person wants to measure something on that server; 0: there is none.
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
  void list_others();
  void list_benchmarks();
  void show_run();
  void show_cases();
  void show_plot();
  void save(BenchmarkFile type);

  Fleet& fleet_;
  int server_ = 0;
  bool is_told_ = false;  // by the server that is shown
  bool waits_ = false;    // it was asked, and has not answered
  bool is_old_ = false;   // something was measured since it was asked
  BenchmarkRunsModel runs_model_;
  BenchmarkCasesModel cases_model_;
  QSortFilterProxyModel sorted_cases_;
  QLabel* said_;
  QTableView* runs_;
  QLabel* invitation_;  // while there is no run
  QPushButton* export_;
  QComboBox* compare_;
  QComboBox* benchmark_;
  QComboBox* value_;
  BenchmarkPlotView* plot_;
  QTableView* cases_;
};

}  // namespace weft::gui
