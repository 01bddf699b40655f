// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/row_table.h"

#include <QHeaderView>

namespace weft::gui {

void make_row_table(QTableView& table, int padding) {
  table.setSelectionBehavior(QAbstractItemView::SelectRows);
  table.setShowGrid(false);
  table.setTabKeyNavigation(false);
  table.verticalHeader()->hide();
  table.verticalHeader()->setDefaultSectionSize(table.fontMetrics().height() + padding);
  table.horizontalHeader()->setHighlightSections(false);
}

}  // namespace weft::gui
