// SPDX-License-Identifier: Apache-2.0
// Weaves fields that are coded as pictures of their own (HEVC) to frames, before anybody sees them.
//
//   pairs.push(picture);                    // as decoded, in the order they are shown
//   while (pairs.pop(frame)) ...            // a frame of twice the height
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "server/media/ffmpeg.h"

namespace weft::media {

// A field of one parity and the next of the other are a frame, if they follow each other in time. A field that is alone, at the start or
// where its partner is lost, fills the lines of both. So what a frame is depends on its fields alone, wherever decoding began.
class FieldPairs {
 public:
  // FFmpeg's decoder flags a picture of HEVC so where pic_struct says that it is a field (ITU-T H.265, D.3.3).
  static bool is_field(const AVFrame& picture, AVCodecID codec) {
    return codec == AV_CODEC_ID_HEVC && picture.interlaced_frame != 0;
  }

  explicit FieldPairs(AVCodecID codec = AV_CODEC_ID_NONE) : codec_(codec) {}
  // Which field begins a frame; that of the first field that comes if nobody says it.
  void set_order(bool top_first) { top_first_ = top_first; }

  // Takes the picture's references. RESOURCE_EXHAUSTED: no memory for a frame.
  Status push(AVFrame& picture);
  Status finish();  // nothing follows
  // Into `frame`, which is unreferenced first. False: there is none yet.
  bool pop(AVFrame& frame);
  bool was_alone() const { return was_alone_; }  // the frame that pop() gave last was made of one field

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
  FramePtr held_;  // a first field
  std::deque<Frame> ready_;
  bool was_alone_ = false;
};

}  // namespace weft::media
