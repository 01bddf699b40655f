// SPDX-License-Identifier: Apache-2.0
#include "client_gui/models/jobs_model.h"

#include <QGuiApplication>
#include <QPalette>
#include <QRegularExpression>
#include <algorithm>
#include <chrono>

namespace weft::gui {
namespace {

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

JobsModel::JobsModel(QObject* parent) : QAbstractTableModel(parent) {}

void JobsModel::add_server(int server, const QString& name) { servers_[server].name = name; }

void JobsModel::remove_server(int server) {
  Changes changes;
  servers_.at(server).generation++;
  forget_old(server, changes);
  rearrange(std::move(changes));
  servers_.erase(server);
}

void JobsModel::set_live(int server, bool live) {
  if (std::exchange(servers_.at(server).live, live) == live || order_.empty()) return;
  emit dataChanged(index(0, 0), index(rowCount() - 1, kJobColumns - 1), {Qt::ForegroundRole});
}

JobsModel::Counts JobsModel::counts(int server) const {
  const auto found = servers_.find(server);
  return found == servers_.end() ? Counts() : found->second.counts;
}

int JobsModel::row_of(int server, const QString& id) const {
  const auto found = servers_.find(server);
  if (found == servers_.end()) return -1;
  const auto slot = found->second.slots_by_id.find(id);
  return slot == found->second.slots_by_id.end() ? -1 : entries_[*slot].row;
}

bool JobsModel::changes_state(int server, const JobRow& job) const {
  const Server& from = servers_.at(server);
  const auto slot = from.slots_by_id.find(job.id);
  if (slot == from.slots_by_id.end()) return true;
  const JobRow& known = entries_[*slot].placed.job;
  return known.state != job.state || known.attempt != job.attempt;
}

// --- Changes ------------------------------------------------------------------------------------------------

void JobsModel::apply(int server, const Delivery& delivery) {
  Changes changes;
  if (delivery.snapshot_begins) servers_.at(server).generation++;
  for (const JobRow& job : delivery.jobs) put(server, job, changes);
  for (const QString& id : delivery.forgotten) forget(server, id, changes);
  if (delivery.snapshot_ends) forget_old(server, changes);
  rearrange(std::move(changes));
  if (!delivery.jobs.empty() || !delivery.forgotten.empty() || delivery.snapshot_ends)
    emit counts_changed(server);
}

JobsModel::Slot JobsModel::new_slot() {
  if (free_.empty()) {
    entries_.emplace_back();
    return Slot(entries_.size() - 1);
  }
  const Slot slot = free_.back();
  free_.pop_back();
  return slot;
}

void JobsModel::put(int server, const JobRow& job, Changes& changes) {
  Server& from = servers_.at(server);
  const auto known = from.slots_by_id.find(job.id);
  const bool is_new = known == from.slots_by_id.end();
  const Slot slot = is_new ? new_slot() : *known;
  Entry& entry = entries_[slot];
  entry.generation = from.generation;
  if (is_new) {
    from.slots_by_id.insert(job.id, slot);
    entry.used = true;
    entry.placed.server = server;
    entry.placed.server_name = from.name;
  } else {
    if (job.revision < entry.placed.job.revision) return;
    from.counts[entry.placed.job.state]--;
  }
  from.counts[job.state]++;
  PlacedJob placed{job, server, from.name};
  const bool keeps_place = compare(entry.placed, placed, sort_column_) == 0;
  entry.placed = std::move(placed);
  const bool shown = is_shown_by_scope(entry.placed);
  if (entry.row < 0 && !shown) return;
  if (entry.row >= 0 && shown) changes.updated.push_back(slot);
  if (entry.row >= 0 && shown && keeps_place) return;
  entry.fate = shown ? Fate::kPlaced : Fate::kLeaves;
  (entry.row < 0 ? changes.entering : shown ? changes.moving : changes.leaving).push_back(slot);
}

void JobsModel::forget(int server, const QString& id, Changes& changes) {
  Server& from = servers_.at(server);
  const auto known = from.slots_by_id.find(id);
  if (known == from.slots_by_id.end()) return;
  Entry& entry = entries_[*known];
  from.counts[entry.placed.job.state]--;
  entry.used = false;
  if (entry.row >= 0 && entry.fate != Fate::kLeaves) changes.leaving.push_back(*known);
  if (entry.row < 0 && entry.fate == Fate::kStays) free_.push_back(*known);
  entry.fate = entry.row >= 0 ? Fate::kLeaves : Fate::kStays;  // what was about to enter does not
  from.slots_by_id.erase(known);
}

// What a snapshot did not tell of is no longer there.
void JobsModel::forget_old(int server, Changes& changes) {
  const Server& from = servers_.at(server);
  QStringList old;
  for (auto each = from.slots_by_id.begin(); each != from.slots_by_id.end(); ++each)
    if (entries_[*each].generation != from.generation) old.push_back(each.key());
  for (const QString& id : old) forget(server, id, changes);
}

// --- What is shown, in which order --------------------------------------------------------------------------

bool JobsModel::is_shown_by_scope(const PlacedJob& placed) const {
  const JobRow& job = placed.job;
  if (scope_.server != 0 && scope_.server != placed.server) return false;
  if (!scope_.device.isEmpty() && scope_.device != job.device) return false;
  if (scope_.state && *scope_.state != job.state) return false;
  return std::all_of(words_.begin(), words_.end(), [&](const QString& word) {
    const auto has = [&](const QString& text) { return text.contains(word, Qt::CaseInsensitive); };
    return has(job.files) || has(job.id) || has(job.owner) || has(job.device) || has(job.kind) ||
           has(job.note) || has(name_of(job.state)) || has(placed.server_name);
  });
}

bool JobsModel::stands_before(Slot a, Slot b) const {
  const PlacedJob& first = entries_[a].placed;
  const PlacedJob& second = entries_[b].placed;
  const int order = compare(first, second, sort_column_);
  if (order != 0) return sort_order_ == Qt::AscendingOrder ? order < 0 : order > 0;
  // Ids rise with the time of submitting: the newest first.
  return first.job.id > second.job.id;
}

// First what enters is put at the end; then everything is moved to where it belongs, what leaves to the end; then the
// end is taken away.
void JobsModel::rearrange(Changes changes) {
  enter(changes.entering);
  std::vector<Slot> placing = std::move(changes.entering);
  for (const Slot slot : changes.moving)
    if (entries_[slot].fate == Fate::kPlaced) placing.push_back(slot);
  if (!placing.empty() || !changes.leaving.empty()) {
    const std::vector<Slot> order = order_after(std::move(placing), changes.leaving);
    for (const Slot slot : order) entries_[slot].fate = Fate::kStays;
    reorder(order);
  }
  leave(changes.leaving);
  int first = rowCount(), last = -1;
  for (const Slot slot : changes.updated) {
    const int row = entries_[slot].row;
    if (row < 0) continue;
    first = std::min(first, row);
    last = std::max(last, row);
  }
  if (first <= last) emit dataChanged(index(first, 0), index(last, kJobColumns - 1));
}

void JobsModel::enter(std::vector<Slot>& entering) {
  std::erase_if(entering, [this](Slot slot) {
    const bool gone = !entries_[slot].used;
    if (gone) free_.push_back(slot);
    return gone;
  });
  if (entering.empty()) return;
  beginInsertRows({}, rowCount(), rowCount() + int(entering.size()) - 1);
  for (const Slot slot : entering) {
    entries_[slot].row = int(order_.size());
    entries_[slot].fate = Fate::kPlaced;
    order_.push_back(slot);
  }
  endInsertRows();
}

std::vector<JobsModel::Slot> JobsModel::order_after(std::vector<Slot> placing,
                                                    const std::vector<Slot>& leaving) const {
  const auto before = [this](Slot a, Slot b) { return stands_before(a, b); };
  std::sort(placing.begin(), placing.end(), before);
  std::vector<Slot> staying;
  staying.reserve(order_.size());
  for (const Slot slot : order_)
    if (entries_[slot].fate == Fate::kStays) staying.push_back(slot);
  std::vector<Slot> order(staying.size() + placing.size());
  std::merge(staying.begin(), staying.end(), placing.begin(), placing.end(), order.begin(), before);
  order.insert(order.end(), leaving.begin(), leaving.end());
  return order;
}

void JobsModel::leave(const std::vector<Slot>& leaving) {
  if (leaving.empty()) return;
  const size_t rest = order_.size() - leaving.size();
  beginRemoveRows({}, int(rest), rowCount() - 1);
  order_.resize(rest);
  for (const Slot slot : leaving) {
    entries_[slot].row = -1;
    if (!entries_[slot].used) free_.push_back(slot);
  }
  endRemoveRows();
}

void JobsModel::reorder(const std::vector<Slot>& order) {
  if (order == order_) return;
  emit layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
  const QModelIndexList before = persistentIndexList();
  std::vector<Slot> held;
  held.reserve(size_t(before.size()));
  for (const QModelIndex& each : before) held.push_back(order_[size_t(each.row())]);
  order_ = order;
  for (size_t row = 0; row < order_.size(); row++) entries_[order_[row]].row = int(row);
  QModelIndexList after;
  after.reserve(before.size());
  for (size_t i = 0; i < held.size(); i++)
    after.push_back(index(entries_[held[i]].row, before[qsizetype(i)].column()));
  changePersistentIndexList(before, after);
  emit layoutChanged({}, QAbstractItemModel::VerticalSortHint);
}

void JobsModel::sort(int column, Qt::SortOrder order) {
  if (column < 0 || column >= kJobColumns) return;
  sort_column_ = JobColumn(column);
  sort_order_ = order;
  std::vector<Slot> sorted = order_;
  std::sort(sorted.begin(), sorted.end(), [this](Slot a, Slot b) { return stands_before(a, b); });
  reorder(sorted);
}

void JobsModel::set_scope(const JobScope& scope) {
  if (scope == scope_) return;
  scope_ = scope;
  words_ = scope.text.split(QRegularExpression(QStringLiteral("\\s+")), Qt::SkipEmptyParts);
  Changes changes;
  for (Slot slot = 0; slot < entries_.size(); slot++) {
    Entry& entry = entries_[slot];
    const bool shown = entry.used && is_shown_by_scope(entry.placed);
    if (shown && entry.row < 0) changes.entering.push_back(slot);
    if (shown || entry.row < 0) continue;
    entry.fate = Fate::kLeaves;
    changes.leaving.push_back(slot);
  }
  rearrange(std::move(changes));
}

// --- The table ----------------------------------------------------------------------------------------------

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
      return column == JobColumn::kNote || column == JobColumn::kFiles ? text_of(placed, column, 0)
                                                                       : QVariant();
    case Qt::TextAlignmentRole:
      return QVariant::fromValue(alignment_of(column));
    case Qt::ForegroundRole:
      if (servers_.at(placed.server).live) return {};
      return QGuiApplication::palette().brush(QPalette::Disabled, QPalette::Text);
    case kDoneRole:
      return placed.job.done;
    case kStateRole:
      return int(placed.job.state);
    default:
      return {};
  }
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
