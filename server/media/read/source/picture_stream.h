// SPDX-License-Identifier: Apache-2.0
// Decodes the pictures of a video in the order they are shown, from the start of the file or from an anchor on. Notes anchors as their
// packets pass, and notices damage.
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

// The decoder concealed damage in it.
bool is_corrupt(const AVFrame& frame);

// Used by one thread at a time.
class PictureStream {
 public:
  // kCareful: one thread decodes, so that damage has the same effect on the pictures every time.
  enum class Mode { kFast, kCareful };
  struct Start {
    Mode mode = Mode::kFast;
    int reorder_frames = 0;  // as an earlier decoder had found
  };
  // The first damaged packet of a careful stream, as the place where decoding carefully is to begin. Nullopt: the start of the file.
  struct FirstDamage {
    std::optional<SourceCheckpoint::Anchor> anchor{};
  };

  // Opens demuxer and decoder at the start of the file. `options`, `video` and `history` outlive the stream.
  static StatusOr<std::unique_ptr<PictureStream>> open(const InputFilePtr& file, const SourceOptions& options,
                                                       const VideoFacts& video, const Start& start,
                                                       SeekHistory& history);

  // Goes to an anchor, before the first next(). False: the format cannot.
  bool seek(const SourceCheckpoint::Anchor& anchor);
  // Decodes the next picture into picture(), woven of two fields where the stream codes them apart; false at the end. `index`: of the frame
  // that it becomes. DATA_LOSS when too many packets in a row give none.
  StatusOr<bool> next(int64_t index);
  AVFrame& picture() { return *picture_; }
  // Tells whether the picture was woven of a single field.
  bool was_alone() const { return video_.woven && pairs_.was_alone(); }

  // Returns the programme's clock at the video's first packet, in the video's unit.
  int64_t first_clock() const { return first_clock_.value_or(0); }
  // Tells whether the video's clock has jumped at or before this time.
  bool has_jumped(int64_t pts) const { return jump_pts_ && pts >= *jump_pts_; }
  void forget_jump() { jump_pts_.reset(); }

  Mode mode() const { return mode_; }
  bool damage_seen() const { return damage_.is_seen; }
  // Returns the number of damaged packets. A fast stream in software counts none: they are decoded carefully again.
  int64_t damaged_packets() const { return damage_.packets; }
  const std::optional<FirstDamage>& first_damage() const { return damage_.first; }
  // Tells whether the stream has been intact long enough, before the frame `index`, to be decoded fast.
  bool intact_for_long(int64_t index) const;
  // Counts the intact time from this frame on.
  void count_intact_from(int64_t index) { damage_.last_index = index; }

  const Demuxer& demuxer() const { return *demuxer_; }
  VideoDecoder& decoder() { return *decoder_; }
  const VideoDecoder& decoder() const { return *decoder_; }

 private:
  struct Damage {
    bool is_seen = false;
    bool is_in_packet = false;  // the packet sent last
    int64_t errors = 0;         // of the decoder, so far
    int64_t last_index = 0;     // index_ then
    size_t anchors_since = 0;
    int64_t packets = 0;
    std::optional<FirstDamage> first{};
  };

  PictureStream(const SourceOptions& options, const VideoFacts& video, Mode mode, SeekHistory& history)
      : options_(options), video_(video), mode_(mode), history_(history) {}
  StatusOr<bool> decode();
  Status feed();
  Status send_packet();
  Status check_patience();
  void note_anchor();
  bool is_leading_packet();
  void note_damage();
  void look_for_damage(int result);

  const SourceOptions& options_;
  const VideoFacts& video_;
  const Mode mode_;
  SeekHistory& history_;
  std::unique_ptr<Demuxer> demuxer_;
  std::unique_ptr<VideoDecoder> decoder_;
  PacketPtr packet_;
  FramePtr picture_;
  FieldPairs pairs_;
  SequenceChange sequence_;
  bool drains_ = false;  // before packet_

  int64_t index_ = 0;  // of the frame that the next picture becomes
  int packets_without_picture_ = 0;
  std::optional<int64_t> first_clock_;
  std::optional<int64_t> jump_pts_;  // the clock jumped at this time; the first frame from there on tells
  bool waits_for_random_access_ = false;
  // After a start in the middle: pictures shown before this time refer to frames that were not decoded, and are dropped.
  std::optional<int64_t> leading_before_;
  bool leading_may_follow_ = false;

  bool packet_is_anchor_ = false;  // the packet sent last
  Damage damage_;
};

}  // namespace weft::media
