// SPDX-License-Identifier: Apache-2.0
// How much memory this machine, or the control group that the daemon and its workers live in, has and has left.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weft::queue {

// What jobs leave to the rest of the machine: of its memory this part, but no more than so much.
inline constexpr int64_t kHostReserveBytes = int64_t{1} << 30;
inline constexpr int64_t kHostReserveShare = 8;  // an eighth

struct MachineMemory {
  int64_t all_bytes = 0;        // 0: it cannot be read
  int64_t available_bytes = 0;  // without swapping, caches given up

  // What jobs may take of them.
  int64_t for_jobs() const { return all_bytes - reserve(); }
  int64_t for_jobs_now() const { return available_bytes - reserve(); }
  int64_t reserve() const;
};

// /proc/meminfo, and the limits of the control group (version 2) and of all above it. `root` is put before all paths.
MachineMemory read_machine_memory(const std::string& root = "");

}  // namespace weft::queue
