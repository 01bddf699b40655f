// SPDX-License-Identifier: Apache-2.0
#include "client_cli/output/table.h"

#include <algorithm>
#include <numeric>

#include "client_cli/output/text.h"

namespace weft::cli {
namespace {

constexpr size_t kGap = 2;

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::add(std::vector<Cell> row) {
  row.resize(columns_.size());
  for (Cell& cell : row) cell.text = printable(cell.text);
  rows_.push_back(std::move(row));
}

std::vector<size_t> Table::widths() const {
  std::vector<size_t> widths;
  for (size_t i = 0; i < columns_.size(); i++) {
    size_t width = display_width(columns_[i].title);
    for (const auto& row : rows_) width = std::max(width, display_width(row[i].text));
    widths.push_back(width);
  }
  return widths;
}

std::vector<size_t> Table::choose(size_t width, std::vector<size_t>* widths) const {
  *widths = this->widths();
  std::vector<size_t> chosen(columns_.size());
  std::iota(chosen.begin(), chosen.end(), size_t(0));
  while (true) {
    size_t before_last = 0;
    for (size_t i = 0; i + 1 < chosen.size(); i++) before_last += (*widths)[chosen[i]] + kGap;
    size_t& last = (*widths)[chosen.back()];
    const size_t left = width - std::min(width, before_last);
    const size_t keeps = columns_[chosen.back()].keeps;
    const auto victim = std::max_element(chosen.begin(), chosen.end(), [this](size_t a, size_t b) {
      return columns_[a].given_up < columns_[b].given_up;
    });
    if (left >= std::min(last, keeps) || columns_[*victim].given_up == 0) {
      last = std::min(last, std::max(keeps, left));
      return chosen;
    }
    chosen.erase(victim);
  }
}

std::vector<TableRow> Table::lines(size_t width) const {
  std::vector<size_t> widths;
  const std::vector<size_t> chosen = choose(width, &widths);
  std::vector<TableRow> result;
  const auto add_line = [&](const auto& cell_of) {
    TableRow line;
    for (const size_t i : chosen) {
      const Cell cell = cell_of(i);
      const std::string text =
          columns_[i].cut_end ? cut(cell.text, widths[i]) : shorten(cell.text, widths[i]);
      const Cell padding{std::string(widths[i] - display_width(text), ' ')};
      if (columns_[i].align == Align::kRight) line.push_back(padding);
      line.push_back({text, cell.colour});
      if (i == chosen.back()) break;
      if (columns_[i].align == Align::kLeft) line.push_back(padding);
      line.push_back({std::string(kGap, ' ')});
    }
    result.push_back(std::move(line));
  };
  add_line([&](size_t i) { return Cell{columns_[i].title, TextColour::kBold}; });
  for (const auto& row : rows_) add_line([&](size_t i) { return row[i]; });
  return result;
}

std::string Table::format(const Terminal& terminal) const {
  std::string result;
  for (const TableRow& line : lines(terminal.is_terminal ? terminal.width : kAnyWidth))
    result += paint(terminal, line) + "\n";
  return result;
}

size_t display_width(const TableRow& line) {
  size_t width = 0;
  for (const Cell& cell : line) width += display_width(cell.text);
  return width;
}

TableRow cut(const TableRow& line, size_t width) {
  TableRow result;
  if (display_width(line) <= width) return line;
  size_t left = width;
  for (const Cell& cell : line) {
    const size_t columns = display_width(cell.text);
    if (columns < left) {  // one column is reserved for "…"
      result.push_back(cell);
      left -= columns;
      continue;
    }
    if (left > 0) result.push_back({cut(cell.text + " ", left), cell.colour});
    break;
  }
  return result;
}

std::string paint(const Terminal& terminal, const TableRow& line) {
  std::string result;
  for (const Cell& cell : line) result += paint(terminal, cell.colour, cell.text);
  return result.substr(0, result.find_last_not_of(' ') + 1);
}

}  // namespace weft::cli
