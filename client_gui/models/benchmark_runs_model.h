// SPDX-License-Identifier: Apache-2.0
// Presents the benchmark runs of a server as rows, newest first.
#pragma once

#include <QAbstractTableModel>
#include <memory>

#include "client_gui/connection/benchmark_runs.h"

namespace weft::gui {

enum class RunColumn { kTime, kDevice, kName, kCases, kBenchmarks };
inline constexpr int kRunColumns = int(RunColumn::kBenchmarks) + 1;

class BenchmarkRunsModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  using QAbstractTableModel::QAbstractTableModel;

  // Replaces the runs. The rows are kept if the jobs are the same. Null: no data.
  void set_runs(std::shared_ptr<const BenchmarkRuns> runs);
  // Returns the runs. Not null if there are rows.
  const std::shared_ptr<const BenchmarkRuns>& runs() const { return runs_; }
  // Returns the run of a row, or null for an invalid row.
  const client::BenchmarkRun* run(int row) const;
  // Returns the row of a job, or -1 if there is none.
  int row_of(const QString& job) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  std::shared_ptr<const BenchmarkRuns> runs_;
};

}  // namespace weft::gui
