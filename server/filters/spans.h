// SPDX-License-Identifier: Apache-2.0
// The work of a batch on a stream, in one piece or many: what the device was busy with it.
#pragma once

#include <deque>
#include <utility>

#include "base/clock.h"
#include "base/status.h"
#include "server/device/device.h"

namespace weft::filters {

// One thread at a time; of one stream.
class Spans {
 public:
  // The marks of work that was enqueued. A stream keeps its newest marks alone, so the times of older spans are added up
  // meanwhile; blocks where more than kMostOpen have not ended.
  void add(device::Stream& stream, device::Mark begin, device::Mark end);

  device::Mark end() const { return open_.back().second; }  // of the newest one; there is one
  // All spans together; each has ended.
  StatusOr<Duration> device_time(const device::Stream& stream) const;

 private:
  static constexpr size_t kMostOpen = 256;
  static_assert(2 * kMostOpen < size_t{device::Stream::kMarksKept});

  std::deque<std::pair<device::Mark, device::Mark>> open_;  // not added up yet
  Status error_;                                            // of the adding up
  Duration added_up_{};
};

}  // namespace weft::filters
