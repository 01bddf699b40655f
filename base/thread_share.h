// SPDX-License-Identifier: Apache-2.0
// Limits the share of the processors that threads take: by nice levels, and by lists of processors.
// A new thread inherits both from the thread that starts it, so the threads of libraries follow the
// thread that opens the library.
#pragma once

#include <string_view>
#include <vector>

#include "base/status.h"

namespace weft {

// Nice levels of threads of NORMAL and of SPARE jobs, above that of the process. Threads of streams
// and of devices stay at the level of the process. On a full processor a thread gets about a third
// (5) or a tenth (10) of the time that a thread of the process's level gets.
inline constexpr int kNormalNice = 5;
inline constexpr int kSpareNice = 10;

// Raises the nice level of the calling thread to that of the process's first thread plus `levels`.
// A thread with a higher level keeps it, because only a privileged process may lower it.
void raise_nice(int levels);

// Returns the processors of a list such as "0-3,8", in ascending order. INVALID_ARGUMENT: the text
// is no such list, or contains a number above kMostProcessor.
inline constexpr int kMostProcessor = 1023;
StatusOr<std::vector<int>> parse_processors(std::string_view text);

// Keeps the calling thread to these processors; an empty list has no effect. Returns an error if
// none of them can be used.
Status keep_to_processors(const std::vector<int>& processors);

}  // namespace weft
