// SPDX-License-Identifier: Apache-2.0
// Presents the cases of a benchmark run as rows in the order of measurement, optionally compared
// with another run.
#pragma once

#include <QAbstractTableModel>
#include <map>
#include <optional>
#include <string>

#include "client/benchmark_plots.h"

namespace weft::gui {

enum class CaseColumn {
  kBenchmark,
  kVariant,
  kInput,
  kSize,
  kTime,
  kSpread,
  kRate,
  kLimit,
  kShare,
  kFactor,
  kNote
};
inline constexpr int kCaseColumns = int(CaseColumn::kNote) + 1;

class BenchmarkCasesModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  static constexpr int kSortRole = Qt::UserRole;  // sort key of a cell, numeric where possible

  using QAbstractTableModel::QAbstractTableModel;

  // Replaces the rows. `benchmark` selects one benchmark; nothing means all. `other` is the run to
  // compare with, or null.
  void show(const v1::BenchmarkResult& result, std::optional<v1::BenchmarkName> benchmark,
            const v1::BenchmarkResult* other);
  const v1::Measurement& at(int row) const { return rows_[size_t(row)].measured; }

  bool has_inputs() const;  // returns true if a case names its input

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  struct Row {
    v1::Measurement measured;
    double factor = 0;  // speed-up over the other run; 0: unknown
    bool differs = false;
  };

  QVariant number(const Row& row, CaseColumn column) const;
  QString shown(const Row& row, CaseColumn column) const;
  QString note(const Row& row) const;

  std::vector<Row> rows_;
};

}  // namespace weft::gui
