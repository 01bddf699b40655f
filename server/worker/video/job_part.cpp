// SPDX-License-Identifier: Apache-2.0
#include "server/worker/video/job_part.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <variant>

#include "options/media_position.h"
#include "server/worker/job/open_input.h"

namespace weft::worker {
namespace {

StatusOr<std::optional<media::PartEdge>> edge_of(const std::string& text) {
  if (text.empty()) return std::optional<media::PartEdge>();
  ASSIGN_OR_RETURN(const options::MediaPosition position, options::parse_position(text));
  if (const auto* frame = std::get_if<options::FrameNumber>(&position))
    return std::optional<media::PartEdge>(frame->number);
  return std::optional<media::PartEdge>(std::get<std::chrono::nanoseconds>(position));
}

// Returns the number of frames before an edge.
int64_t frames_before(const media::PartEdge& edge, const media::VideoInfo& video) {
  if (const auto* frame = std::get_if<int64_t>(&edge)) return *frame;
  const double seconds = std::chrono::duration<double>(std::get<Duration>(edge)).count();
  return std::llround(seconds * video.frame_rate.value());
}

}  // namespace

StatusOr<media::PartBounds> part_of(const v1::VideoJob& job, const media::MediaInfo& info) {
  media::PartBounds part;
  ASSIGN_OR_RETURN(part.from, edge_of(job.from()));
  ASSIGN_OR_RETURN(part.to, edge_of(job.to()));
  // If frames are counted, the length is exact too. It is the length of the longest stream, so only
  // times after the end of all streams are refused.
  if (!part.from || !info.video.frames_exact || info.duration <= Duration(0)) return part;
  const auto* frame = std::get_if<int64_t>(&*part.from);
  if (frame != nullptr ? *frame < info.video.frames : std::get<Duration>(*part.from) <= info.duration)
    return part;
  return blame_part(media::behind_the_end(*part.from, info.video.frames, info.duration), part);
}

int64_t estimate_frames(const media::PartBounds& part, const media::VideoInfo& video) {
  const int64_t unknown = std::numeric_limits<int64_t>::max();
  const int64_t all = video.frames > 0 ? video.frames : unknown;
  const int64_t end = part.to ? std::min(all, frames_before(*part.to, video)) : all;
  if (end == unknown) return 0;
  const int64_t begin = part.from ? frames_before(*part.from, video) : 0;
  return std::max<int64_t>(end - begin, 0);
}

Status blame_part(const Status& error, const media::PartBounds& part) {
  if (error.code() != StatusCode::kOutOfRange) return error;
  return blame(part.from ? "spec.video.from" : "spec.video.to", invalid_argument("{}", message_of(error)));
}

void write_start(const media::PartStart& start, internal::v1::InputPart& part) {
  part.set_first_frame(start.index);
  if (start.pts) part.set_first_pts(*start.pts);
}

media::PartStart read_start(const internal::v1::InputPart& part) {
  media::PartStart start{part.first_frame(), std::nullopt};
  if (part.has_first_pts()) start.pts = part.first_pts();
  return start;
}

void write_output_part(const media::NextOutputPart& next, internal::v1::OutputPartRecord& record) {
  record.set_first_frame(next.index);
  internal::v1::PictureFormatRecord& format = *record.mutable_format();
  format.set_width(next.format.width);
  format.set_height(next.format.height);
  format.set_aspect_numerator(next.format.pixel_aspect.num);
  format.set_aspect_denominator(next.format.pixel_aspect.den);
  format.set_primaries(next.format.colour.primaries);
  format.set_transfer(next.format.colour.transfer);
  format.set_matrix(next.format.colour.matrix);
  format.set_range(int(next.format.colour.range));
  format.set_chroma_location(next.format.colour.chroma_location);
}

media::PictureFormat read_format(const internal::v1::PictureFormatRecord& format) {
  return {.width = format.width(),
          .height = format.height(),
          .pixel_aspect = {format.aspect_numerator(), format.aspect_denominator()},
          .colour = {.primaries = format.primaries(),
                     .transfer = format.transfer(),
                     .matrix = format.matrix(),
                     .range = media::Colour::Range(format.range()),
                     .chroma_location = format.chroma_location()}};
}

media::SourcePart source_part(const internal::v1::InputPart& part) {
  media::SourcePart source;
  source.first_frame = part.first_frame();
  source.begin = read_start(part).pts;
  if (part.has_end_pts()) source.end = part.end_pts();
  return source;
}

}  // namespace weft::worker
