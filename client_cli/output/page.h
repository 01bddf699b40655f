// SPDX-License-Identifier: Apache-2.0
// Formats names and values in two columns, as in `weft show`.
#pragma once

#include <string>
#include <string_view>

#include <google/protobuf/message.h>

#include "client_cli/output/terminal.h"

namespace weft::cli {

class Page {
 public:
  explicit Page(const Terminal& terminal) : terminal_(terminal) {}

  // Adds a line unless the value is empty. Control characters in the value are escaped.
  void line(std::string_view name, std::string_view value, TextColour colour = TextColour::kNone);
  void heading(std::string_view name);
  // Adds text unchanged.
  void add(std::string_view text) { text_ += text; }
  // Adds the options that differ from their defaults. Returns the number of set options that are
  // omitted because they equal their defaults.
  int add_options(std::string_view heading_text, const google::protobuf::Message& message);
  std::string take() { return std::move(text_); }
  const Terminal& terminal() const { return terminal_; }

 private:
  const Terminal& terminal_;
  std::string text_;
};

}  // namespace weft::cli
