// SPDX-License-Identifier: Apache-2.0
#include "server/media/write/encoder_clock.h"

#include <algorithm>
#include <limits>

namespace weft::media {

namespace {

// Units of a frame at the nominal rate: of times that may be rounded, and of those that a filter
// has decided.
constexpr int kTicks = 4, kFineTicks = 64;
constexpr int64_t kMostSeconds = 1;  // of a gap

}  // namespace

EncoderClock::EncoderClock(const OutputVideo& video, bool reads_times)
    : reads_times_(reads_times), video_unit_(to_av(video.time_base)) {
  const Ratio rate = video.encoder_rate();
  // H.264 counts half units in 32 bits, and FFmpeg units in 31.
  const int wanted = video.least_duration > 0 ? kFineTicks : kTicks;
  if (reads_times && rate.num <= std::numeric_limits<int>::max() / wanted) ticks_ = wanted;
  unit_ = {rate.den, rate.num * ticks_};
}

int64_t EncoderClock::time_of_next(int64_t pts) {
  int64_t time = int64_t(times_.size());
  if (reads_times_ && !times_.empty()) {
    const int64_t most = std::max<int64_t>(av_rescale_q(kMostSeconds, {1, 1}, video_unit_), 1);
    shown_ += std::clamp<int64_t>(pts - last_pts_, 1, most);
    time = std::max(av_rescale_q(shown_, video_unit_, unit_), times_.back() + 1);
  }
  last_pts_ = pts;
  times_.push_back(time);
  return time;
}

std::optional<size_t> EncoderClock::number_of(int64_t time) const {
  const auto found = std::ranges::lower_bound(times_, time);
  if (found == times_.end() || *found != time) return std::nullopt;
  return size_t(found - times_.begin());
}

}  // namespace weft::media
