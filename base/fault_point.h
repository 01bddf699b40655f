// SPDX-License-Identifier: Apache-2.0
// Defines fault points: places where a test ends the process. In release builds the macro does
// nothing.
//
//   FAULT_POINT("store.commit.before_sync");
//
// The environment variable WEFT_KILL_AT=N ends the process with SIGKILL at the N-th fault point
// that it passes, as a power cut would. WEFT_KILL_AT=name:N counts only the points of that name. A
// test runs the process with N = 1, 2, 3 ... until no point is reached. Thread-safe.
#pragma once

#include "base/status.h"

namespace weft {

#if defined(WEFT_FAULT_POINTS)
void pass_fault_point(std::string_view name);
#define FAULT_POINT(name) ::weft::pass_fault_point(name)
inline constexpr bool kHasFaultPoints = true;
#else
#define FAULT_POINT(name) static_cast<void>(0)
inline constexpr bool kHasFaultPoints = false;
#endif

}  // namespace weft
