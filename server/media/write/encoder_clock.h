// SPDX-License-Identifier: Apache-2.0
// Gives the frames of a segment times for its encoder. They begin at 0, so that rate control does
// not depend on the segment's position in the video. The packets get the true times afterwards, by
// the number of their frame.
//
// For most encoders the times are frame numbers. An encoder that reads times gets those of the
// frames, rounded to a quarter of a frame at the nominal rate: times that a container has rounded
// are thereby regular again. If a filter has decided on the times (OutputVideo::least_duration),
// they are rounded to a 64th of a frame. A gap counts as one second at most, since rate control
// would compensate for a jump of the clock.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "server/media/ffmpeg.h"
#include "server/media/write/output_types.h"

namespace weft::media {

class EncoderClock {
 public:
  EncoderClock(const OutputVideo& video, bool reads_times);

  // Return the unit of the times, and the number of units in a frame at the nominal rate.
  AVRational time_base() const { return unit_; }
  int ticks_per_frame() const { return ticks_; }

  // Returns the time of the next frame for the encoder. `pts` is the frame's time in the video and
  // increases from call to call.
  int64_t time_of_next(int64_t pts);
  // Returns the number of the frame with this time, counted from 0, or nullopt if there is none.
  std::optional<size_t> number_of(int64_t time) const;

 private:
  const bool reads_times_;
  const AVRational video_unit_;
  int ticks_ = 1;
  AVRational unit_{};
  std::vector<int64_t> times_;  // times of all frames
  int64_t last_pts_ = 0;
  int64_t shown_ = 0;  // time from the first frame to the newest one, in video_unit_
};

}  // namespace weft::media
