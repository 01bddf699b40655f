// SPDX-License-Identifier: Apache-2.0
#include "server/worker/video/job_part.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <variant>

#include "options/place.h"
#include "server/worker/job/open_input.h"

namespace weft::worker {
namespace {

StatusOr<std::optional<media::PartEdge>> edge_of(const std::string& text) {
  if (text.empty()) return std::optional<media::PartEdge>();
  ASSIGN_OR_RETURN(const options::Place place, options::parse_place(text));
  if (const auto* frame = std::get_if<options::FrameNumber>(&place))
    return std::optional<media::PartEdge>(frame->number);
  return std::optional<media::PartEdge>(std::get<std::chrono::nanoseconds>(place));
}

// Frames before the place.
int64_t frames_before(const media::PartEdge& edge, const media::VideoFacts& video) {
  if (const auto* frame = std::get_if<int64_t>(&edge)) return *frame;
  const double seconds = std::chrono::duration<double>(std::get<Duration>(edge)).count();
  return std::llround(seconds * video.frame_rate.value());
}

}  // namespace

StatusOr<media::PartBounds> part_of(const v1::VideoJob& job, const media::MediaFacts& facts) {
  media::PartBounds part;
  ASSIGN_OR_RETURN(part.from, edge_of(job.from()));
  ASSIGN_OR_RETURN(part.to, edge_of(job.to()));
  // Where the frames are counted the length is no guess either. It is the longest stream's: of times only those behind all are refused.
  if (!part.from || !facts.video.frames_exact || facts.duration <= Duration(0)) return part;
  const auto* frame = std::get_if<int64_t>(&*part.from);
  if (frame != nullptr ? *frame < facts.video.frames : std::get<Duration>(*part.from) <= facts.duration)
    return part;
  return blame_part(media::behind_the_end(*part.from, facts.video.frames, facts.duration), part);
}

int64_t estimate_frames(const media::PartBounds& part, const media::VideoFacts& video) {
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

void write_piece(const media::NextPiece& next, internal::v1::PieceRecord& piece) {
  piece.set_first_frame(next.index);
  internal::v1::LookRecord& look = *piece.mutable_look();
  look.set_width(next.look.width);
  look.set_height(next.look.height);
  look.set_aspect_numerator(next.look.pixel_aspect.num);
  look.set_aspect_denominator(next.look.pixel_aspect.den);
  look.set_primaries(next.look.colour.primaries);
  look.set_transfer(next.look.colour.transfer);
  look.set_matrix(next.look.colour.matrix);
  look.set_range(int(next.look.colour.range));
  look.set_chroma_location(next.look.colour.chroma_location);
}

media::PictureLook read_look(const internal::v1::LookRecord& look) {
  return {.width = look.width(),
          .height = look.height(),
          .pixel_aspect = {look.aspect_numerator(), look.aspect_denominator()},
          .colour = {.primaries = look.primaries(),
                     .transfer = look.transfer(),
                     .matrix = look.matrix(),
                     .range = media::Colour::Range(look.range()),
                     .chroma_location = look.chroma_location()}};
}

media::SourcePart source_part(const internal::v1::InputPart& part) {
  media::SourcePart source;
  source.first_frame = part.first_frame();
  source.begin = read_start(part).pts;
  if (part.has_end_pts()) source.end = part.end_pts();
  return source;
}

}  // namespace weft::worker
