// SPDX-License-Identifier: Apache-2.0
// Places where a test may end the process or fail an operation. Empty in release builds.
//
//   FAULT_POINT("store.commit.before_sync");
//
// A test counts points with WEFT_KILL_AT=N in the environment: the N-th point that this process passes ends
// it at once (SIGKILL, as a power cut would). WEFT_KILL_AT=name:N counts only points of that name. Tests run
// N = 1, 2, 3 ... until none fires. Thread-safe.
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
