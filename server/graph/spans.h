// SPDX-License-Identifier: Apache-2.0
// The work of a batch on a stream, in one piece or many: what the device was busy with it.
#pragma once

#include <deque>
#include <utility>

#include "base/clock.h"
#include "base/status.h"
#include "server/device/device.h"

namespace weft::graph {

// One thread at a time; of one stream.
class Spans {
 public:
  // The marks of work that was enqueued.
  void add(device::Mark begin, device::Mark end) {
    open_.emplace_back(begin, end);
    end_ = end;
  }

  device::Mark end() const { return end_; }  // of the newest one
  // All spans together; each has ended.
  StatusOr<Duration> device_time(const device::Stream& stream) const;

 private:
  static constexpr size_t kMostOpen = 256;
  static_assert(2 * kMostOpen < size_t{device::Stream::kMarksKept});
  template <class Batches>
  friend void add_up_oldest(device::Stream& stream, Batches& batches);
  void add_up_first(device::Stream& stream);

  std::deque<std::pair<device::Mark, device::Mark>> open_;  // not added up yet
  Status error_;                                            // of the adding up
  Duration added_up_{};
  device::Mark end_;
};

// Of batches in flight, in order, each with its `spans`: a stream keeps its newest marks alone, so once many spans are open the oldest
// one's time is added up. After each add(); blocks where that has not ended.
template <class Batches>
void add_up_oldest(device::Stream& stream, Batches& batches) {
  size_t open = 0;
  for (const auto& batch : batches) open += batch.spans.open_.size();
  if (open <= Spans::kMostOpen) return;
  for (auto& batch : batches)
    if (!batch.spans.open_.empty()) return batch.spans.add_up_first(stream);
}

}  // namespace weft::graph
