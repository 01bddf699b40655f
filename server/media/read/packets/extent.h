// SPDX-License-Identifier: Apache-2.0
// How far a file's packets reach, compared with what its container announces: a file that was cut off ends without an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "server/media/ffmpeg.h"

namespace weft::media {

// Used by one thread at a time. Packets may be taken from anywhere in the file on; only the latest count.
class Extent {
 public:
  void start(int video_stream) { *this = {}, video_ = video_stream; }
  void take(const AVPacket& packet, const AVStream& stream);

  // At the end of the file. What is missing, in a sentence without a full stop; "" when nothing is, or when the container
  // announces nothing. `bytes`: of the file.
  std::string shortage(const AVFormatContext& context, int64_t bytes) const;

 private:
  std::optional<int64_t> announced_end_of_video(const AVFormatContext& context) const;
  std::optional<int64_t> announced_end_of_all(const AVFormatContext& context) const;

  int video_ = -1;
  // In microseconds; none: no packet with a time.
  std::optional<int64_t> end_of_video_, end_of_all_;
  int64_t end_of_bytes_ = 0;  // behind the last packet of the video
};

}  // namespace weft::media
