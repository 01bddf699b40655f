// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/jobs_table.h"

#include <QDataStream>
#include <QHeaderView>
#include <QIODevice>
#include <QScrollBar>
#include <QSignalBlocker>
#include <algorithm>
#include <array>

#include "client_gui/views/job_delegate.h"
#include "client_gui/views/pinned_columns.h"
#include "client_gui/views/row_table.h"

namespace weft::gui {
namespace {

constexpr int kMargin = 12;
constexpr double kFilesPart = 0.7;  // fraction for Files of the width that Files and Reason share
constexpr int kLeastFiles = 220, kLeastNote = 110;
constexpr JobColumn kHiddenFirst[] = {JobColumn::kRate,     JobColumn::kKind,   JobColumn::kClass,
                                      JobColumn::kAttempts, JobColumn::kServer, JobColumn::kId};

constexpr std::array<int, 2> kPinned = {int(JobColumn::kState), int(JobColumn::kDone)};

// Returns a text of typical width for the column.
QString usual_text(JobColumn column) {
  switch (column) {
    case JobColumn::kState:
      return QStringLiteral("| succeeded");
    case JobColumn::kDone:
      return QStringLiteral("===== 100.0%");
    case JobColumn::kEta:
      return QStringLiteral("00:00:00");
    case JobColumn::kOwner:
      return QStringLiteral("annabella");
    case JobColumn::kLabels:
      return QStringLiteral("reel=12 show=a");
    case JobColumn::kEnded:
      return QStringLiteral("11-30 23:59");
    case JobColumn::kAge:
      return QStringLiteral("59 min");
    case JobColumn::kPriority:
      return QStringLiteral("-100");
    case JobColumn::kServer:
      return QStringLiteral("unix:/run/weft/weft.sock");
    case JobColumn::kId:
      return QStringLiteral("01KXXXXXXXXXXXXXXXXXXXXXXX");
    case JobColumn::kKind:
      return QStringLiteral("benchmark-12");
    default:
      return QStringLiteral("vulkan:0");
  }
}

// A header for rows of equal height, which does not query the height of each row after a move.
class EvenRows final : public QHeaderView {
 public:
  using QHeaderView::QHeaderView;
  // NOLINTNEXTLINE(bugprone-parent-virtual-call)
  void doItemsLayout() override { QAbstractItemView::doItemsLayout(); }
};

}  // namespace

JobsTable::JobsTable(JobsModel& jobs, QWidget* parent) : QTableView(parent) {
  setAccessibleName(tr("Jobs"));
  setVerticalHeader(new EvenRows(Qt::Vertical, this));
  make_row_table(*this, 8);
  setSelectionMode(QAbstractItemView::ExtendedSelection);
  setAlternatingRowColors(true);
  setWordWrap(false);
  setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  setItemDelegate(new JobDelegate(this));
  setModel(&jobs);
  QHeaderView& header = *horizontalHeader();
  header.setSectionsMovable(true);
  header.setSortIndicator(int(JobColumn::kAge), Qt::AscendingOrder);
  setSortingEnabled(true);
  for (const JobColumn column : kHiddenFirst) setColumnHidden(int(column), true);
  set_first_widths();
  connect(&header, &QHeaderView::sectionResized, this, [this](int, int before, int after) {
    if (is_fitting_) return;
    // A change from or to a width of 0 shows or hides a column, and is no change of its width.
    if (before > 0 && after > 0) is_arranged_ = true;
    fit();
    emit columns_changed();
  });
  connect(&header, &QHeaderView::sectionMoved, this, &JobsTable::columns_changed);
  connect(&header, &QHeaderView::sortIndicatorChanged, this, &JobsTable::columns_changed);
  auto* vertical = new EvenRows(Qt::Vertical);
  new PinnedColumns(*this, {kPinned.begin(), kPinned.end()}, vertical);
}

void JobsTable::set_first_widths() {
  is_fitting_ = true;
  for (int i = 0; i < kJobColumns; i++) {
    const int text = fontMetrics().horizontalAdvance(usual_text(JobColumn(i))) + kMargin;
    setColumnWidth(i, std::max(horizontalHeader()->sectionSizeHint(i), text));
  }
  is_fitting_ = false;
}

// Divides the remaining width between Files and Reason.
void JobsTable::fit() {
  const int files = int(JobColumn::kFiles), note = int(JobColumn::kNote);
  if (is_arranged_ || isColumnHidden(files)) return;
  const int before = horizontalHeader()->length();
  is_fitting_ = true;
  int rest = viewport()->width();
  for (int i = 0; i < kJobColumns; i++)
    if (i != files && i != note && !isColumnHidden(i)) rest -= columnWidth(i);
  const bool has_note = !isColumnHidden(note);
  const int files_width = std::max(kLeastFiles, has_note ? int(rest * kFilesPart) : rest);
  setColumnWidth(files, files_width);
  if (has_note) setColumnWidth(note, std::max(kLeastNote, rest - files_width));
  is_fitting_ = false;
  // Updates at once, so that no unnecessary scroll bar appears for a moment.
  if (horizontalHeader()->length() != before) updateGeometries();
}

void JobsTable::scrollTo(const QModelIndex& index, ScrollHint hint) {
  QScrollBar& across = *horizontalScrollBar();
  const bool is_pinned = std::find(kPinned.begin(), kPinned.end(), index.column()) != kPinned.end();
  if (!is_pinned || across.value() == 0) return QTableView::scrollTo(index, hint);
  const QSignalBlocker silent(across);
  const int scroll_value = across.value();
  QTableView::scrollTo(index, hint);
  across.setValue(scroll_value);
}

void JobsTable::resizeEvent(QResizeEvent* event) {
  QTableView::resizeEvent(event);
  fit();
}

void JobsTable::distinguish_servers(bool are_several) {
  const int server = int(JobColumn::kServer);
  if (is_arranged_ || isColumnHidden(server) != are_several) return;
  is_fitting_ = true;
  setColumnHidden(server, !are_several);
  is_fitting_ = false;
  fit();
}

QByteArray JobsTable::save_columns() const {
  QByteArray state;
  QDataStream stream(&state, QIODevice::WriteOnly);
  stream << kJobColumns << is_arranged_ << horizontalHeader()->saveState();
  return state;
}

void JobsTable::restore_columns(const QByteArray& state) {
  QDataStream stream(state);
  int columns = 0;
  bool is_arranged = false;
  QByteArray header;
  stream >> columns >> is_arranged >> header;
  if (stream.status() != QDataStream::Ok || columns != kJobColumns) return;
  is_fitting_ = true;
  const bool is_restored = horizontalHeader()->restoreState(header);
  is_fitting_ = false;
  is_arranged_ = is_restored && is_arranged;
  fit();
}

}  // namespace weft::gui
