// SPDX-License-Identifier: Apache-2.0
// What was measured on a server, a row a job, the newest first.
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

  // Rows stay where it is the same jobs. Null: nothing is known.
  void set_runs(std::shared_ptr<const BenchmarkRuns> runs);
  // Not null where there are rows.
  const std::shared_ptr<const BenchmarkRuns>& runs() const { return runs_; }
  // Null: there is no such row.
  const client::BenchmarkRun* run(int row) const;
  // By the id of the job; -1: there is none.
  int row_of(const QString& job) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  std::shared_ptr<const BenchmarkRuns> runs_;
};

}  // namespace weft::gui
