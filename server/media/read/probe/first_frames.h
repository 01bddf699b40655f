// SPDX-License-Identifier: Apache-2.0
// Decodes the first frames of a stream and measures the interval of its packets, for probe().
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "server/media/read/packets/demuxer.h"
#include "server/media/read/pictures/decoder.h"
#include "server/media/read/pictures/field_pairs.h"

namespace weft::media {

class FirstFrames {
 public:
  // Begins at the start of the demuxer, which it reads from then on.
  static StatusOr<FirstFrames> open(Demuxer& demuxer);

  // Returns the next frame in `frame`, or OUT_OF_RANGE if there is none. Damaged packets are
  // skipped.
  Status next(AVFrame& frame);
  // Returns true if the stream codes single fields, which are woven into frames.
  bool woven() const { return woven_; }

  // Returns the number of packets per second, from the times in the order of display; nullopt if
  // too few packets have times. Reads packets ahead; next() may be called afterwards.
  StatusOr<std::optional<double>> packets_per_second();
  // Returns pictures per packet: 1, or 1/2 if two packets form a picture. Decodes the packets that
  // were read ahead, so next() must not be called afterwards.
  double pictures_per_packet();
  // Moves the demuxer back to its start, if its format can seek. Nothing else may be called
  // afterwards.
  void go_back();

 private:
  explicit FirstFrames(Demuxer& demuxer) : demuxer_(demuxer), pairs_(demuxer.video().codecpar->codec_id) {}
  Status next_picture(AVFrame& picture);
  StatusOr<PacketPtr> read();
  std::vector<int64_t> times_shown() const;
  StatusOr<PacketPtr> take();

  Demuxer& demuxer_;
  std::unique_ptr<VideoDecoder> decoder_;
  FieldPairs pairs_;
  bool woven_ = false;
  std::deque<PacketPtr> ahead_;  // packets read but not decoded
  std::vector<int64_t> times_;   // times of all packets read, in the stream's unit
  int64_t bytes_read_ = 0;
  bool has_ended_ = false;
  int64_t packets_ = 0, pictures_ = 0;  // decoded packets that have times; decoded pictures
  int packets_left_ = 0;
  struct {
    int64_t position = -1, pts = 0, dts = 0;
    std::vector<int64_t> clock{};
  } first_;
};

}  // namespace weft::media
