// SPDX-License-Identifier: Apache-2.0
// Compares the extent of a file's packets with the container's declaration. A truncated file
// otherwise ends without an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "server/media/ffmpeg.h"

namespace weft::media {

// Not thread-safe. Reading may begin anywhere in the file: only the latest times count.
class Extent {
 public:
  void start(int video_stream) { *this = {}, video_ = video_stream; }
  void take(const AVPacket& packet, const AVStream& stream);

  // Returns, at the end of the file, a sentence without a full stop about its missing part. Returns
  // an empty string if the file is complete or its container declares nothing. `bytes` is the size
  // of the file.
  std::string shortage(const AVFormatContext& context, int64_t bytes) const;

 private:
  std::optional<int64_t> announced_end_of_video(const AVFormatContext& context) const;
  std::optional<int64_t> announced_end_of_all(const AVFormatContext& context) const;

  int video_ = -1;
  // microseconds; absent if no packet had a time
  std::optional<int64_t> end_of_video_, end_of_all_;
  int64_t end_of_bytes_ = 0;  // end of the video's last packet, as an offset in the file
};

}  // namespace weft::media
