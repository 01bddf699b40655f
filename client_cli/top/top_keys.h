// SPDX-License-Identifier: Apache-2.0
// Keys, out of the bytes that a terminal sends (ECMA-48 and xterm's sequences).
#pragma once

#include <string>
#include <vector>

namespace weft::cli {

// A printable ASCII character stands for itself.
enum Key : int {
  kKeyTab = '\t',
  kKeyEnter = '\r',
  kKeyEscape = 0x1b,
  kKeyUp = 256,
  kKeyDown,
  kKeyPageUp,
  kKeyPageDown,
  kKeyHome,
  kKeyEnd,
};

// Takes whole keys off the front of `bytes`; a sequence that is not whole stays. What is not known is dropped.
std::vector<Key> take_keys(std::string& bytes);

}  // namespace weft::cli
