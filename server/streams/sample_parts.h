// SPDX-License-Identifier: Apache-2.0
// Samples of frames and pictures in messages, in parts of at most kPartBytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "base/status.h"
#include "weft/v1/stream_service.pb.h"

namespace weft::streams {

// A frame that comes part by part, into a slot.
class PartialFrame {
 public:
  // INVALID_ARGUMENT: the part is not the next of a frame of `frame_bytes`.
  Status check(const v1::FramePart& part, int64_t frame_bytes) const;
  bool has_begun() const { return slot_ >= 0; }
  void begin(int slot, v1::FrameFacts facts);
  // Copies the part behind those that came before, into the slot's bytes.
  void add(const v1::FramePart& part, std::byte* slot);
  // The next part begins a new frame. Returns the slot of the one that is whole.
  int finish();

  int slot() const { return slot_; }
  int64_t bytes() const { return bytes_; }  // that have come
  const v1::FrameFacts& facts() const { return facts_; }

 private:
  int slot_ = -1;  // none has begun
  int64_t bytes_ = 0;
  v1::FrameFacts facts_;
};

// Pictures in slots, which go out part by part.
class PictureParts {
 public:
  void push(int slot, v1::PictureFacts facts) { pictures_.push_back({slot, std::move(facts)}); }
  bool is_empty() const { return pictures_.empty(); }
  void clear() { pictures_.clear(); }

  // Of the first picture, which is there.
  int slot() const { return pictures_.front().slot; }
  bool is_sent(int64_t picture_bytes) const { return sent_bytes_ == picture_bytes; }
  void pop();
  // The next part. `slot`: the picture's bytes.
  v1::PicturePart next(const std::byte* slot, int64_t picture_bytes);

 private:
  struct Picture {
    int slot = 0;
    v1::PictureFacts facts;
  };
  std::deque<Picture> pictures_;
  int64_t sent_bytes_ = 0;  // of the first
};

}  // namespace weft::streams
