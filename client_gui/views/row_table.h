// SPDX-License-Identifier: Apache-2.0
// How every table of the dashboard looks and is walked through.
#pragma once

#include <QTableView>

namespace weft::gui {

// Whole rows are chosen, there is no grid, rows are as high as a line and `padding` pixels, and Tab leaves the table.
void make_row_table(QTableView& table, int padding);

}  // namespace weft::gui
