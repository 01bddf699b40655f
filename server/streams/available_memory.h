// SPDX-License-Identifier: Apache-2.0
// Determines the memory that this process can still allocate before the kernel's OOM killer ends a
// process.
#pragma once

#include <cstdint>
#include <string>

namespace weft::streams {

// Returns the available memory in bytes: the minimum of the machine's MemAvailable (without
// swapping) and the free memory of the process's control groups. The free memory of its own group
// and of each parent is memory.max - (memory.current - reclaimable file pages). Only version 2 of
// control groups is read; a missing value means no limit. `root` is the prefix of /proc and /sys.
// May be called on any thread.
int64_t available_memory(const std::string& root = "");

}  // namespace weft::streams
