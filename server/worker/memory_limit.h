// SPDX-License-Identifier: Apache-2.0
// Memory is the machine's: a worker may take only so much, or is the first to be ended where there is none left.
#pragma once

#include <cstdint>

#include "base/status.h"

namespace weft::worker {

// Added to a worker's score when the kernel looks for a process to end: workers before the daemon, whose jobs then go on elsewhere.
inline constexpr int kOutOfMemoryScore = 500;

// This process is ended before others when the machine has no memory left. UNAVAILABLE: the kernel does not take it.
Status end_first_without_memory();

// Most address space of this process (RLIMIT_AS), for ever; call before threads start. An allocation of C++ beyond it ends the process
// with channel::kExitOutOfMemory, whichever thread asks; one of C fails. Not with a GPU's driver, which reserves more address space
// than any machine has memory. UNAVAILABLE: the kernel refuses; UNIMPLEMENTED: a sanitizer needs the address space.
Status limit_memory(int64_t bytes);

}  // namespace weft::worker
