// SPDX-License-Identifier: Apache-2.0
#include "client_cli/table.h"

#include <algorithm>

#include "client_cli/text.h"

namespace weft::cli {
namespace {

constexpr size_t kGap = 2;
constexpr size_t kNarrowest = 10;  // columns that the last column keeps, however narrow the terminal

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::add(std::vector<Cell> row) {
  row.resize(columns_.size());
  rows_.push_back(std::move(row));
}

std::string Table::format(const Terminal& terminal) const {
  std::vector<size_t> widths;
  for (size_t i = 0; i < columns_.size(); i++) {
    size_t width = display_width(columns_[i].title);
    for (const auto& row : rows_) width = std::max(width, display_width(row[i].text));
    widths.push_back(width);
  }
  size_t before_last = 0;
  for (size_t i = 0; i + 1 < widths.size(); i++) before_last += widths[i] + kGap;
  if (terminal.is_terminal)
    widths.back() =
        std::min(widths.back(), std::max(kNarrowest, terminal.width - std::min(terminal.width, before_last)));

  std::string result;
  const auto add_line = [&](const auto& text_of, const auto& colour_of) {
    std::string line;
    for (size_t i = 0; i < columns_.size(); i++) {
      const std::string text = shorten(text_of(i), widths[i]);
      const std::string padding(widths[i] - display_width(text), ' ');
      const std::string painted = paint(terminal, colour_of(i), text);
      const bool last = i + 1 == columns_.size();
      line += columns_[i].align == Align::kRight ? padding + painted : painted + (last ? "" : padding);
      if (!last) line += std::string(kGap, ' ');
    }
    result += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  add_line([&](size_t i) { return columns_[i].title; }, [](size_t) { return Colour::kBold; });
  for (const auto& row : rows_)
    add_line([&](size_t i) { return row[i].text; }, [&](size_t i) { return row[i].colour; });
  return result;
}

}  // namespace weft::cli
