// SPDX-License-Identifier: Apache-2.0
// Which packets, chapters and tags of the source go into an output that holds a part of its video, and at what time.
#pragma once

#include <optional>
#include <vector>

#include "server/media/read/packets/demuxer.h"
#include "server/media/write/output_types.h"

namespace weft::media {

// Used by one thread at a time.
class CopiedPart {
 public:
  // `source` outlives it.
  CopiedPart(const SourcePart& part, const Demuxer& source);

  // The source's time that is 0 in the output.
  int64_t start_in(AVRational unit) const { return av_rescale_q(start_, start_unit_, unit); }

  // Whether a packet belongs to the part. What is shown for a while (subtitles) is shortened to it.
  bool takes(AVPacket& packet);
  // Begin and end of the part; nullopt: the source's.
  std::optional<int64_t> begin_in(AVRational unit) const;
  std::optional<int64_t> end_in(AVRational unit) const;
  // Whether decoding a packet of sound has an effect on the part.
  bool is_near(const AVPacket& packet) const;
  // Nothing follows a packet of the video's that is so late.
  bool is_over(const AVPacket& packet) const;
  // Start and end of a chapter as they are in the output. False: it is not in the part.
  bool takes(AVChapter& chapter) const;
  // A timecode in these tags becomes that of the output's first picture (timecode.h), or goes where that cannot be said.
  void move_timecode(AVDictionary** tags, Ratio output_rate) const;

 private:
  bool shorten(AVPacket& packet, AVRational unit) const;

  const Demuxer& source_;
  SourcePart part_;
  AVRational video_unit_;
  int64_t start_ = 0;
  AVRational start_unit_ = kMicroseconds;
  std::vector<char> inside_;  // the newest packet of each stream: one without a time goes with it
};

}  // namespace weft::media
