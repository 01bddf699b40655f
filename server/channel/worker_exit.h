// SPDX-License-Identifier: Apache-2.0
// What the end of a worker's process tells the daemon, where no message can.
#pragma once

namespace weft::channel {

inline constexpr int kExitOutOfMemory = 13;  // a limit on its memory was reached

}  // namespace weft::channel
