// SPDX-License-Identifier: Apache-2.0
// The time of day, as rows of jobs hold it.
#pragma once

#include <chrono>

namespace weft::gui {

// Since 1970. Thread-safe.
inline double now_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace weft::gui
