// SPDX-License-Identifier: Apache-2.0
#include "client_gui/models/benchmark_runs_model.h"

#include <algorithm>

#include "base/printable.h"
#include "client/benchmark_plots.h"
#include "client_gui/models/benchmark_text.h"
#include "client_gui/texts/utf8.h"

namespace weft::gui {
namespace {

int faults_of(const v1::BenchmarkResult& result) {
  return int(std::count_if(result.measurements().begin(), result.measurements().end(),
                           [](const v1::Measurement& each) { return !each.fault().empty(); }));
}

QString names_of(const v1::BenchmarkResult& result) {
  QStringList names;
  for (const v1::BenchmarkName each : client::benchmarks_of(result)) names += benchmark_name(each);
  return names.join(QStringLiteral(", "));
}

}  // namespace

void BenchmarkRunsModel::set_runs(std::shared_ptr<const BenchmarkRuns> runs) {
  const bool are_the_same =
      runs && runs_ &&
      std::equal(runs->runs.begin(), runs->runs.end(), runs_->runs.begin(), runs_->runs.end(),
                 [](const client::BenchmarkRun& a, const client::BenchmarkRun& b) { return a.job == b.job; });
  // The results of a job never change.
  if (are_the_same) {
    runs_ = std::move(runs);
    return;
  }
  beginResetModel();
  runs_ = std::move(runs);
  endResetModel();
}

const client::BenchmarkRun* BenchmarkRunsModel::run(int row) const {
  return row >= 0 && row < rowCount() ? &runs_->runs[size_t(row)] : nullptr;
}

int BenchmarkRunsModel::row_of(const QString& job) const {
  for (int row = 0; row < rowCount(); row++)
    if (text(run(row)->job) == job) return row;
  return -1;
}

int BenchmarkRunsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !runs_ ? 0 : int(runs_->runs.size());
}

int BenchmarkRunsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kRunColumns;
}

QVariant BenchmarkRunsModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const client::BenchmarkRun& run = runs_->runs[size_t(index.row())];
  const auto column = RunColumn(index.column());
  if (role == Qt::TextAlignmentRole)
    return int((column == RunColumn::kCases ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole)
    return QStringLiteral("%1\n%2\n%3").arg(conditions_text(run), names_of(run.result), text(run.job));
  if (role != Qt::DisplayRole) return {};
  const v1::BenchmarkConditions& on = run.result.conditions();
  switch (column) {
    case RunColumn::kTime:
      return time_text(run);
    case RunColumn::kDevice:
      return text(printable(on.device()));
    case RunColumn::kName:
      return text(printable(on.device_name()));
    case RunColumn::kBenchmarks:
      return names_of(run.result);
    case RunColumn::kCases:
      break;
  }
  const int faults = faults_of(run.result);
  return faults == 0 ? QString::number(run.result.measurements_size())
                     : tr("%1, %2 not timed", "number of cases, number without a time")
                           .arg(run.result.measurements_size())
                           .arg(faults);
}

QVariant BenchmarkRunsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  const QString titles[] = {tr("Time"), tr("Device"), tr("Name"), tr("Cases"), tr("Benchmarks")};
  return section >= 0 && section < kRunColumns ? titles[section] : QVariant();
}

}  // namespace weft::gui
