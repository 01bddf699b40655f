// SPDX-License-Identifier: Apache-2.0
// Weaves fields that are coded as separate pictures (HEVC) into frames.
//
//   pairs.push(picture);                    // as decoded, in the order they are shown
//   while (pairs.pop(frame)) ...            // a frame of twice the height
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "server/media/ffmpeg.h"

namespace weft::media {

// Combines a field of one parity and the next field of the other parity into a frame, if their
// times are consecutive. A single field, at the start or without its lost partner, fills the lines
// of both fields. A frame therefore depends on its fields only, not on the start of decoding.
class FieldPairs {
 public:
  // Returns true if the picture is a field. FFmpeg's HEVC decoder sets interlaced_frame if
  // pic_struct declares a field (ITU-T H.265, D.3.3).
  static bool is_field(const AVFrame& picture, AVCodecID codec) {
    return codec == AV_CODEC_ID_HEVC && picture.interlaced_frame != 0;
  }

  explicit FieldPairs(AVCodecID codec = AV_CODEC_ID_NONE) : codec_(codec) {}
  // Sets the parity of the first field of a frame. Without this call it is that of the first field
  // pushed.
  void set_order(bool top_first) { top_first_ = top_first; }

  // Takes over the picture's references. RESOURCE_EXHAUSTED without memory for a frame.
  Status push(AVFrame& picture);
  Status finish();  // ends the stream
  // Moves the next frame into `frame`, and first releases the old content of `frame`. Returns false
  // if no frame is ready.
  bool pop(AVFrame& frame);
  // Returns true if the last frame from pop() was made of one field.
  bool was_alone() const { return was_alone_; }

 private:
  struct Frame {
    FramePtr frame;
    bool is_alone = false;
  };
  bool are_pair(const AVFrame& second) const;
  Status give(const AVFrame& first, const AVFrame* second);
  Status give_held();

  AVCodecID codec_;
  std::optional<bool> top_first_;
  FramePtr held_;  // a first field that waits for its second
  std::deque<Frame> ready_;
  bool was_alone_ = false;
};

}  // namespace weft::media
