// SPDX-License-Identifier: Apache-2.0
#include "server/queue/placement/memory_budget.h"

#include "base/status.h"

namespace weft::queue {

std::string text_of_bytes(int64_t bytes) {
  if (bytes >= 1'000'000'000) return fmt::format("{:.3g} GB", double(bytes) / 1e9);
  return fmt::format("{} MB", (bytes + 999'999) / 1'000'000);
}

int MemoryBudget::segments_at_once(int64_t bytes, int64_t segment_bytes) const {
  if (segment_bytes <= 0) return 1;
  if (limit_ == 0) return kMostSegments;
  const int64_t left = std::max<int64_t>(free() - bytes, 0) / kSegmentsShare;
  return 1 + int(std::min<int64_t>(left / segment_bytes, kMostSegments - 1));
}

std::string MemoryBudget::describe(int64_t bytes, std::string_view memory) const {
  return fmt::format("it needs {} of {}, {} of {} are free", text_of_bytes(bytes), memory,
                     text_of_bytes(free()), text_of_bytes(limit_));
}

}  // namespace weft::queue
