// SPDX-License-Identifier: Apache-2.0
// What the end of a worker's process tells the daemon, where no message can.
#pragma once

namespace weft::channel {

inline constexpr int kExitOutOfMemory = 13;  // a limit on its memory was reached
inline constexpr int kExitFoldersGone = 14;  // the process that opens files for it is gone

}  // namespace weft::channel
