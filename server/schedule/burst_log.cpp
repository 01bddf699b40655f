// SPDX-License-Identifier: Apache-2.0
#include "server/schedule/burst_log.h"

#include <algorithm>

namespace weft::schedule {

void BurstLog::clear() {
  bursts_.clear();
  in_burst_ = false;
  seen_ = 0;
}

bool BurstLog::add(const TimedSlice& slice, bool slow, double quiet_until, double overhead) {
  if (slow) {
    if (!in_burst_ && !bursts_.empty() && slice.start - bursts_.back().end < kSamePause) {
      burst_ = bursts_.back();
      bursts_.pop_back();
    } else if (!in_burst_) {
      burst_ = {slice.start, slice.end, slice.start - quiet_until < kSeenBefore};
    }
    in_burst_ = true;
    burst_.end = std::max(slice.start, slice.end - slice.predicted - overhead);
    return false;
  }
  if (!in_burst_ || slice.start - burst_.end < kSamePause) return false;
  in_burst_ = false;
  // A burst with an unknown start contains no information about frames.
  if (!burst_.start_known) return false;
  bursts_.push_back(burst_);
  seen_++;
  while (int(bursts_.size()) > kept_) bursts_.pop_front();
  return true;
}

}  // namespace weft::schedule
