// SPDX-License-Identifier: Apache-2.0
// The segments of a job as one stream of packets, with decoding times.
#pragma once

#include <memory>
#include <vector>

#include "server/media/write/segment_file.h"

namespace weft::media {

// Encoders reorder frames; a container wants decoding times that rise and are never after the time shown. With D the largest number of
// places by which any frame is decoded before its turn to be shown, the k-th packet is decoded at the time at which frame k - D is
// shown. That is exact across segments too: no frame is reordered past their ends. The first D packets come before the first
// frame's time, a frame's duration apart.
class VideoTrack {
 public:
  // Reads and checks the tables of all segments. FAILED_PRECONDITION when they do not belong together.
  static StatusOr<std::unique_ptr<VideoTrack>> open(std::vector<FilePlace> segments);

  const SegmentHeader& header() const { return header_; }
  int64_t frames() const { return int64_t(times_.size()); }
  int64_t reorder_frames() const { return reorder_; }

  // How far a frame's time is from where it would be if all lasted equally long by the rate, at most, in seconds; 0 where the rate is
  // unknown.
  double most_irregular() const;

  struct Packet {
    SegmentPacket facts{};
    int64_t dts = 0;
    std::vector<uint8_t> data{};
  };
  // In decoding order; false at the end.
  StatusOr<bool> next(Packet& packet);

 private:
  Status add_segment(const SegmentReader& reader);
  int64_t decoding_time(int64_t number) const;

  std::vector<FilePlace> segments_;
  SegmentHeader header_;
  std::vector<int64_t> times_;  // of all frames, rising
  int64_t reorder_ = 0;
  std::unique_ptr<SegmentReader> reader_;
  size_t next_segment_ = 0;
  size_t next_in_segment_ = 0;
  int64_t next_packet_ = 0;
};

}  // namespace weft::media
