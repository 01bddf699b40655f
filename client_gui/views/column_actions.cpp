// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/column_actions.h"

#include <QHeaderView>
#include <QMenu>
#include <QTableView>

namespace weft::gui {

ColumnActions::ColumnActions(QTableView& table)
    : QObject(&table), table_(table), menu_(new QMenu(tr("&Columns"), &table)) {
  const auto add = [this](const QString& text, const QKeySequence& key, const std::function<void()>& act) {
    auto* action = new QAction(text, &table_);
    action->setShortcut(key);
    action->setShortcutContext(Qt::WidgetShortcut);
    table_.addAction(action);
    menu_->addAction(action);
    connect(action, &QAction::triggered, this, act);
  };
  menu_->addSeparator();
  add(tr("Move the column &left"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Left), [this] { move(-1); });
  add(tr("Move the column &right"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Right), [this] { move(1); });
  add(tr("&Sort by the column"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S), [this] { sort(); });
  connect(menu_, &QMenu::aboutToShow, this, &ColumnActions::fill);
  QHeaderView* header = table.horizontalHeader();
  header->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(header, &QWidget::customContextMenuRequested, this,
          [this, header](const QPoint& position) { menu_->popup(header->mapToGlobal(position)); });
}

void ColumnActions::fill() {
  for (QAction* action : menu_->actions())
    if (action->isCheckable()) delete action;
  const QHeaderView& header = *table_.horizontalHeader();
  QAction* before = menu_->actions().value(0);
  for (int position = 0; position < header.count(); position++) {
    const int column = header.logicalIndex(position);
    const bool shown = !header.isSectionHidden(column);
    auto* action = new QAction(table_.model()->headerData(column, Qt::Horizontal).toString(), menu_);
    action->setCheckable(true);
    action->setChecked(shown);
    // The last visible column cannot be hidden, since a table without columns has no header menu.
    action->setEnabled(!shown || header.count() - header.hiddenSectionCount() > 1);
    connect(action, &QAction::toggled, this, [this, column](bool on) { show_column(column, on); });
    menu_->insertAction(before, action);
  }
}

void ColumnActions::show_column(int column, bool shown) {
  table_.setColumnHidden(column, !shown);
  // A column that was never shown may have a width of 0.
  if (shown && table_.columnWidth(column) < table_.horizontalHeader()->minimumSectionSize())
    table_.resizeColumnToContents(column);
}

void ColumnActions::move(int step) {
  QHeaderView& header = *table_.horizontalHeader();
  if (!table_.currentIndex().isValid()) return;
  const int from = header.visualIndex(table_.currentIndex().column());
  int to = from + step;
  while (to >= 0 && to < header.count() && header.isSectionHidden(header.logicalIndex(to))) to += step;
  if (to < 0 || to >= header.count()) return;
  header.moveSection(from, to);
  table_.scrollTo(table_.currentIndex());
}

void ColumnActions::sort() {
  const QHeaderView& header = *table_.horizontalHeader();
  if (!table_.currentIndex().isValid()) return;
  const int column = table_.currentIndex().column();
  const bool again = header.sortIndicatorSection() == column;
  const bool ascending = !again || header.sortIndicatorOrder() == Qt::DescendingOrder;
  table_.sortByColumn(column, ascending ? Qt::AscendingOrder : Qt::DescendingOrder);
}

}  // namespace weft::gui
