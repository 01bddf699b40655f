// SPDX-License-Identifier: Apache-2.0
// Rows in columns that line up.
#pragma once

#include <string>
#include <vector>

#include "client_cli/terminal.h"

namespace weft::cli {

enum class Align { kLeft, kRight };

struct Cell {
  std::string text;
  Colour colour = Colour::kNone;
};

class Table {
 public:
  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };

  explicit Table(std::vector<Column> columns);

  // As many cells as columns.
  void add(std::vector<Cell> row);

  // Two spaces between columns, none at the ends of lines; on a terminal the last column is shortened to its width.
  std::string format(const Terminal& terminal) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace weft::cli
