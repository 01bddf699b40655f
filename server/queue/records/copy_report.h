// SPDX-License-Identifier: Apache-2.0
// Defines the report on a copy of finished files in progress.
#pragma once

#include <cstdint>
#include <functional>

#include "base/status.h"

namespace weft::queue {

// Receives the bytes that are done and the bytes of all files. Each byte counts twice: when it is
// copied, and when the copy is read for its verification. An error ends the copy and is returned.
using CopyReport = std::function<Status(int64_t done_bytes, int64_t total_bytes)>;

}  // namespace weft::queue
