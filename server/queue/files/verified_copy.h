// SPDX-License-Identifier: Apache-2.0
// Copies a file and verifies the copy.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/status.h"

namespace weft::queue {

// An open file. Its path is for messages.
struct OpenFile {
  int descriptor = -1;
  std::string path{};
};

// Copies the content of `from` to the empty file `to`, both open at their beginning. Syncs the
// copy, reads it from its file system, and compares the hashes. Returns the SHA-256. Calls
// `progressed` with the bytes of each block, once when it is copied and once when it is read; its
// error ends the work.
// RESOURCE_EXHAUSTED: the file system of the copy is full. UNAVAILABLE: also if the copy differs.
StatusOr<std::string> copy_verified(const OpenFile& from, const OpenFile& to,
                                    const std::function<Status(int64_t bytes)>& progressed);

}  // namespace weft::queue
