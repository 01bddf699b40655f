// SPDX-License-Identifier: Apache-2.0
// Defines the common appearance and keys of the dashboard's tables.
#pragma once

#include <QTableView>

namespace weft::gui {

// Selects whole rows and hides the grid. The height of rows is a line and `padding` pixels, and Tab
// moves the focus out of the table.
void make_row_table(QTableView& table, int padding);

}  // namespace weft::gui
