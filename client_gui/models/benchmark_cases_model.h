// SPDX-License-Identifier: Apache-2.0
// The cases of a run, a row each, in the order in which they were measured; beside another run, where that has them.
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
  static constexpr int kSortRole = Qt::UserRole;  // what rows are sorted by: numbers where it is one

  using QAbstractTableModel::QAbstractTableModel;

  // `benchmark`: this one alone; nothing: all. `other`: the run that it is compared with; may be null.
  void show(const v1::BenchmarkResult& result, std::optional<v1::BenchmarkName> benchmark,
            const v1::BenchmarkResult* other);
  const v1::Measurement& at(int row) const { return rows_[size_t(row)].measured; }

  bool has_inputs() const;  // a case says which data it was

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  struct Row {
    v1::Measurement measured;
    double factor = 0;  // how many times as fast as in the other run; 0: not known
    bool differs = false;
  };

  QVariant number(const Row& row, CaseColumn column) const;
  QString shown(const Row& row, CaseColumn column) const;
  QString note(const Row& row) const;

  std::vector<Row> rows_;
};

}  // namespace weft::gui
