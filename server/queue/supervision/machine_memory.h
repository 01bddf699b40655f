// SPDX-License-Identifier: Apache-2.0
// Measures the total and available memory of the machine, or of the control group of the daemon and
// its workers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weft::queue {

// Memory that is not given to jobs: 1 / kHostReserveShare of all memory, but at most
// kHostReserveBytes.
inline constexpr int64_t kHostReserveBytes = int64_t{1} << 30;
inline constexpr int64_t kHostReserveShare = 8;  // one eighth

struct MachineMemory {
  int64_t all_bytes = 0;        // 0 if it cannot be read
  int64_t available_bytes = 0;  // available without swapping, if caches are dropped

  // Return the bytes available to all jobs together: in total, and at present.
  int64_t for_jobs() const { return all_bytes - reserve(); }
  int64_t for_jobs_now() const { return available_bytes - reserve(); }
  int64_t reserve() const;
};

// Reads /proc/meminfo and the limits of the control group (version 2) and of all groups above it.
// `root` is a prefix of all paths.
MachineMemory read_machine_memory(const std::string& root = "");

}  // namespace weft::queue
