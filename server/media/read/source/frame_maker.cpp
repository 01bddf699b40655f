// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/source/frame_maker.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include "server/media/hdr10.h"
#include "server/media/pixel_format.h"
#include "server/media/read/pictures/field_order.h"
#include "server/media/read/probe/stream_info.h"

namespace weft::media {

namespace {

constexpr int64_t kDiscontinuitySeconds = 10;

Status no_memory_for_frame(const PictureStream& stream) {
  return resource_exhausted("There is no memory for a frame ({}).", stream.demuxer().file().name());
}

}  // namespace

void FrameMaker::start() {
  progress_ = {};
  quantisers_.start();
  const VideoInfo& video = info_.video;
  changes_.start({video.format.width, video.format.height, video.sample_aspect_ratio, video.colour},
                 options_.on_size_change == OnSizeChange::kSplits);
}

void FrameMaker::skip_to(const Progress& progress) {
  progress_ = progress;
  changes_.forget();
}

int64_t FrameMaker::duration_of(const AVFrame& picture) const {
  const Ratio rate = info_.video.frame_rate;
  if (picture.pkt_duration > 0) return picture.pkt_duration;  // Demuxer has limited it
  if (!rate.known()) return 1;
  return std::max<int64_t>(1, av_rescale_q(1, {rate.den, rate.num}, to_av(info_.video.time_base)));
}

// Returns the frame's time after repair: a missing time becomes one frame after the previous, one
// that does not increase half a frame after. The first frame without a time gets the programme's
// clock.
int64_t FrameMaker::time_of(int64_t raw, int64_t first_clock, int64_t duration) {
  if (progress_.next_index == 0) return raw != AV_NOPTS_VALUE ? raw : first_clock;
  if (raw != AV_NOPTS_VALUE && raw > progress_.last_pts) return raw;
  progress_.repaired_timestamps++;
  return progress_.last_pts + (raw == AV_NOPTS_VALUE ? duration : std::max<int64_t>(1, duration / 2));
}

// Returns the time as players show it.
double FrameMaker::seconds_of(int64_t pts) const {
  return double(pts) * info_.video.time_base.value() - std::chrono::duration<double>(info_.start).count();
}

// Returns an error if the frame's format differs from the first frame's, unless only the size
// differs and that is allowed.
Status FrameMaker::check_format(const VideoFormat& format, int64_t pts) const {
  const VideoFormat& expected = info_.video.format;
  const bool is_size_alone = format.chroma == expected.chroma && format.bit_depth == expected.bit_depth;
  if (is_size_alone && options_.on_size_change != OnSizeChange::kFails) return ok_status();
  return invalid_argument(
      "The video changes from {}x{} {} to {}x{} {} at frame {} ({:.3f} s); cut the file there and submit the "
      "pieces{}.",
      expected.width, expected.height, describe(expected), format.width, format.height, describe(format),
      progress_.next_index, seconds_of(pts),
      is_size_alone ? ", or choose what becomes of later pictures (on_size_change scale, split)" : "");
}

void FrameMaker::detect_changes(PictureStream& stream, int64_t pts, bool settling) {
  AVFrame& picture = stream.picture();
  const PictureFormat format{picture.width, picture.height, aspect_of(stream.demuxer(), picture),
                             colour_of(picture)};
  if (settling) return changes_.pass(format);
  changes_.observe(format, progress_.next_index, seconds_of(pts));
}

StatusOr<FrameMaker::Made> FrameMaker::make(PictureStream& stream, bool settling) {
  const AVFrame& picture = stream.picture();
  const auto stored = AVPixelFormat(picture.format);
  ASSIGN_OR_RETURN(const VideoFormat format, check_picture(stored, picture.width, picture.height));
  Made made;
  SourceFrame& frame = made.frame;
  frame.picture.format = format;
  frame.index = progress_.next_index;
  made.pts = picture.pts != AV_NOPTS_VALUE ? picture.pts : picture.pkt_dts;
  made.position = picture.pkt_pos;
  frame.duration = duration_of(picture);
  frame.pts = time_of(made.pts, stream.first_clock(), frame.duration);
  if (format != info_.video.format) RETURN_IF_ERROR(check_format(format, frame.pts));
  detect_changes(stream, frame.pts, settling);
  const int64_t gap = av_rescale_q(kDiscontinuitySeconds, {1, 1}, to_av(info_.video.time_base));
  frame.discontinuity =
      (progress_.next_index > 0 && frame.pts - progress_.last_pts > gap) || stream.has_jumped(frame.pts);
  if (frame.discontinuity) stream.forget_jump();
  const FrameFields fields = fields_of(picture, *stream.demuxer().video().codecpar);
  frame.interlaced = fields.interlaced;
  frame.top_field_first = fields.top_first;
  // FFmpeg counts repeated fields: 1 for one field, 2 and 4 for one and two frames.
  frame.repeats_field = picture.repeat_pict > 0;
  frame.repeated_frames = picture.repeat_pict / 2;
  frame.key = picture.key_frame != 0;
  frame.corrupt = is_corrupt(picture);
  if (const AVFrameSideData* captions = av_frame_get_side_data(&picture, AV_FRAME_DATA_A53_CC))
    frame.captions.assign(reinterpret_cast<const char*>(captions->data), captions->size);

  if (options_.quantisers) frame.quantisers = quantisers_.read(picture, format.bit_depth);
  if (dynamic_hdr_.empty()) dynamic_hdr_ = dynamic_hdr_of(picture);
  if (stream.was_alone() && !settling && lone_fields_++ == 0) first_lone_ = progress_.next_index;
  RETURN_IF_ERROR(hold_samples(stream, frame));
  progress_.next_index++;
  progress_.last_pts = frame.pts;
  return made;
}

// Makes `result` own the samples of the picture, in planes or on the GPU.
Status FrameMaker::hold_samples(PictureStream& stream, SourceFrame& result) {
  result.kept = stream.decoder().take_kept();
  if (result.kept != nullptr) keeps_frames_ = true;
  if (result.kept != nullptr) return ok_status();
  AVFrame& picture = stream.picture();
  if (!is_planar(AVPixelFormat(picture.format))) return repack(stream, result);
  const std::shared_ptr<AVFrame> owner(av_frame_alloc(), ReleaseByAddress<av_frame_free>());
  if (!owner) return no_memory_for_frame(stream);
  av_frame_move_ref(owner.get(), &picture);
  for (size_t plane = 0; plane < 3; plane++) {
    result.picture.plane[plane] = owner->data[plane];
    result.picture.stride_bytes[plane] = owner->linesize[plane];
  }
  result.owner = owner;
  return ok_status();
}

// Copies the samples into planes of a buffer from the pool.
Status FrameMaker::repack(PictureStream& stream, SourceFrame& result) {
  const PackedLayout layout = layout_planes(result.picture.format);
  if (!repacked_ || repacked_bytes_ != layout.bytes)
    repacked_.reset(av_buffer_pool_init(layout.bytes, nullptr));
  repacked_bytes_ = layout.bytes;
  const std::shared_ptr<AVBufferRef> owner(repacked_ ? av_buffer_pool_get(repacked_.get()) : nullptr,
                                           [](AVBufferRef* buffer) { av_buffer_unref(&buffer); });
  if (!owner) return no_memory_for_frame(stream);
  for (size_t plane = 0; plane < size_t(result.picture.format.planes()); plane++) {
    result.picture.plane[plane] = owner->data + layout.offset[plane];
    result.picture.stride_bytes[plane] = layout.stride_bytes[plane];
  }
  unpack(stream.picture(), result.picture);
  result.owner = owner;
  return ok_status();
}

std::vector<std::string> FrameMaker::notes() const {
  std::vector<std::string> notes;
  if (keeps_frames_) notes.push_back("Frames stay on the GPU from the decoder to the filter.");
  if (info_.video.repacked)
    notes.push_back(fmt::format("The samples are stored as {}; they are repacked without change.",
                                info_.video.pixel_format));
  if (info_.video.woven)
    notes.push_back(
        "The stream codes each field as a picture; two are woven to a frame, and the CPU decodes.");
  if (lone_fields_ > 0)
    notes.push_back(fmt::format(
        "Fields without their partner fill both fields of a frame (frames: {}, from frame {} on).",
        lone_fields_, first_lone_));
  if (!dynamic_hdr_.empty())
    notes.push_back(
        fmt::format("The {} metadata, which change from frame to frame, are left out; what is the same for "
                    "all frames stays.",
                    dynamic_hdr_));
  return notes;
}

}  // namespace weft::media
