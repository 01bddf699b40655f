// SPDX-License-Identifier: Apache-2.0
// Returns the wall-clock time in the form that rows of jobs use.
#pragma once

#include <chrono>

namespace weft::gui {

// Returns the seconds since 1970. Thread-safe.
inline double now_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace weft::gui
