// SPDX-License-Identifier: Apache-2.0
// Lists the parsers of files and messages that come from outside, for fuzzing.
#pragma once

#include <span>
#include <string_view>

namespace weft::fuzz {

struct Target {
  std::string_view name;  // that of its folder in corpus/
  // Parses the bytes. Any result is correct, as long as it does not crash, hang or leak.
  void (*parse)(std::string_view bytes);
};
std::span<const Target> targets();

}  // namespace weft::fuzz
