// SPDX-License-Identifier: Apache-2.0
// Measures the device time of a batch's work on a stream, which consists of one or more spans.
#pragma once

#include <deque>
#include <utility>

#include "base/clock.h"
#include "base/status.h"
#include "server/device/device.h"

namespace weft::graph {

// Spans of one stream. Not thread-safe.
class Spans {
 public:
  // Adds the marks before and after enqueued work.
  void add(device::Mark begin, device::Mark end) {
    open_.emplace_back(begin, end);
    end_ = end;
  }

  device::Mark end() const { return end_; }  // end of the newest span
  // Returns the sum of the spans' device times. All spans must have ended.
  StatusOr<Duration> device_time(const device::Stream& stream) const;

 private:
  static constexpr size_t kMostOpen = 256;
  static_assert(2 * kMostOpen < size_t{device::Stream::kMarksKept});
  template <class Batches>
  friend void add_up_oldest(device::Stream& stream, Batches& batches);
  void add_up_first(device::Stream& stream);

  std::deque<std::pair<device::Mark, device::Mark>> open_;  // spans that are not yet added up
  Status error_;                                            // first error of adding up
  Duration added_up_{};
  device::Mark end_;
};

// Adds up the oldest span of the batches in flight when many spans are open, since a stream retains
// only its newest marks. `batches` are in order and have a member `spans`. Must be called after
// each add(). Blocks until the oldest span has ended.
template <class Batches>
void add_up_oldest(device::Stream& stream, Batches& batches) {
  size_t open = 0;
  for (const auto& batch : batches) open += batch.spans.open_.size();
  if (open <= Spans::kMostOpen) return;
  for (auto& batch : batches)
    if (!batch.spans.open_.empty()) return batch.spans.add_up_first(stream);
}

}  // namespace weft::graph
