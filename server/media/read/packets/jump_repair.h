// SPDX-License-Identifier: Apache-2.0
// Takes jumps out of the times of formats whose clock may jump (transport and program streams): cuts, files put one behind
// another, a multiplexer that starts anew.
#pragma once

#include <cstdint>
#include <vector>

#include "server/media/ffmpeg.h"

namespace weft::media {

// Where the video's decoding time falls by more than a tenth of a second, or is more than 10 s from where it should be, everything
// that follows is shifted by the difference. Other streams follow the video, so that sound stays beside the picture. They come to a
// jump at other packets: one that is still, or already, on the other side of it goes on from its predecessor.
class JumpRepair {
 public:
  void start(const AVFormatContext& context, int video_stream);
  // Corrects the packet's times. True when the video's clock jumped at this packet.
  bool apply(AVPacket& packet, const AVStream& stream);

  // What the video's times depend on. After restore() packets from before the place may come again.
  std::vector<int64_t> state() const;
  void restore(const std::vector<int64_t>& state);

 private:
  static constexpr int64_t kNone = AV_NOPTS_VALUE;
  // Of one stream, in its time base.
  struct Clock {
    int64_t expected = kNone;  // the next decoding time
    int64_t last = kNone;      // the decoding time before
    int64_t shift = 0;         // of the packet before
    bool follows = true;       // the video
    int64_t left_at = kNone;   // the video's time when this stream jumped without it; none: it stayed behind
  };
  Clock& clock_of(int stream);
  bool follow_video(int64_t given, bool is_decoding_time);
  int64_t shift_beside_video(int64_t given, const AVStream& stream);
  bool rejoins(const Clock& clock, int64_t given, int64_t shift_of_video, const AVStream& stream);
  void part_streams();

  bool active_ = false;
  int video_stream_ = -1;
  AVRational video_base_{1, 90000};
  int64_t offset_ = 0;           // this and the next two in the video's time base
  int64_t previous_offset_ = 0;  // before the last jump
  int64_t jumped_at_ = kNone;    // the last jump of the video, in times that run on
  std::vector<Clock> clocks_;    // by stream
};

}  // namespace weft::media
