// SPDX-License-Identifier: Apache-2.0
#include "client_gui/models/benchmark_cases_model.h"

#include <QFont>
#include <QStringList>
#include <algorithm>

#include "base/printable.h"
#include "client_gui/models/benchmark_text.h"
#include "client_gui/models/device_text.h"
#include "client_gui/texts/utf8.h"

namespace weft::gui {

void BenchmarkCasesModel::show(const v1::BenchmarkResult& result, std::optional<v1::BenchmarkName> benchmark,
                               const v1::BenchmarkResult* other) {
  std::map<std::string, client::ComparedCase> compared;
  if (other != nullptr)
    for (client::ComparedCase& each : client::compare_results(*other, result)) compared[each.name] = each;
  beginResetModel();
  rows_.clear();
  for (const v1::Measurement& each : result.measurements()) {
    if (benchmark && each.benchmark() != *benchmark) continue;
    Row row{each};
    const auto found = compared.find(client::case_name(each));
    if (found != compared.end() && found->second.first_seconds > 0 && found->second.second_seconds > 0) {
      row.factor = found->second.first_seconds / found->second.second_seconds;
      row.differs = found->second.differs;
    }
    rows_.push_back(std::move(row));
  }
  endResetModel();
}

bool BenchmarkCasesModel::has_inputs() const {
  return std::any_of(rows_.begin(), rows_.end(),
                     [](const Row& row) { return !row.measured.input().empty(); });
}

int BenchmarkCasesModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : int(rows_.size());
}

int BenchmarkCasesModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kCaseColumns;
}

QVariant BenchmarkCasesModel::number(const Row& row, CaseColumn column) const {
  const v1::Measurement& each = row.measured;
  switch (column) {
    case CaseColumn::kSize:
      return each.units();
    case CaseColumn::kTime:
      return each.median_seconds();
    case CaseColumn::kSpread:
      return each.median_seconds() > 0 ? each.quartile_seconds() / each.median_seconds() : 0;
    case CaseColumn::kRate:
      return each.median_seconds() > 0
                 ? std::max({each.bytes(), each.operations(), each.units()}) / each.median_seconds()
                 : 0;
    case CaseColumn::kShare:
      return client::share_of_limit(each).value_or(0);
    case CaseColumn::kFactor:
      return row.factor;
    default:
      return {};
  }
}

QString BenchmarkCasesModel::note(const Row& row) const {
  if (!row.measured.fault().empty()) return text(printable(row.measured.fault()));
  QStringList parts;
  if (row.factor > 0 && !row.differs) parts += tr("within the spread");
  for (const v1::BenchmarkPhase& phase : row.measured.phases())
    parts += QStringLiteral("%1 %2").arg(text(printable(phase.name())),
                                         text(client::format_device_time(phase.median_seconds())));
  return parts.join(QStringLiteral(", "));
}

QString BenchmarkCasesModel::shown(const Row& row, CaseColumn column) const {
  const v1::Measurement& each = row.measured;
  const bool is_timed = each.median_seconds() > 0;
  switch (column) {
    case CaseColumn::kBenchmark:
      return benchmark_name(each.benchmark());
    case CaseColumn::kVariant:
      return text(printable(each.variant()));
    case CaseColumn::kInput:
      return text(printable(each.input()));
    case CaseColumn::kSize:
      return text(printable(each.size()));
    case CaseColumn::kTime:
      return text(client::format_device_time(each.median_seconds()));
    case CaseColumn::kSpread:
      return is_timed ? QStringLiteral("%1%").arg(100 * number(row, column).toDouble(), 0, 'f', 1)
                      : QString();
    case CaseColumn::kRate:
      return is_timed ? text(client::format_benchmark_rate(each)) : QString();
    case CaseColumn::kLimit:
      return text(printable(each.limit()));
    case CaseColumn::kShare: {
      const auto share = client::share_of_limit(each);
      return share ? percent(*share) : QString();
    }
    case CaseColumn::kFactor:
      return row.factor > 0 ? QStringLiteral("%1x").arg(row.factor, 0, 'f', 2) : QString();
    case CaseColumn::kNote:
      return note(row);
  }
  return {};
}

QVariant BenchmarkCasesModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Row& row = rows_[size_t(index.row())];
  const auto column = CaseColumn(index.column());
  const bool is_number = number(row, column).isValid();
  if (role == Qt::TextAlignmentRole)
    return int((is_number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  if (role == Qt::DisplayRole) return shown(row, column);
  if (role == kSortRole) return is_number ? number(row, column) : QVariant(shown(row, column));
  if (role == Qt::ToolTipRole && column == CaseColumn::kNote && !note(row).isEmpty()) return note(row);
  if (role == Qt::FontRole) {
    const bool matters = column == CaseColumn::kFactor
                             ? row.differs
                             : column == CaseColumn::kNote && !row.measured.fault().empty();
    QFont bold;
    bold.setBold(true);
    if (matters) return bold;
  }
  return {};
}

QVariant BenchmarkCasesModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= kCaseColumns) return {};
  if (role == Qt::DisplayRole) {
    const QString titles[] = {tr("Benchmark"), tr("Variant"),  tr("Input"), tr("Size"),
                              tr("Time"),      tr("Spread"),   tr("Rate"),  tr("Limit"),
                              tr("Share"),     tr("Speed-up"), tr("Note")};
    return titles[section];
  }
  if (role != Qt::ToolTipRole) return {};
  switch (CaseColumn(section)) {
    case CaseColumn::kTime:
      return tr("Time on the device; median of the runs.");
    case CaseColumn::kSpread:
      return tr("Interquartile range of the times relative to the median.");
    case CaseColumn::kLimit:
      return tr("Hardware limit (bandwidth or compute) of the case.");
    case CaseColumn::kShare:
      return tr("Shortest time that the limit allows, divided by the measured time.");
    case CaseColumn::kFactor:
      return tr("Speed-up over the run compared with; bold if the quartile ranges do not overlap.");
    default:
      return {};
  }
}

}  // namespace weft::gui
