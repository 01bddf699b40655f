// SPDX-License-Identifier: Apache-2.0
// Decodes keys from the bytes of a terminal (ECMA-48, and the sequences of xterm).
#pragma once

#include <string>
#include <vector>

namespace weft::cli {

// A key. A printable ASCII character is its own value.
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

// Removes complete keys from the front of `bytes` and returns them. An incomplete sequence stays in
// `bytes`; unknown sequences are dropped.
std::vector<Key> take_keys(std::string& bytes);

}  // namespace weft::cli
