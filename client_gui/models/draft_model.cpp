// SPDX-License-Identifier: Apache-2.0
#include "client_gui/models/draft_model.h"

#include <QColor>
#include <QFileInfo>
#include <QFont>
#include <QSet>
#include <algorithm>

#include "client/text.h"
#include "client_gui/models/text.h"
#include "client_gui/texts/utf8.h"
#include "options/frame_pattern.h"

namespace weft::gui {
namespace {

const v1::DevicePrediction* chosen(const std::vector<v1::DevicePrediction>& predictions) {
  for (const v1::DevicePrediction& prediction : predictions)
    if (prediction.chosen()) return &prediction;
  return nullptr;
}

}  // namespace

DraftModel::DraftModel(Fleet& fleet, QObject* parent) : QAbstractTableModel(parent), fleet_(fleet) {
  connect(&fleet_, &Fleet::submit_answered, this, &DraftModel::take);
}

// --- Files ---------------------------------------------------------------------------------------

int DraftModel::add_files(const QStringList& paths) {
  QSet<QString> known;
  for (const Row& row : rows_) known.insert(row.path);
  std::vector<Row> added;
  for (const QString& path : paths) {
    if (path.isEmpty() || known.contains(path) || rows_.size() + added.size() >= kMostFiles) continue;
    known.insert(path);
    added.push_back({path});
  }
  if (added.empty()) return 0;
  beginInsertRows({}, int(rows_.size()), int(rows_.size() + added.size()) - 1);
  rows_.insert(rows_.end(), added.begin(), added.end());
  endInsertRows();
  emit files_changed();
  return int(added.size());
}

void DraftModel::remove_row(int row) {
  beginRemoveRows({}, row, row);
  rows_.erase(rows_.begin() + row);
  endRemoveRows();
}

void DraftModel::remove_files(std::vector<int> rows) {
  std::sort(rows.rbegin(), rows.rend());
  for (const int row : rows) remove_row(row);
  if (!rows.empty()) emit files_changed();
}

void DraftModel::join_sequences(const std::vector<int>& rows) {
  std::vector<std::string> paths;
  for (const int row : rows) paths.push_back(rows_[size_t(row)].path.toStdString());
  QStringList joined;
  for (const std::string& path : options::join_frames(paths)) joined.push_back(text(path));
  remove_files(rows);
  add_files(joined);
}

QStringList DraftModel::files() const {
  QStringList paths;
  for (const Row& row : rows_) paths.push_back(row.path);
  return paths;
}

int DraftModel::row_of(const QString& path) const {
  const auto found =
      std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) { return row.path == path; });
  return found == rows_.end() ? -1 : int(found - rows_.begin());
}

// --- The server ----------------------------------------------------------------------------------

void DraftModel::forget_answers() {
  violations_.clear();
  problem_.clear();
  without_files_.clear();
  checking_ = 0;
}

bool DraftModel::add_inputs(client::Draft& draft, size_t count) {
  reads_files_ = draft.kind.input_option().has_value();
  if (!reads_files_) return true;
  for (size_t i = 0; i < std::min(count, rows_.size()); i++)
    draft.inputs.push_back(rows_[i].path.toStdString());
  return !draft.inputs.empty();
}

Status DraftModel::check(int server, const client::Draft& draft, bool all) {
  forget_answers();
  SubmitOrder order{++last_number_, draft, true};
  if (!add_inputs(order.draft, all ? rows_.size() : kCheckedAtOnce)) return ok_status();
  checking_ = order.number;
  return fleet_.submit(server, order);
}

Status DraftModel::submit_files(int server, const client::Draft& draft) {
  forget_answers();
  SubmitOrder order{++last_number_, draft, false};
  if (!add_inputs(order.draft, rows_.size())) return invalid_argument("There is no file yet; add one.");
  RETURN_IF_ERROR(fleet_.submit(server, order));
  submitting_ = order.number;
  added_ = refused_ = 0;
  return ok_status();
}

void DraftModel::take(const SubmitAnswer& answer) {
  if (answer.number != checking_ && answer.number != submitting_) return;
  for (const options::Violation& violation : answer.violations)
    if (std::find(violations_.begin(), violations_.end(), violation) == violations_.end())
      violations_.push_back(violation);
  if (answer.inputs.isEmpty() && answer.violations.empty()) problem_ = answer.error;
  if (!reads_files_) without_files_ = answer.predictions;
  take_estimate(answer);
  if (answer.number == submitting_) {
    take_submitted(answer);
  } else if (answer.is_last) {
    checking_ = 0;
  }
  emit answered();
}

void DraftModel::take_estimate(const SubmitAnswer& answer) {
  int files = int(answer.inputs.size());
  for (const QString& input : answer.inputs) {
    const int row = row_of(input);
    if (row < 0) continue;
    if (!answer.id.isEmpty()) {
      remove_row(row);
      continue;
    }
    Row& found = rows_[size_t(row)];
    found.is_wrong = !answer.error.isEmpty();
    found.found = found.is_wrong ? answer.error : text(answer.estimate.input_summary());
    found.files = std::exchange(files, 0);
    found.estimate = found.files > 0 ? answer.estimate : v1::JobEstimate();
    found.predictions = found.files > 0 ? answer.predictions : std::vector<v1::DevicePrediction>();
    emit dataChanged(index(row, 0), index(row, kDraftColumns - 1));
  }
}

void DraftModel::take_submitted(const SubmitAnswer& answer) {
  added_ += answer.id.isEmpty() ? 0 : 1;
  refused_ += answer.id.isEmpty() ? 1 : 0;
  if (!answer.is_last) return;
  submitting_ = 0;
  emit submitted(added_, refused_);
}

QStringList DraftModel::estimate() const {
  QStringList lines;
  if (!reads_files_) {
    for (const v1::DevicePrediction& prediction : without_files_) lines += text(prediction.summary());
    return lines;
  }
  int64_t known = 0, units_in = 0, units_out = 0, bytes = 0, free_bytes = 0;
  int sized = 0, timed = 0;
  double seconds = 0;
  for (const Row& row : rows_) {
    if (row.estimate.input_summary().empty()) continue;
    known += row.files;
    units_in += row.estimate.units_in();
    units_out += row.estimate.units_out();
    bytes += row.estimate.output_bytes();
    sized += row.estimate.output_bytes() > 0 ? row.files : 0;
    free_bytes = row.estimate.free_bytes();
    const v1::DevicePrediction* prediction = chosen(row.predictions);
    if (prediction == nullptr || !prediction->has_own()) continue;
    timed += row.files;
    seconds += client::seconds_of(prediction->own());
  }
  const QString files = counted(int64_t(rows_.size()), tr("1 file"), tr("%1 files"));
  const auto is_wrong = [](const Row& row) { return row.is_wrong; };
  if (const auto wrong = std::count_if(rows_.begin(), rows_.end(), is_wrong); wrong > 0)
    lines += tr("%1 of %2 cannot be used: %3", "number of files")
                 .arg(wrong)
                 .arg(files, std::find_if(rows_.begin(), rows_.end(), is_wrong)->found);
  if (known == 0) return lines;
  lines += tr("%1 of %2 checked: %3 in, %4 out", "number of files, numbers of units")
               .arg(known)
               .arg(files, counted(units_in, tr("1 unit"), tr("%1 units")))
               .arg(units_out);
  // Returns a text with the number of files that a sum does not include.
  const auto without = [&](int counted_files) {
    const auto left_out = int64_t(rows_.size()) - counted_files;
    return left_out == 0 ? QString()
                         : counted(left_out, tr("; 1 file not included"), tr("; %1 files not included"));
  };
  lines += sized == 0
               ? tr("Disk space: unknown")
               : tr("Disk space: at most %1 (%2 free)").arg(bytes_text(bytes), bytes_text(free_bytes)) +
                     without(sized);
  lines += timed == 0 ? tr("Processing time: unknown (no similar job has run yet)")
                      : tr("Processing time: %1").arg(clock_text(seconds)) + without(timed);
  if (!rows_[0].estimate.output_summary().empty())
    lines += tr("Output: %1").arg(text(rows_[0].estimate.output_summary()));
  for (const v1::DevicePrediction& prediction : rows_[0].predictions) lines += text(prediction.summary());
  return lines;
}

// --- The table -----------------------------------------------------------------------------------

int DraftModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(rows_.size()); }

int DraftModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : kDraftColumns; }

QVariant DraftModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= int(rows_.size())) return {};
  const Row& row = rows_[size_t(index.row())];
  if (role == Qt::ToolTipRole)
    return row.found.isEmpty() ? row.path : QStringLiteral("%1\n%2").arg(row.path, row.found);
  if (role == Qt::FontRole && row.is_wrong && index.column() == int(DraftColumn::kFound)) {
    QFont bold;
    bold.setBold(true);
    return bold;
  }
  if (role != Qt::DisplayRole) return {};
  switch (DraftColumn(index.column())) {
    case DraftColumn::kFile:
      return QFileInfo(row.path).fileName();
    case DraftColumn::kFolder:
      return QFileInfo(row.path).path();
    case DraftColumn::kFound:
      return row.found;
  }
  return {};
}

QVariant DraftModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  const QString titles[] = {tr("File"), tr("Contents"), tr("Folder")};
  return section >= 0 && section < kDraftColumns ? titles[section] : QVariant();
}

}  // namespace weft::gui
