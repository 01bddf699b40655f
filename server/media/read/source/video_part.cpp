// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/source/video_part.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "server/media/ffmpeg.h"

namespace weft::media {

namespace {

constexpr AVRational kNanoseconds = {1, 1'000'000'000};

double seconds(Duration time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

std::string text_of(const PartEdge& edge) {
  if (const auto* index = std::get_if<int64_t>(&edge)) return fmt::format("frame {}", *index);
  return fmt::format("{} s", seconds(std::get<Duration>(edge)));
}

Status behind_the_end(const PartEdge& from, int64_t frames, Duration length) {
  return out_of_range(
      "The part begins ({}) behind the video's last frame ({} frames, {:.3f} s); give a place before it.",
      text_of(from), frames, seconds(length));
}

StatusOr<std::unique_ptr<VideoPart>> VideoPart::open(InputFilePtr file, const SourceOptions& options,
                                                     const PartBounds& bounds) {
  ASSIGN_OR_RETURN(auto source, VideoSource::open(std::move(file), options));
  return std::unique_ptr<VideoPart>(new VideoPart(std::move(source), options, bounds));
}

VideoPart::VideoPart(std::unique_ptr<VideoSource> source, const SourceOptions& options,
                     const PartBounds& bounds)
    : source_(std::move(source)), alive_(options.alive), bounds_(bounds) {
  if (bounds.from) from_ = edge_of(*bounds.from);
  if (bounds.to) to_ = edge_of(*bounds.to);
}

// Converts a time to the first pts at or after it, because pts are integers.
VideoPart::Edge VideoPart::edge_of(const PartEdge& edge) const {
  if (const auto* index = std::get_if<int64_t>(&edge)) return {true, *index};
  const MediaInfo& info = source_->info();
  const AVRational unit = to_av(info.video.time_base);
  const int64_t start = av_rescale_q(info.start.count(), kNanoseconds, unit);
  const Duration position = std::min<Duration>(std::get<Duration>(edge), kLatestTime);
  return {false, start + av_rescale_q_rnd(position.count(), kNanoseconds, unit, AV_ROUND_UP)};
}

Duration VideoPart::time_of(int64_t pts) const {
  const MediaInfo& info = source_->info();
  return Duration(av_rescale_q(pts, to_av(info.video.time_base), kNanoseconds)) - info.start;
}

// Returns the error for a part after the end. `frames` is the number of frames in the video, `end`
// the end of the last one in the video's unit.
Status VideoPart::nothing_left(int64_t frames, int64_t end) const {
  return behind_the_end(*bounds_.from, frames, time_of(end));
}

// Moves to the part's first frame. Returns false, at the start of the file, if frames must be
// decoded to be counted. OUT_OF_RANGE as begin().
StatusOr<bool> VideoPart::skip() {
  FrameLimit limit;
  (from_->is_frame ? limit.frames : limit.pts) = from_->position + (from_->is_frame ? 1 : 0);
  ASSIGN_OR_RETURN(const auto times, source_->frame_times(limit));
  if (!times) return false;
  const auto frames = int64_t(times->pts.size());
  if (frames == 0) return false;
  const int64_t index = from_->is_frame
                            ? from_->position
                            : std::ranges::lower_bound(times->pts, from_->position) - times->pts.begin();
  if (index < frames) return source_->skip_to(index, *times);
  const int64_t last = times->pts.back();
  const int64_t length = frames > 1 ? last - times->pts[size_t(frames) - 2] : 0;
  return nothing_left(frames, av_sat_add64(last, length));
}

Status VideoPart::begin() {
  if (bounds_.is_whole()) return ok_status();
  if (from_) RETURN_IF_ERROR(skip().status());
  RETURN_IF_ERROR(go_to_first());
  RETURN_IF_ERROR(check_first());
  if (!from_) return ok_status();
  start_ = {first_->index, first_->pts};
  next_index_ = first_->index;
  return ok_status();
}

Status VideoPart::go_to_first() {
  int64_t frames = 0, end = 0;
  while (true) {
    if (alive_) RETURN_IF_ERROR(alive_());
    ASSIGN_OR_RETURN(first_, source_->next());
    if (!from_ || (first_ && from_->is_reached(first_->index, first_->pts))) return ok_status();
    if (!first_) return nothing_left(frames, end);
    frames = first_->index + 1;
    end = first_->pts + first_->duration;
    frames_dropped_++;
  }
}

Status VideoPart::check_first() const {
  if (!first_ || !to_ || !to_->is_reached(first_->index, first_->pts)) return ok_status();
  return out_of_range("No frame lies in the part ({}to {}): frame {} is shown at {:.3f} s; give a later end.",
                      bounds_.from ? fmt::format("from {} ", text_of(*bounds_.from)) : "",
                      text_of(*bounds_.to), first_->index, seconds(time_of(first_->pts)));
}

Status VideoPart::resume(const SourceCheckpoint& checkpoint, const PartStart& start) {
  RETURN_IF_ERROR(source_->resume(checkpoint));
  start_ = start;
  next_index_ = checkpoint.next_index;
  return ok_status();
}

StatusOr<std::optional<FrameTimes>> VideoPart::frame_times() {
  FrameLimit limit;
  if (to_) (to_->is_frame ? limit.frames : limit.pts) = to_->position;
  return source_->frame_times(limit);
}

int64_t VideoPart::frames_of(const FrameTimes& times, const PartStart& start) const {
  auto end = int64_t(times.pts.size());
  if (to_ && to_->is_frame) end = std::min(end, to_->position);
  if (to_ && !to_->is_frame) end = std::ranges::lower_bound(times.pts, to_->position) - times.pts.begin();
  return std::max<int64_t>(end - start.index, 0);
}

StatusOr<bool> VideoPart::go_to(int64_t index, const FrameTimes& times, const PartStart& start) {
  ASSIGN_OR_RETURN(const bool found, source_->skip_to(index, times));
  if (!found) return false;
  start_ = start;
  next_index_ = index;
  return true;
}

StatusOr<std::optional<SourceFrame>> VideoPart::next() {
  std::optional<SourceFrame> frame = std::exchange(first_, std::nullopt);
  has_ended_ = has_ended_ || (to_ && to_->is_frame && next_index_ >= to_->position);
  if (has_ended_) return std::optional<SourceFrame>();
  if (!frame) {
    ASSIGN_OR_RETURN(frame, source_->next());
  }
  if (!frame) return frame;
  has_ended_ = (to_ && to_->is_reached(frame->index, frame->pts)) || ends_output_part(*frame);
  if (has_ended_) return std::optional<SourceFrame>();
  next_index_ = frame->index + 1;
  end_of_last_ = frame->pts + frame->duration;
  frame->index -= start_.index;
  if (frame->index == 0) frame->discontinuity = false;  // no frame of the clip precedes it
  return frame;
}

bool VideoPart::ends_output_part(const SourceFrame& frame) {
  const VideoFormat& format = frame.picture.format;
  if (!bounds_.size || PictureSize{format.width, format.height} == *bounds_.size) return false;
  next_output_part_ = {frame.index, frame.pts, source_->format()};
  return true;
}

std::optional<int64_t> VideoPart::end_pts() const {
  if (next_output_part_) return next_output_part_->pts;
  if (to_ && !to_->is_frame) return to_->position;
  return has_ended_ ? std::optional(end_of_last_) : std::nullopt;
}

}  // namespace weft::media
