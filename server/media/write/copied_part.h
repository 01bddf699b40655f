// SPDX-License-Identifier: Apache-2.0
// Selects the packets, chapters and tags of the source for an output with a part of its video, and
// shifts their times.
#pragma once

#include <optional>
#include <vector>

#include "server/media/read/packets/demuxer.h"
#include "server/media/write/output_types.h"

namespace weft::media {

// Not thread-safe.
class CopiedPart {
 public:
  // `source` must outlive this object.
  CopiedPart(const SourcePart& part, const Demuxer& source);

  // Returns the source's time of the output's time 0, in `unit`.
  int64_t start_in(AVRational unit) const { return av_rescale_q(start_, start_unit_, unit); }

  // Returns true if a packet belongs to the part. Shortens subtitles to the part.
  bool takes(AVPacket& packet);
  // These return begin and end of the part in `unit`; nullopt: begin or end of the source.
  std::optional<int64_t> begin_in(AVRational unit) const;
  std::optional<int64_t> end_in(AVRational unit) const;
  // Returns true if decoding the audio packet affects the part.
  bool is_near(const AVPacket& packet) const;
  // Returns true for a packet of the video that is so late that no packet of the part follows it.
  bool is_over(const AVPacket& packet) const;
  // Converts start and end of a chapter to times of the output. Returns false if the chapter is
  // outside the part.
  bool takes(AVChapter& chapter) const;
  // Replaces a timecode in `tags` by that of the output's first frame (timecode.h), or removes it
  // if that timecode cannot be determined.
  void move_timecode(AVDictionary** tags, Ratio output_rate) const;

 private:
  bool shorten(AVPacket& packet, AVRational unit) const;

  const Demuxer& source_;
  SourcePart part_;
  AVRational video_unit_;
  int64_t start_ = 0;
  AVRational start_unit_ = kMicroseconds;
  // for each stream, 1 if its newest packet is in the part; a packet without a time is treated like
  // the one before
  std::vector<char> inside_;
};

}  // namespace weft::media
