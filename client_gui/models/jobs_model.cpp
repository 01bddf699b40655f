// SPDX-License-Identifier: Apache-2.0
#include "client_gui/models/jobs_model.h"

#include <QGuiApplication>
#include <QPalette>
#include <algorithm>

#include "client_gui/models/wall_time.h"
#include "weft/v1/job.pb.h"

namespace weft::gui {
namespace {

// Returns true for columns with texts that may be elided.
bool has_tool_tip(JobColumn column) {
  return column == JobColumn::kNote || column == JobColumn::kFiles || column == JobColumn::kLabels ||
         column == JobColumn::kOwner || column == JobColumn::kEnded;
}

}  // namespace

JobsModel::JobsModel(QObject* parent) : QAbstractTableModel(parent) {}

void JobsModel::add_server(int server, const QString& name) { servers_[server].name = name; }

void JobsModel::remove_server(int server) {
  Slots touched;
  servers_.at(server).generation++;
  forget_old(server, touched);
  rearrange(touched);
  servers_.erase(server);
}

void JobsModel::set_live(int server, bool live) {
  if (std::exchange(servers_.at(server).live, live) == live || order_.empty()) return;
  emit dataChanged(index(0, 0), index(rowCount() - 1, kJobColumns - 1), {Qt::ForegroundRole});
}

QStringList JobsModel::limits_on(int server, const QString& device) const {
  QStringList limits;
  const auto known = servers_.find(server);
  if (known == servers_.end() || known->second.counts.count(v1::JOB_STATE_RUNNING) == 0) return limits;
  for (size_t slot = 0; slot < entries_.size(); slot++) {
    const auto& [job, server_of_job, name] = entries_[slot].placed;
    if (marks_[slot].used && server_of_job == server && job.state == v1::JOB_STATE_RUNNING &&
        job.device == device && !job.limited_by.isEmpty())
      limits.push_back(job.limited_by);
  }
  limits.sort();
  limits.removeDuplicates();
  return limits;
}

JobsModel::Counts JobsModel::counts(int server) const {
  const auto found = servers_.find(server);
  return found == servers_.end() ? Counts() : found->second.counts;
}

const JobRow* JobsModel::find(int server, const QString& id) const {
  const auto found = servers_.find(server);
  if (found == servers_.end()) return nullptr;
  const auto slot = found->second.slots_by_id.find(id);
  return slot == found->second.slots_by_id.end() ? nullptr : &entries_[*slot].placed.job;
}

int JobsModel::row_of(int server, const QString& id) const {
  const auto found = servers_.find(server);
  if (found == servers_.end()) return -1;
  const auto slot = found->second.slots_by_id.find(id);
  return slot == found->second.slots_by_id.end() ? -1 : marks_[*slot].row;
}

bool JobsModel::changes_state(int server, const JobRow& job) const {
  const Server& from = servers_.at(server);
  const auto slot = from.slots_by_id.find(job.id);
  if (slot == from.slots_by_id.end()) return true;
  const JobRow& known = entries_[*slot].placed.job;
  return known.state != job.state || known.attempt != job.attempt;
}

// --- Changes -------------------------------------------------------------------------------------

void JobsModel::apply(int server, const Delivery& delivery) {
  Slots touched;
  if (delivery.snapshot_begins) servers_.at(server).generation++;
  for (const JobRow& job : delivery.jobs) put(server, job, touched);
  for (const QString& id : delivery.forgotten) forget(server, id, touched);
  if (delivery.snapshot_ends) forget_old(server, touched);
  rearrange(touched);
  if (!delivery.jobs.empty() || !delivery.forgotten.empty() || delivery.snapshot_ends)
    emit counts_changed(server);
}

JobsModel::Slot JobsModel::new_slot() {
  if (free_.empty()) {
    entries_.emplace_back();
    marks_.emplace_back();
    return Slot(entries_.size() - 1);
  }
  const Slot slot = free_.back();
  free_.pop_back();
  return slot;
}

void JobsModel::touch(Slot slot, Slots& touched) {
  if (!std::exchange(marks_[slot].touched, true)) touched.push_back(slot);
}

void JobsModel::put(int server, const JobRow& job, Slots& touched) {
  Server& from = servers_.at(server);
  const auto known = from.slots_by_id.find(job.id);
  const bool is_new = known == from.slots_by_id.end();
  const Slot slot = is_new ? new_slot() : *known;
  Entry& entry = entries_[slot];
  Marks& marks = marks_[slot];
  entry.generation = from.generation;
  if (is_new) {
    from.slots_by_id.insert(job.id, slot);
    marks.used = marks.astray = true;
  } else {
    if (job.revision < entry.placed.job.revision) return;
    from.counts[entry.placed.job.state]--;
  }
  from.counts[job.state]++;
  PlacedJob placed{job, server, from.name};
  marks.astray = marks.astray || compare(entry.placed, placed, sort_column_) != 0;
  entry.placed = std::move(placed);
  entry.searched.clear();
  marks.shown = is_shown_by_scope(slot);
  touch(slot, touched);
}

void JobsModel::forget(int server, const QString& id, Slots& touched) {
  Server& from = servers_.at(server);
  const auto known = from.slots_by_id.find(id);
  if (known == from.slots_by_id.end()) return;
  const Slot slot = *known;
  from.counts[entries_[slot].placed.job.state]--;
  marks_[slot].used = marks_[slot].shown = false;
  touch(slot, touched);
  from.slots_by_id.erase(known);
}

// Removes jobs that the snapshot does not contain.
void JobsModel::forget_old(int server, Slots& touched) {
  const Server& from = servers_.at(server);
  QStringList old;
  for (auto each = from.slots_by_id.begin(); each != from.slots_by_id.end(); ++each)
    if (entries_[*each].generation != from.generation) old.push_back(each.key());
  for (const QString& id : old) forget(server, id, touched);
}

// --- Filter and order ----------------------------------------------------------------------------

const QByteArray& JobsModel::searched(Slot slot) {
  Entry& entry = entries_[slot];
  if (entry.searched.isEmpty()) entry.searched = search_.words_of(entry.placed);
  return entry.searched;
}

bool JobsModel::is_shown_by_scope(Slot slot) {
  const PlacedJob& placed = entries_[slot].placed;
  if (scope_.server != 0 && scope_.server != placed.server) return false;
  if (!scope_.device.isEmpty() && scope_.device != placed.job.device) return false;
  if (scope_.state && *scope_.state != placed.job.state) return false;
  if (search_.is_empty()) return true;
  return search_.matches(placed, search_.has_words() ? searched(slot) : QByteArray());
}

bool JobsModel::stands_before(Slot a, Slot b) const {
  const PlacedJob& first = entries_[a].placed;
  const PlacedJob& second = entries_[b].placed;
  const int order = compare(first, second, sort_column_);
  if (order != 0) return sort_order_ == Qt::AscendingOrder ? order < 0 : order > 0;
  // Equal jobs are in the order of submission, newest first: IDs increase with the time of
  // submission.
  return first.job.id > second.job.id;
}

// Updates the rows: appends entering jobs, moves all rows to their positions with the leaving jobs
// at the end, and removes the leaving jobs.
void JobsModel::rearrange(const Slots& touched) {
  Slots entering, leaving, updated;
  for (const Slot slot : touched) {
    const Marks& marks = marks_[slot];
    if (marks.shown)
      (marks.row < 0 ? entering : updated).push_back(slot);
    else if (marks.row >= 0)
      leaving.push_back(slot);
  }
  const bool moved = reposition(touched);
  if (moved || !entering.empty() || !leaving.empty()) {
    enter(entering);
    Slots order = shown();
    order.insert(order.end(), leaving.begin(), leaving.end());
    reorder(std::move(order));
    leave(leaving);
  }
  std::vector<int> rows;
  for (const Slot slot : updated) rows.push_back(marks_[slot].row);
  notify_rows(std::move(rows));
  for (const Slot slot : touched) {
    marks_[slot].touched = false;
    if (!marks_[slot].used) free_.push_back(slot);
  }
}

// Moves changed jobs to their positions in sorted_ and removes forgotten jobs. Returns false if
// there are no such jobs.
bool JobsModel::reposition(const Slots& touched) {
  Slots placing;
  bool is_changed = false;
  for (const Slot slot : touched) {
    const Marks& marks = marks_[slot];
    if (marks.used && marks.astray) placing.push_back(slot);
    is_changed = is_changed || !marks.used || marks.astray;
  }
  if (!is_changed) return false;
  std::erase_if(sorted_, [this](Slot slot) { return !marks_[slot].used || marks_[slot].astray; });
  const auto before = [this](Slot a, Slot b) { return stands_before(a, b); };
  std::sort(placing.begin(), placing.end(), before);
  Slots order;
  order.reserve(sorted_.size() + placing.size());
  auto copied = sorted_.begin();
  for (const Slot slot : placing) {
    const auto insert_at = std::lower_bound(copied, sorted_.end(), slot, before);
    order.insert(order.end(), copied, insert_at);
    order.push_back(slot);
    marks_[slot].astray = false;
    copied = insert_at;
  }
  order.insert(order.end(), copied, sorted_.end());
  sorted_ = std::move(order);
  return true;
}

void JobsModel::enter(const Slots& entering) {
  if (entering.empty()) return;
  beginInsertRows({}, rowCount(), rowCount() + int(entering.size()) - 1);
  for (const Slot slot : entering) {
    marks_[slot].row = int(order_.size());
    order_.push_back(slot);
  }
  endInsertRows();
}

JobsModel::Slots JobsModel::shown() const {
  Slots order;
  order.reserve(order_.size());
  std::copy_if(sorted_.begin(), sorted_.end(), std::back_inserter(order),
               [this](Slot slot) { return marks_[slot].shown; });
  return order;
}

void JobsModel::leave(const Slots& leaving) {
  if (leaving.empty()) return;
  const size_t rest = order_.size() - leaving.size();
  beginRemoveRows({}, int(rest), rowCount() - 1);
  order_.resize(rest);
  for (const Slot slot : leaving) marks_[slot].row = -1;
  endRemoveRows();
}

void JobsModel::reorder(Slots order) {
  if (order == order_) return;
  emit layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
  const QModelIndexList before = persistentIndexList();
  Slots held;
  held.reserve(size_t(before.size()));
  for (const QModelIndex& each : before) held.push_back(order_[size_t(each.row())]);
  order_ = std::move(order);
  for (size_t row = 0; row < order_.size(); row++) marks_[order_[row]].row = int(row);
  QModelIndexList after;
  after.reserve(before.size());
  for (size_t i = 0; i < held.size(); i++)
    after.push_back(index(marks_[held[i]].row, before[qsizetype(i)].column()));
  changePersistentIndexList(before, after);
  emit layoutChanged({}, QAbstractItemModel::VerticalSortHint);
}

// Reports the changed rows, adjacent rows in one signal. Unchanged rows between them are not
// reported, since they need no painting.
void JobsModel::notify_rows(std::vector<int> rows) {
  std::sort(rows.begin(), rows.end());
  for (size_t i = 0; i < rows.size();) {
    const int first = rows[i];
    int last = first;
    for (i++; i < rows.size() && rows[i] <= last + 1; i++) last = rows[i];
    emit dataChanged(index(first, 0), index(last, kJobColumns - 1));
  }
}

void JobsModel::sort(int column, Qt::SortOrder order) {
  if (column < 0 || column >= kJobColumns) return;
  sort_column_ = JobColumn(column);
  sort_order_ = order;
  std::sort(sorted_.begin(), sorted_.end(), [this](Slot a, Slot b) { return stands_before(a, b); });
  reorder(shown());
}

void JobsModel::set_scope(const JobScope& scope) {
  if (scope == scope_) return;
  const bool searches_as_before = scope.columns == scope_.columns;
  scope_ = scope;
  search_ = JobSearch(scope.text, scope.columns.empty() ? searchable_columns() : scope.columns);
  if (!searches_as_before)
    for (Entry& entry : entries_) entry.searched.clear();
  Slots touched;
  for (Slot slot = 0; slot < marks_.size(); slot++) {
    Marks& marks = marks_[slot];
    marks.shown = marks.used && is_shown_by_scope(slot);
    if (marks.shown != (marks.row >= 0)) touch(slot, touched);
  }
  rearrange(touched);
}

// --- The table -----------------------------------------------------------------------------------

int JobsModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(order_.size()); }

int JobsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : kJobColumns; }

QVariant JobsModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const PlacedJob& placed = job_at(index.row());
  const auto column = JobColumn(index.column());
  switch (role) {
    case Qt::DisplayRole:
      return text_of(placed, column, now_seconds());
    case Qt::ToolTipRole:
      return has_tool_tip(column) ? text_of(placed, column, 0) : QVariant();
    case Qt::TextAlignmentRole:
      return QVariant::fromValue(alignment_of(column));
    case Qt::ForegroundRole:
      return colour_of(placed, column);
    case kDoneRole:
      return placed.job.done;
    case kStateRole:
      return int(placed.job.state);
    default:
      return {};
  }
}

// Returns the text colour of a cell, or an invalid value for the default colour of the table.
QVariant JobsModel::colour_of(const PlacedJob& placed, JobColumn column) const {
  const QPalette palette = QGuiApplication::palette();
  if (!servers_.at(placed.server).live) return palette.brush(QPalette::Disabled, QPalette::Text);
  const bool is_alarm =
      placed.job.state == v1::JOB_STATE_FAILED && (column == JobColumn::kState || column == JobColumn::kNote);
  return is_alarm ? palette.brush(QPalette::BrightText) : QVariant();
}

QVariant JobsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= kJobColumns) return {};
  switch (role) {
    case Qt::DisplayRole:
      return title_of(JobColumn(section));
    case Qt::ToolTipRole:
      return help_of(JobColumn(section));
    case Qt::TextAlignmentRole:
      return QVariant::fromValue(alignment_of(JobColumn(section)));
    default:
      return {};
  }
}

}  // namespace weft::gui
