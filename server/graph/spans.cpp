// SPDX-License-Identifier: Apache-2.0
#include "server/graph/spans.h"

namespace weft::graph {

void Spans::add_up_first(device::Stream& stream) {
  const auto [begin, end] = open_.front();
  open_.pop_front();
  if (!error_.ok()) return;
  error_ = stream.wait(end);
  if (!error_.ok()) return;
  const StatusOr<Duration> time = stream.elapsed(begin, end);
  error_ = time.status();
  if (time.ok()) added_up_ += *time;
}

StatusOr<Duration> Spans::device_time(const device::Stream& stream) const {
  RETURN_IF_ERROR(error_);
  Duration sum = added_up_;
  for (const auto& [begin, end] : open_) {
    ASSIGN_OR_RETURN(const Duration time, stream.elapsed(begin, end));
    sum += time;
  }
  return sum;
}

}  // namespace weft::graph
