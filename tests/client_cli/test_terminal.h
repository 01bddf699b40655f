// SPDX-License-Identifier: Apache-2.0
// Shows the output of a program as a terminal does. Supports the part of ECMA-48 that `weft top`
// uses. A control character in the text fails the test.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace weft::test {

class TestTerminal {
 public:
  TestTerminal(size_t columns, size_t rows) : columns_(columns), rows_(rows), lines_(rows) {}

  // Adds the bytes to the display.
  void feed(std::string_view bytes) {
    while (!bytes.empty()) {
      const size_t length = bytes[0] == '\x1b' ? sequence(bytes) : character(bytes);
      // The sequence is incomplete. Later output shows the same text again.
      if (length == 0) return;
      bytes.remove_prefix(length);
    }
  }
  // Lines without trailing spaces, joined.
  std::string text() const {
    std::string result;
    for (const auto& line : lines_) {
      std::string text;
      for (const std::string& cell : line) text += cell.empty() ? " " : cell;
      result += text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
    }
    return result;
  }
  bool other_screen() const { return other_screen_; }
  bool cursor() const { return cursor_; }

 private:
  size_t character(std::string_view bytes) {
    const auto first = static_cast<unsigned char>(bytes[0]);
    const size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (bytes.size() < length) return 0;
    if (bytes[0] == '\r') return column_ = 0, 1;
    if (bytes[0] == '\n') return row_ = std::min(row_ + 1, rows_ - 1), 1;
    if (!other_screen_) return length;  // output of the shell
    EXPECT_GE(first, 0x20) << "a control character reaches the terminal";
    EXPECT_LT(column_, columns_) << "a line is too long";
    auto& line = lines_[row_];
    if (line.size() <= column_) line.resize(column_ + 1);
    line[column_++] = bytes.substr(0, length);
    return length;
  }

  size_t sequence(std::string_view bytes) {
    size_t end = 2;
    while (end < bytes.size() && (bytes[end] < 0x40 || bytes[end] > 0x7e)) end++;
    if (end >= bytes.size()) return 0;
    const std::string words(bytes.substr(2, end - 2));
    switch (bytes[end]) {
      case 'H':
        row_ = std::stoul(words) - 1;
        column_ = 0;
        EXPECT_LT(row_, rows_) << "a line below the terminal";
        row_ = std::min(row_, rows_ - 1);
        break;
      case 'K':
        lines_[row_].resize(std::min(lines_[row_].size(), column_));
        break;
      case 'J':
        lines_[row_].resize(std::min(lines_[row_].size(), column_));
        for (size_t row = row_ + 1; row < rows_; row++) lines_[row].clear();
        break;
      case 'h':
      case 'l':
        if (words == "?25") cursor_ = bytes[end] == 'h';
        if (words == "?1049") other_screen_ = bytes[end] == 'h';
        break;
      default:
        break;  // colours
    }
    return end + 1;
  }

  const size_t columns_;
  const size_t rows_;
  std::vector<std::vector<std::string>> lines_;
  size_t row_ = 0;
  size_t column_ = 0;
  bool other_screen_ = false;
  bool cursor_ = true;
};

}  // namespace weft::test
