// SPDX-License-Identifier: Apache-2.0
// How much memory this process can still have before the kernel ends somebody for it.
#pragma once

#include <cstdint>
#include <string>

namespace weft::streams {

// Bytes: the least of what the machine has without swapping (MemAvailable of /proc/meminfo) and what the control groups
// leave that this process is in: of its own and each above it memory.max - (memory.current - file pages, which the kernel
// takes back when it needs them). Version 2 only; a machine that says nothing of one of these has no such limit. `root` is
// where /proc and /sys are looked for. Any thread.
int64_t available_memory(const std::string& root = "");

}  // namespace weft::streams
