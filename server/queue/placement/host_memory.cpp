// SPDX-License-Identifier: Apache-2.0
#include "server/queue/placement/host_memory.h"

#include "base/status.h"

namespace weft::queue {

std::string text_of_bytes(int64_t bytes) {
  if (bytes >= 1'000'000'000) return fmt::format("{:.3g} GB", double(bytes) / 1e9);
  return fmt::format("{} MB", (bytes + 999'999) / 1'000'000);
}

std::string HostMemory::describe(int64_t bytes) const {
  return fmt::format("it needs {} of the machine's memory, {} of {} are free", text_of_bytes(bytes),
                     text_of_bytes(free()), text_of_bytes(limit_));
}

}  // namespace weft::queue
