// SPDX-License-Identifier: Apache-2.0
// Removes jumps from the times of transport and program streams, which are caused by cuts,
// concatenated files and restarted multiplexers.
#pragma once

#include <cstdint>
#include <vector>

#include "server/media/ffmpeg.h"

namespace weft::media {

// If the video's decoding time falls by more than a tenth of a second, or is more than 10 s from
// its prediction, all later times are shifted by the difference. Other streams use the shift of the
// video, so that audio stays in sync. Their packets can be on the other side of the jump than the
// video's; such a packet continues the previous packet of its stream.
class JumpRepair {
 public:
  void start(const AVFormatContext& context, int video_stream);
  // Corrects the packet's times. Returns true if the video's clock jumped at this packet.
  bool apply(AVPacket& packet, const AVStream& stream);

  // Returns the state that determines the video's times. After restore(), packets from before that
  // position may be read again.
  std::vector<int64_t> state() const;
  void restore(const std::vector<int64_t>& state);

 private:
  static constexpr int64_t kNone = AV_NOPTS_VALUE;
  // The clock of one stream, in the stream's time base.
  struct Clock {
    int64_t expected = kNone;  // predicted next decoding time
    int64_t last = kNone;      // previous decoding time
    int64_t shift = 0;         // shift of the previous packet's times
    bool follows = true;       // uses the shift of the video
    // video's time when this stream began its own shift; kNone: it has not
    int64_t left_at = kNone;
  };
  Clock& clock_of(int stream);
  bool follow_video(int64_t given, bool is_decoding_time);
  int64_t shift_beside_video(int64_t given, const AVStream& stream);
  bool rejoins(const Clock& clock, int64_t given, int64_t shift_of_video, const AVStream& stream);
  void part_streams();

  bool active_ = false;
  int video_stream_ = -1;
  AVRational video_base_{1, 90000};
  // current shift of the video; in the video's time base, like the next two
  int64_t offset_ = 0;
  int64_t previous_offset_ = 0;  // shift before the last jump
  int64_t jumped_at_ = kNone;    // time of the video's last jump, after repair
  std::vector<Clock> clocks_;    // by stream
};

}  // namespace weft::media
