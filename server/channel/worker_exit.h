// SPDX-License-Identifier: Apache-2.0
// Defines exit codes of the worker process for failures without a message to the daemon.
#pragma once

namespace weft::channel {

inline constexpr int kExitOutOfMemory = 13;  // the process reached a limit on its memory
// the process that opens files for the worker has ended
inline constexpr int kExitFoldersGone = 14;

}  // namespace weft::channel
