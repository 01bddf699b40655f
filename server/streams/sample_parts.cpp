// SPDX-License-Identifier: Apache-2.0
#include "server/streams/sample_parts.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "server/streams/limits.h"

namespace weft::streams {

Status PartialFrame::check(const v1::FramePart& part, int64_t frame_bytes) const {
  const int64_t bytes = int64_t(part.samples().size());
  if (part.offset() != bytes_)
    return invalid_argument("A piece of frame {} is out of order (offset {}, expected {}).", part.index(),
                            part.offset(), bytes_);
  if (bytes == 0 || bytes > kPartBytes)
    return invalid_argument("A piece of frame {} has a wrong size ({} bytes, allowed 1 to {}).", part.index(),
                            bytes, kPartBytes);
  if (bytes_ + bytes > frame_bytes)
    return invalid_argument("Frame {} is too large ({} bytes, the format has {}).", part.index(),
                            bytes_ + bytes, frame_bytes);
  return ok_status();
}

void PartialFrame::begin(int slot, v1::FrameFacts facts) {
  slot_ = slot;
  facts_ = std::move(facts);
}

void PartialFrame::add(const v1::FramePart& part, std::byte* slot) {
  std::memcpy(slot + bytes_, part.samples().data(), part.samples().size());
  bytes_ += int64_t(part.samples().size());
}

int PartialFrame::finish() {
  bytes_ = 0;
  return std::exchange(slot_, -1);
}

void PictureParts::pop() {
  pictures_.pop_front();
  sent_bytes_ = 0;
}

v1::PicturePart PictureParts::next(const std::byte* slot, int64_t picture_bytes) {
  const Picture& picture = pictures_.front();
  const int64_t bytes = std::min(kPartBytes, picture_bytes - sent_bytes_);
  v1::PicturePart part;
  part.set_index(picture.facts.index());
  part.set_offset(sent_bytes_);
  if (sent_bytes_ == 0) *part.mutable_facts() = picture.facts;
  part.set_samples(slot + sent_bytes_, size_t(bytes));
  sent_bytes_ += bytes;
  return part;
}

}  // namespace weft::streams
