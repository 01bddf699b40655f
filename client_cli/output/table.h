// SPDX-License-Identifier: Apache-2.0
// Rows in columns that line up, and lines in several colours.
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

// Pieces, one behind the other.
using TableRow = std::vector<Cell>;

inline constexpr size_t kAnyWidth = std::numeric_limits<size_t>::max();

size_t display_width(const TableRow& line);
// At most `width` columns, with "…" for the end that is left out.
TableRow cut(const TableRow& line, size_t width);
// As it is written, without spaces at its end.
std::string paint(const Terminal& terminal, const TableRow& line);

class Table {
 public:
  struct Column {
    std::string title;
    Align align = Align::kLeft;
    int given_up = 0;      // where the width is short the highest goes first; 0 stays
    size_t keeps = 10;     // columns that the last one keeps, however short the width is
    bool cut_end = false;  // the last one loses its end where the width is short, not its middle
  };

  explicit Table(std::vector<Column> columns);

  // As many cells as columns. Their texts are made printable here.
  void add(std::vector<Cell> row);

  // Titles, then rows, with two spaces between columns. For a width columns are given up, then the last is shortened.
  std::vector<TableRow> lines(size_t width = kAnyWidth) const;
  // The same as text; on a terminal for its width.
  std::string format(const Terminal& terminal) const;

 private:
  std::vector<size_t> widths() const;
  // The columns that fit; their widths.
  std::vector<size_t> choose(size_t width, std::vector<size_t>* widths) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace weft::cli
