// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/pictures/field_pairs.h"

extern "C" {
#include <libavutil/imgutils.h>
}

#include <algorithm>
#include <cstring>
#include <utility>

namespace weft::media {

namespace {

bool is_top(const AVFrame& field) { return field.top_field_first != 0; }

// Copies a field to every second line of `frame`, beginning with the first or the second line.
void copy_lines(const AVFrame& field, bool to_top, AVFrame& frame) {
  uint8_t* target[AV_NUM_DATA_POINTERS] = {};
  int stride[AV_NUM_DATA_POINTERS] = {};
  for (int plane = 0; plane < AV_NUM_DATA_POINTERS && frame.data[plane] != nullptr; plane++) {
    target[plane] = frame.data[plane] + (to_top ? 0 : frame.linesize[plane]);
    stride[plane] = 2 * frame.linesize[plane];
  }
  const uint8_t* source[AV_NUM_DATA_POINTERS];
  std::copy(std::begin(field.data), std::end(field.data), source);
  av_image_copy(target, stride, source, field.linesize, AVPixelFormat(field.format), field.width,
                field.height);
}

// Concatenates the captions of both fields; of other side data, adds the kinds that only the second
// field has.
bool add_side_data(const AVFrame& field, AVFrame& frame) {
  for (int i = 0; i < field.nb_side_data; i++) {
    const AVFrameSideData& data = *field.side_data[i];
    const AVFrameSideData* const there = av_frame_get_side_data(&frame, data.type);
    if (there != nullptr && data.type != AV_FRAME_DATA_A53_CC) continue;
    std::string bytes;
    if (there != nullptr) bytes.assign(reinterpret_cast<const char*>(there->data), there->size);
    bytes.append(reinterpret_cast<const char*>(data.data), data.size);
    av_frame_remove_side_data(&frame, data.type);
    AVFrameSideData* const both = av_frame_new_side_data(&frame, data.type, bytes.size());
    if (both == nullptr) return false;
    std::memcpy(both->data, bytes.data(), bytes.size());
  }
  return true;
}

}  // namespace

// Returns true if `second` completes the held field. Returns false if fields between them were
// lost.
bool FieldPairs::are_pair(const AVFrame& second) const {
  const AVFrame& first = *held_;
  if (first.width != second.width || first.height != second.height || first.format != second.format)
    return false;
  if (first.pts == AV_NOPTS_VALUE || second.pts == AV_NOPTS_VALUE || first.pkt_duration <= 0) return true;
  const int64_t step = second.pts - first.pts;
  return step > 0 && 2 * step <= 3 * first.pkt_duration;
}

Status FieldPairs::push(AVFrame& picture) {
  if (!is_field(picture, codec_)) {
    RETURN_IF_ERROR(give_held());
    ready_.push_back({FramePtr(av_frame_alloc())});
    if (!ready_.back().frame) return resource_exhausted("There is no memory for a frame.");
    av_frame_move_ref(ready_.back().frame.get(), &picture);
    return ok_status();
  }
  if (!top_first_) top_first_ = is_top(picture);
  const bool is_first = is_top(picture) == *top_first_;
  if (!is_first && held_ && are_pair(picture)) {
    const FramePtr first = std::move(held_);
    return give(*first, &picture);
  }
  RETURN_IF_ERROR(give_held());
  if (!is_first) return give(picture, nullptr);
  held_.reset(av_frame_alloc());
  if (!held_) return resource_exhausted("There is no memory for a field.");
  av_frame_move_ref(held_.get(), &picture);
  return ok_status();
}

Status FieldPairs::give_held() {
  const FramePtr held = std::move(held_);
  return held ? give(*held, nullptr) : ok_status();
}

Status FieldPairs::finish() { return give_held(); }

// Makes a frame of both fields, or of `first` only if `second` is null. A frame made of a second
// field only begins one field earlier.
Status FieldPairs::give(const AVFrame& first, const AVFrame* second) {
  Status no_memory = resource_exhausted("There is no memory for a frame of two fields.");
  FramePtr frame(av_frame_alloc());
  if (!frame) return no_memory;
  frame->format = first.format;
  frame->width = first.width;
  frame->height = 2 * first.height;
  if (av_frame_get_buffer(frame.get(), 0) < 0 || av_frame_copy_props(frame.get(), &first) < 0)
    return no_memory;
  const AVFrame& other = second != nullptr ? *second : first;
  copy_lines(first, is_top(first), *frame);
  copy_lines(other, !is_top(first), *frame);
  if (second != nullptr && !add_side_data(*second, *frame)) return no_memory;
  frame->pkt_duration = first.pkt_duration + other.pkt_duration;
  const bool is_late = second == nullptr && is_top(first) != *top_first_;
  if (is_late && first.pts != AV_NOPTS_VALUE) frame->pts -= first.pkt_duration;
  frame->interlaced_frame = 1;
  frame->top_field_first = *top_first_;
  frame->flags |= other.flags & AV_FRAME_FLAG_CORRUPT;
  frame->decode_error_flags |= other.decode_error_flags;
  ready_.push_back({std::move(frame), second == nullptr});
  return ok_status();
}

bool FieldPairs::pop(AVFrame& frame) {
  av_frame_unref(&frame);
  if (ready_.empty()) return false;
  av_frame_move_ref(&frame, ready_.front().frame.get());
  was_alone_ = ready_.front().is_alone;
  ready_.pop_front();
  return true;
}

}  // namespace weft::media
