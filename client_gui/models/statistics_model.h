// SPDX-License-Identifier: Apache-2.0
// Presents the statistics of a server as one table with a row per day, owner, kind of job and
// reason for failure.
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "client_gui/connection/values.h"

namespace weft::gui {

enum class StatisticsColumn { kBy, kName, kSucceeded, kFailed, kCancelled, kUnits, kGpuSeconds, kNote };
inline constexpr int kStatisticsColumns = int(StatisticsColumn::kNote) + 1;

class StatisticsModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  using QAbstractTableModel::QAbstractTableModel;

  // Replaces the rows. Days without ended jobs are omitted.
  void set_statistics(const Statistics& statistics);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  struct Row {
    QString by;  // property that the row is about: "day"
    TotalsRow totals;
    QString note;
    bool is_failure = false;  // true: the row has only a number of failed jobs

    bool stands_for_the_same_as(const Row& other) const {
      return by == other.by && totals.name == other.totals.name;
    }
  };

  std::vector<Row> rows_;
};

}  // namespace weft::gui
