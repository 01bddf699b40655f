// SPDX-License-Identifier: Apache-2.0
#include "client_gui/models/statistics_model.h"

#include <algorithm>

namespace weft::gui {

void StatisticsModel::set_statistics(const Statistics& statistics) {
  std::vector<Row> rows;
  for (auto day = statistics.days.rbegin(); day != statistics.days.rend(); ++day)
    if (day->jobs() > 0 || day->units != 0) rows.push_back({tr("day"), *day, {}});
  for (const TotalsRow& owner : statistics.owners) rows.push_back({tr("owner"), owner, {}});
  for (const TotalsRow& kind : statistics.kinds) rows.push_back({tr("kind of job"), kind, {}});
  for (const FailureRow& failure : statistics.failures) {
    TotalsRow totals;
    totals.name = failure.reason;
    totals.failed = failure.jobs;
    rows.push_back({tr("failure"), totals, failure.message, true});
  }
  const bool are_the_same =
      std::equal(rows.begin(), rows.end(), rows_.begin(), rows_.end(),
                 [](const Row& a, const Row& b) { return a.stands_for_the_same_as(b); });
  if (are_the_same) {
    rows_ = std::move(rows);
    if (!rows_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, kStatisticsColumns - 1));
    return;
  }
  beginResetModel();
  rows_ = std::move(rows);
  endResetModel();
}

int StatisticsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : int(rows_.size());
}

int StatisticsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kStatisticsColumns;
}

QVariant StatisticsModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Row& row = rows_[size_t(index.row())];
  const auto column = StatisticsColumn(index.column());
  const bool is_number = column >= StatisticsColumn::kSucceeded && column <= StatisticsColumn::kGpuSeconds;
  if (role == Qt::TextAlignmentRole)
    return int((is_number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole && column == StatisticsColumn::kNote && !row.note.isEmpty()) return row.note;
  if (role != Qt::DisplayRole) return {};
  if (row.is_failure && is_number && column != StatisticsColumn::kFailed) return {};
  switch (column) {
    case StatisticsColumn::kBy:
      return row.by;
    case StatisticsColumn::kName:
      return row.totals.name;
    case StatisticsColumn::kSucceeded:
      return QString::number(row.totals.succeeded);
    case StatisticsColumn::kFailed:
      return QString::number(row.totals.failed);
    case StatisticsColumn::kCancelled:
      return QString::number(row.totals.cancelled);
    case StatisticsColumn::kUnits:
      return QString::number(row.totals.units);
    case StatisticsColumn::kGpuSeconds:
      return QString::number(row.totals.gpu_seconds, 'f', 1);
    case StatisticsColumn::kNote:
      return row.note;
  }
  return {};
}

QVariant StatisticsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (StatisticsColumn(section)) {
    case StatisticsColumn::kBy:
      return tr("Group");
    case StatisticsColumn::kName:
      return tr("Value");
    case StatisticsColumn::kSucceeded:
      return tr("Succeeded");
    case StatisticsColumn::kFailed:
      return tr("Failed");
    case StatisticsColumn::kCancelled:
      return tr("Cancelled");
    case StatisticsColumn::kUnits:
      return tr("Units");
    case StatisticsColumn::kGpuSeconds:
      return tr("GPU seconds");
    case StatisticsColumn::kNote:
      return tr("Newest message");
  }
  return {};
}

}  // namespace weft::gui
