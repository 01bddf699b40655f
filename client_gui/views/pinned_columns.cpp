// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/pinned_columns.h"

#include <QEvent>
#include <QHeaderView>
#include <QScrollBar>
#include <algorithm>

#include "client_gui/views/row_table.h"

namespace weft::gui {

PinnedColumns::PinnedColumns(QTableView& table, std::vector<int> columns, QHeaderView* rows)
    : QTableView(&table), table_(table), columns_(std::move(columns)) {
  setVerticalHeader(rows);
  make_row_table(*this, 0);
  rows->setDefaultSectionSize(table.verticalHeader()->defaultSectionSize());
  rows->setSectionResizeMode(QHeaderView::Fixed);
  setSelectionMode(table.selectionMode());
  setItemDelegate(table.itemDelegate());
  setAlternatingRowColors(true);
  setWordWrap(false);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setContextMenuPolicy(Qt::NoContextMenu);  // the table handles the event and shows its menu
  setFocusProxy(&table);
  setAccessibleName(table.accessibleName());
  horizontalHeader()->setSectionsClickable(true);
  horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  horizontalHeader()->setSortIndicatorShown(true);
  hide();
  connect(table.verticalScrollBar(), &QScrollBar::valueChanged, verticalScrollBar(), &QScrollBar::setValue);
  connect(verticalScrollBar(), &QScrollBar::valueChanged, this, [this](int value) {
    if (isVisible()) table_.verticalScrollBar()->setValue(value);
  });
  connect(table.horizontalScrollBar(), &QScrollBar::valueChanged, this, &PinnedColumns::place);
  connect(table.horizontalHeader(), &QHeaderView::sectionResized, this, &PinnedColumns::place);
  connect(table.horizontalHeader(), &QHeaderView::sortIndicatorChanged, this, &PinnedColumns::follow_sort);
  connect(horizontalHeader(), &QHeaderView::sectionClicked, this, [this](int column) {
    const QHeaderView& header = *table_.horizontalHeader();
    const bool again = header.sortIndicatorSection() == column;
    const bool ascending = !again || header.sortIndicatorOrder() == Qt::DescendingOrder;
    table_.sortByColumn(column, ascending ? Qt::AscendingOrder : Qt::DescendingOrder);
  });
  connect(table.selectionModel(), &QItemSelectionModel::currentChanged, this, &PinnedColumns::uncover);
  table.viewport()->installEventFilter(this);
}

void PinnedColumns::place() {
  const bool is_scrolled = table_.horizontalScrollBar()->value() > 0;
  int width = 0;
  if (is_scrolled)
    for (const int column : columns_) width += table_.isColumnHidden(column) ? 0 : table_.columnWidth(column);
  attach(width > 0);
  setVisible(width > 0);
  if (width == 0) return;
  for (int column = 0; column < model()->columnCount(); column++) {
    const bool pinned = std::find(columns_.begin(), columns_.end(), column) != columns_.end();
    setColumnHidden(column, !pinned || table_.isColumnHidden(column));
    if (pinned && !table_.isColumnHidden(column)) setColumnWidth(column, table_.columnWidth(column));
  }
  const QRect viewport = table_.viewport()->geometry();
  const int header = table_.horizontalHeader()->height();
  horizontalHeader()->setFixedHeight(header);
  setGeometry(viewport.left(), viewport.top() - header, width, viewport.height() + header);
  verticalScrollBar()->setValue(table_.verticalScrollBar()->value());
  follow_sort();
}

// Gives the view the rows of the table, or no rows. Even a hidden view processes every move of a
// row, so it has rows only while it is visible.
void PinnedColumns::attach(bool attached) {
  if ((model() != nullptr) == attached) return;
  setModel(attached ? table_.model() : nullptr);
  if (!attached) return;
  QItemSelectionModel* own = selectionModel();
  setSelectionModel(table_.selectionModel());
  delete own;
}

void PinnedColumns::follow_sort() {
  if (model() == nullptr) return;
  const QHeaderView& header = *table_.horizontalHeader();
  horizontalHeader()->setSortIndicator(header.sortIndicatorSection(), header.sortIndicatorOrder());
}

// Scrolls the table if these columns cover the current cell.
void PinnedColumns::uncover(const QModelIndex& current) {
  if (!isVisible() || !current.isValid() ||
      std::find(columns_.begin(), columns_.end(), current.column()) != columns_.end())
    return;
  const int covered = width() - table_.columnViewportPosition(current.column());
  QScrollBar& bar = *table_.horizontalScrollBar();
  if (covered > 0) bar.setValue(bar.value() - covered);
}

bool PinnedColumns::event(QEvent* event) {
  if (event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride) {
    event->ignore();
    return false;
  }
  return QTableView::event(event);
}

bool PinnedColumns::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) place();
  return QTableView::eventFilter(watched, event);
}

}  // namespace weft::gui
