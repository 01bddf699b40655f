// SPDX-License-Identifier: Apache-2.0
// Transfers samples in messages, in chunks of at most kPartBytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "base/status.h"
#include "weft/v1/stream_service.pb.h"

namespace weft::streams {

// A frame that arrives in chunks and is written to a slot.
class PartialFrame {
 public:
  // Returns INVALID_ARGUMENT if the chunk is not the next one of a frame of `frame_bytes` bytes.
  Status check(const v1::FramePart& part, int64_t frame_bytes) const;
  bool has_begun() const { return slot_ >= 0; }
  void begin(int slot, v1::FrameFacts facts);
  // Copies the chunk to its position in the slot.
  void add(const v1::FramePart& part, std::byte* slot);
  // Ends the frame and returns its slot. The next chunk begins another frame.
  int finish();

  int slot() const { return slot_; }
  int64_t bytes() const { return bytes_; }  // number of received bytes
  const v1::FrameFacts& facts() const { return facts_; }

 private:
  int slot_ = -1;  // -1: no frame in progress
  int64_t bytes_ = 0;
  v1::FrameFacts facts_;
};

// Pictures in slots that are sent in chunks.
class PictureParts {
 public:
  void push(int slot, v1::PictureFacts facts) { pictures_.push_back({slot, std::move(facts)}); }
  bool is_empty() const { return pictures_.empty(); }
  void clear() { pictures_.clear(); }

  // Returns the slot of the first picture; there must be one.
  int slot() const { return pictures_.front().slot; }
  bool is_sent(int64_t picture_bytes) const { return sent_bytes_ == picture_bytes; }
  void pop();
  // Returns the next chunk of the first picture. `slot` points to the picture's bytes.
  v1::PicturePart next(const std::byte* slot, int64_t picture_bytes);

 private:
  struct Picture {
    int slot = 0;
    v1::PictureFacts facts;
  };
  std::deque<Picture> pictures_;
  int64_t sent_bytes_ = 0;  // number of bytes of the first picture that were sent
};

}  // namespace weft::streams
