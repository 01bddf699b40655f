// SPDX-License-Identifier: Apache-2.0
// Decodes the pictures of a video in the order of display, from the start of the file or from an
// anchor. Registers the anchors among its packets, and detects damage.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "server/media/read/packets/demuxer.h"
#include "server/media/read/packets/sequence_change.h"
#include "server/media/read/pictures/decoder.h"
#include "server/media/read/pictures/field_pairs.h"
#include "server/media/read/source/seek_history.h"
#include "server/media/read/source/video_source.h"

namespace weft::media {

// Returns true if the decoder concealed damage in the frame.
bool is_corrupt(const AVFrame& frame);

// Not thread-safe.
class PictureStream {
 public:
  // kCareful decodes with one thread, so that damage has the same effect on the pictures in every
  // run.
  enum class Mode { kFast, kCareful };
  struct Start {
    Mode mode = Mode::kFast;
    int reorder_frames = 0;  // reordering that an earlier decoder found
  };
  // The anchor for careful decoding before the first damaged packet of a careful stream. Nullopt:
  // the start of the file.
  struct FirstDamage {
    std::optional<SourceCheckpoint::Anchor> anchor{};
  };

  // Opens demuxer and decoder at the start of the file. `options`, `video` and `history` must
  // outlive the stream.
  static StatusOr<std::unique_ptr<PictureStream>> open(const InputFilePtr& file, const SourceOptions& options,
                                                       const VideoInfo& video, const Start& start,
                                                       SeekHistory& history);

  // Moves to an anchor. Must be called before the first next(). Returns false if the format cannot
  // seek.
  bool seek(const SourceCheckpoint::Anchor& anchor);
  // Decodes the next picture into picture(). Two fields that are coded separately are woven.
  // Returns false at the end. `index` is the number of the resulting frame. DATA_LOSS after too
  // many consecutive packets without a frame.
  StatusOr<bool> next(int64_t index);
  AVFrame& picture() { return *picture_; }
  // Returns true if the picture was woven of a single field.
  bool was_alone() const { return video_.woven && pairs_.was_alone(); }

  // Returns the programme's clock at the video's first packet, in the video's unit.
  int64_t first_clock() const { return first_clock_.value_or(0); }
  // Returns true if the video's clock has jumped at or before this time.
  bool has_jumped(int64_t pts) const { return jump_pts_ && pts >= *jump_pts_; }
  void forget_jump() { jump_pts_.reset(); }

  Mode mode() const { return mode_; }
  bool damage_seen() const { return damage_.is_seen; }
  // Returns the number of damaged packets. A fast stream without NVDEC returns 0, because its
  // damaged packets are decoded again carefully.
  int64_t damaged_packets() const { return damage_.packets; }
  const std::optional<FirstDamage>& first_damage() const { return damage_.first; }
  // Returns true if the stream has been intact long enough before the frame `index` to be decoded
  // fast.
  bool intact_for_long(int64_t index) const;
  // Counts the intact frames from this frame on.
  void count_intact_from(int64_t index) { damage_.last_index = index; }

  const Demuxer& demuxer() const { return *demuxer_; }
  VideoDecoder& decoder() { return *decoder_; }
  const VideoDecoder& decoder() const { return *decoder_; }

 private:
  struct Damage {
    bool is_seen = false;
    bool is_in_packet = false;  // the packet sent last is damaged
    int64_t errors = 0;         // number of the decoder's errors so far
    int64_t last_index = 0;     // value of index_ at the last damage
    size_t anchors_since = 0;
    int64_t packets = 0;
    std::optional<FirstDamage> first{};
  };

  PictureStream(const SourceOptions& options, const VideoInfo& video, Mode mode, SeekHistory& history)
      : options_(options), video_(video), mode_(mode), history_(history) {}
  StatusOr<bool> decode();
  Status feed();
  Status send_packet();
  Status check_patience();
  void note_jump();
  void note_anchor();
  bool is_leading_packet();
  void note_damage();
  void detect_damage(int result);

  const SourceOptions& options_;
  const VideoInfo& video_;
  const Mode mode_;
  SeekHistory& history_;
  std::unique_ptr<Demuxer> demuxer_;
  std::unique_ptr<VideoDecoder> decoder_;
  PacketPtr packet_;
  FramePtr picture_;
  FieldPairs pairs_;
  SequenceChange sequence_;
  bool drains_ = false;  // the decoder is drained before packet_ is sent

  int64_t index_ = 0;  // number of the frame that is decoded
  int packets_without_picture_ = 0;
  std::optional<int64_t> first_clock_;
  // time of the clock's last jump, until a frame at or after it reports the jump
  std::optional<int64_t> jump_pts_;
  std::optional<int64_t> latest_pts_;  // latest time of a packet so far
  bool waits_for_random_access_ = false;
  // After a start in the middle, pictures shown before this time refer to frames that were not
  // decoded. They are dropped.
  std::optional<int64_t> leading_before_;
  bool leading_may_follow_ = false;

  bool packet_is_anchor_ = false;  // the packet sent last is an anchor
  Damage damage_;
};

}  // namespace weft::media
