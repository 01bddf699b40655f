// SPDX-License-Identifier: Apache-2.0
// Formats tables with aligned columns, and lines with several colours.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "client_cli/output/terminal.h"

namespace weft::cli {

enum class Align { kLeft, kRight };

struct Cell {
  std::string text;
  TextColour colour = TextColour::kNone;
};

// The cells of a row.
using TableRow = std::vector<Cell>;

inline constexpr size_t kAnyWidth = std::numeric_limits<size_t>::max();

size_t display_width(const TableRow& line);
// Returns the line shortened to at most `width` columns; "…" replaces the end.
TableRow cut(const TableRow& line, size_t width);
// Returns the line with the terminal's colour codes, without trailing spaces.
std::string paint(const Terminal& terminal, const TableRow& line);

class Table {
 public:
  struct Column {
    std::string title;
    Align align = Align::kLeft;
    // order of removal if the width is too small: the highest number first; 0: never removed
    int given_up = 0;
    size_t keeps = 10;     // minimum width of the last column, even if the table is too wide
    bool cut_end = false;  // true: the last column is shortened at its end; false: in its middle
  };

  explicit Table(std::vector<Column> columns);

  // Adds a row with one cell per column. Control characters in the texts are escaped.
  void add(std::vector<Cell> row);

  // Returns the titles, then the rows, with two spaces between columns. If `width` is too small,
  // columns are removed in the order of `given_up`, then the last column is shortened.
  std::vector<TableRow> lines(size_t width = kAnyWidth) const;
  // Returns the lines as text, on a terminal limited to its width.
  std::string format(const Terminal& terminal) const;

 private:
  std::vector<size_t> widths() const;
  // Returns the indices of the columns that fit into `width`; `widths` receives the widths of all
  // columns.
  std::vector<size_t> choose(size_t width, std::vector<size_t>* widths) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace weft::cli
