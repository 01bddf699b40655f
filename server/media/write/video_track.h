// SPDX-License-Identifier: Apache-2.0
// Reads the segments of a job as one stream of packets, with decoding times.
#pragma once

#include <memory>
#include <vector>

#include "server/media/write/segment_file.h"

namespace weft::media {

// Encoders reorder frames; a container needs decoding times that increase and are never after the
// presentation time. D is the largest number of positions that a frame stands later in decoding
// order than in presentation order. Packet k is decoded at the presentation time of frame k - D.
// The first D packets precede the time of the first frame, at intervals of a frame's duration. The
// times are exact across segments, because no frame is reordered across the end of a segment.
class VideoTrack {
 public:
  // Reads and checks the tables of all segments. FAILED_PRECONDITION if the segments do not belong
  // together.
  static StatusOr<std::unique_ptr<VideoTrack>> open(std::vector<FileLocation> segments);

  const SegmentHeader& header() const { return header_; }
  int64_t frames() const { return int64_t(times_.size()); }
  int64_t reorder_frames() const { return reorder_; }
  // Returns the presentation times of all frames, increasing, in header().time_base.
  const std::vector<int64_t>& times() const { return times_; }

  // Returns the largest deviation of a frame's time from the times that the frame rate gives, in
  // seconds; 0 if the rate is unknown.
  double most_irregular() const;
  // Returns true if each frame is shown at about the time that the frame rate gives, to within half
  // a frame.
  bool has_constant_rate() const;

  struct Packet {
    SegmentPacket info{};
    int64_t dts = 0;
    std::vector<uint8_t> data{};
  };
  // Returns the next packet in decoding order; false at the end.
  StatusOr<bool> next(Packet& packet);

 private:
  Status add_segment(const SegmentReader& reader);
  int64_t decoding_time(int64_t number) const;

  std::vector<FileLocation> segments_;
  SegmentHeader header_;
  std::vector<int64_t> times_;  // presentation times of all frames, increasing
  int64_t reorder_ = 0;
  std::unique_ptr<SegmentReader> reader_;
  size_t next_segment_ = 0;
  size_t next_in_segment_ = 0;
  int64_t next_packet_ = 0;
};

}  // namespace weft::media
