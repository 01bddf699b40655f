// SPDX-License-Identifier: Apache-2.0
// The first frames of a stream, and how fast its packets follow each other: what probe() measures by.
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
  // The demuxer stands at its start, and is read on.
  static StatusOr<FirstFrames> open(Demuxer& demuxer);

  // The next frame; OUT_OF_RANGE when none follows. Damage is passed over.
  Status next(AVFrame& frame);
  // The pictures are single fields; frames are woven of two.
  bool woven() const { return woven_; }

  // Packets that have times, by the times when they are shown; nullopt: too few. Reads ahead; frames may follow.
  StatusOr<std::optional<double>> packets_per_second();
  // Of those packets: 1, or 1/2 where two make a picture. Decodes some of what was read ahead; no frame follows.
  double pictures_per_packet();
  // The demuxer goes on where it began, where its format can; nothing follows.
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
  std::deque<PacketPtr> ahead_;  // read, not decoded
  std::vector<int64_t> times_;   // of all that were read, in the stream's unit
  int64_t bytes_read_ = 0;
  bool has_ended_ = false;
  int64_t packets_ = 0, pictures_ = 0;  // decoded; packets with times
  int packets_left_ = 0;
  struct {
    int64_t position = -1, pts = 0, dts = 0;
    std::vector<int64_t> clock{};
  } first_;
};

}  // namespace weft::media
