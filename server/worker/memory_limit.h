// SPDX-License-Identifier: Apache-2.0
// Limits a worker's host memory, and makes the worker the first process that the kernel ends when
// memory is exhausted.
#pragma once

#include <cstdint>

#include "base/status.h"

namespace weft::worker {

// Added to the out-of-memory score of a worker: the kernel ends workers before the daemon, and
// their jobs continue in other workers.
inline constexpr int kOutOfMemoryScore = 500;

// Raises this process's out-of-memory score, so that the kernel ends it before others. UNAVAILABLE:
// the kernel refuses the score.
Status end_first_without_memory();

// Limits the address space of this process (RLIMIT_AS) permanently. Call before threads start. A
// C++ allocation beyond the limit ends the process with channel::kExitOutOfMemory; a C allocation
// fails. Not for a process with a GPU's driver, which reserves more address space than any machine
// has memory. UNAVAILABLE: the kernel refuses. UNIMPLEMENTED: a sanitizer needs the address space.
Status limit_memory(int64_t bytes);

}  // namespace weft::worker
