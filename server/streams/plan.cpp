// SPDX-License-Identifier: Apache-2.0
#include "server/streams/plan.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "options/frame_format.h"
#include "options/texture_blocks.h"
#include "options/validate.h"
#include "options/values.h"
#include "server/streams/limits.h"

namespace weft::streams {
namespace {

using options::Violation;

constexpr int64_t kSlotAlignment = 4096;  // slots start at page boundaries
constexpr int kUsualRate = 25;            // default rate of a stream without a deadline
constexpr int kMinBitDepth = 8;
constexpr int kMaxBitDepth = 16;

void check_format(const v1::FrameFormat& format, std::vector<Violation>& found) {
  const auto side = [&](const char* field, int value) {
    if (value >= 1 && value <= kMaxPictureSide) return;
    found.push_back({fmt::format("open.format.{}", field),
                     fmt::format("The frame's {} is out of range ({}, allowed 1 to {}).", field, value,
                                 kMaxPictureSide)});
  };
  side("width", format.width());
  side("height", format.height());
  if (format.chroma() == v1::CHROMA_FORMAT_UNSPECIFIED || !v1::ChromaFormat_IsValid(format.chroma()))
    found.push_back({"open.format.chroma",
                     fmt::format("The chroma format is not known ({}); gray, 4:2:0, 4:2:2 and 4:4:4 are.",
                                 int(format.chroma()))});
  if (format.bit_depth() < kMinBitDepth || format.bit_depth() > kMaxBitDepth)
    found.push_back({"open.format.bit_depth",
                     fmt::format("The samples' depth is out of range ({} bits, allowed {} to {}).",
                                 format.bit_depth(), kMinBitDepth, kMaxBitDepth)});
}

void check_textures(const v1::OpenStream& open, std::vector<Violation>& found) {
  const v1::SampleAspect& aspect = open.sample_aspect();
  if (aspect.numerator() < 0 || aspect.denominator() < 0)
    found.push_back({"open.sample_aspect", fmt::format("The samples' aspect is not plausible ({}/{}).",
                                                       aspect.numerator(), aspect.denominator())});
  if (!v1::ChromaPosition_IsValid(open.chroma_position()))
    found.push_back({"open.chroma_position", fmt::format("The position of chroma samples is not known ({}).",
                                                         int(open.chroma_position()))});
}

void check_rate(const v1::OpenStream& open, std::vector<Violation>& found) {
  const int numerator = open.frame_rate().numerator();
  const int denominator = open.frame_rate().denominator();
  if (numerator == 0 || denominator == 0) {
    if (open.settings().stream_class() == v1::STREAM_CLASS_REALTIME)
      found.push_back(
          {"open.frame_rate", "A realtime stream needs its frame rate; say how many frames come a second."});
    return;
  }
  // Twice the rate must also be representable, since a deinterlacer may double the rate.
  const bool fits = numerator > 0 && denominator > 0 && numerator <= std::numeric_limits<int>::max() / 2;
  if (!fits || numerator / denominator > kMaxRate)
    found.push_back(
        {"open.frame_rate", fmt::format("The frame rate is not plausible ({}/{} a second, at most {}).",
                                        numerator, denominator, kMaxRate)});
}

// Checks the request of a stream of textures.
void check_texture(const v1::OpenStream& open, std::vector<Violation>& found) {
  const v1::TextureStream& texture = open.texture();
  if (options::block_side(texture.source()) == 0)
    found.push_back({"open.texture.source",
                     fmt::format("The textures' format is not known ({}).", int(texture.source()))});
  const auto side = [&](const char* field, int value) {
    if (value >= 1 && value <= kMaxTextureSide) return;
    found.push_back({fmt::format("open.texture.{}", field),
                     fmt::format("The textures' {} is out of range ({}, allowed 1 to {}).", field, value,
                                 kMaxTextureSide)});
  };
  side("width", texture.width());
  side("height", texture.height());
  if (texture.kind() == v1::TEXTURE_KIND_AUTO)
    found.push_back({"open.texture.kind",
                     "The kind of a stream's textures cannot be derived from a name; set the kind."});
  if (open.settings().stream_class() == v1::STREAM_CLASS_REALTIME)
    found.push_back(
        {"open.settings.stream_class",
         "Textures have no deadline; open the stream as a normal one, which leaves frames that have "
         "one their time."});
  if (open.filters_size() > 0)
    found.push_back(
        {"open.filters", "Filters are for frames; a stream of textures doubles them. Leave them out."});
  if (open.has_format())
    found.push_back({"open.format", "A stream of textures has no frame format; leave it out."});
}

// The slots for frames, or for the pictures made from them. Slots start at page boundaries.
struct SlotsPlan {
  int slots = 0;
  int64_t slot_bytes = 0;
};

SlotsPlan lay_out(int64_t bytes, int per_frame) {
  const int64_t slot_bytes = (bytes + kSlotAlignment - 1) / kSlotAlignment * kSlotAlignment;
  const int64_t frames = std::clamp<int64_t>(kFrameSlotsBytes / slot_bytes, kMinSlots, kMaxFrameSlots);
  return {int(frames) * per_frame, slot_bytes};
}

// Returns the maximum number of pictures made from one frame. Both rates are positive.
int64_t pictures_per_frame(const v1::FrameRate& pictures, const v1::FrameRate& frames) {
  const int64_t numerator = int64_t{pictures.numerator()} * frames.denominator();
  const int64_t denominator = int64_t{pictures.denominator()} * frames.numerator();
  return (numerator + denominator - 1) / denominator;
}

}  // namespace

StatusOr<StreamPlan> plan_stream(const v1::OpenStream& open) {
  std::vector<Violation> found = options::validate(open, "open");
  if (open.frames() < 0)
    found.push_back({"open.frames", fmt::format("The number of frames is negative ({}).", open.frames())});
  const bool has_textures = options::carries_textures(open);
  if (has_textures)
    check_texture(open, found);
  else
    check_format(open.format(), found);
  check_rate(open, found);
  check_textures(open, found);
  RETURN_IF_ERROR(options::to_status(found));

  StreamPlan plan;
  plan.open = open;
  options::apply_defaults(plan.open);
  if (!has_textures) plan.open.clear_texture();  // apply_defaults has created it
  if (plan.open.frame_rate().numerator() == 0 || plan.open.frame_rate().denominator() == 0) {
    plan.open.mutable_frame_rate()->set_numerator(kUsualRate);
    plan.open.mutable_frame_rate()->set_denominator(1);
  }
  const v1::TextureStream& texture = open.texture();
  plan.frame_bytes = has_textures
                         ? options::texture_bytes(texture.source(), texture.width(), texture.height())
                         : int64_t(options::to_format(open.format()).packed_bytes());
  if (plan.frame_bytes > kMaxFrameBytes)
    return options::to_status(
        {{has_textures ? "open.texture" : "open.format",
          fmt::format("A {} is too large ({} bytes, at most {}); use a file and a job.",
                      has_textures ? "texture" : "frame", plan.frame_bytes, kMaxFrameBytes)}});
  const SlotsPlan frames = lay_out(plan.frame_bytes, 1);
  plan.ring.set_frame_slots(frames.slots);
  plan.ring.set_frame_slot_bytes(frames.slot_bytes);
  return plan;
}

namespace {

// Returns the bytes of a texture's levels, or -1 if the values are inconsistent.
int64_t bytes_of(const v1::TexturePictures& pictures) {
  if (options::block_side(pictures.format()) == 0) return -1;
  int64_t bytes = 0;
  for (const v1::TextureLevel& level : pictures.levels()) {
    if (level.width() < 1 || level.width() > 2 * kMaxTextureSide || level.height() < 1 ||
        level.height() > 2 * kMaxTextureSide || level.offset() != bytes ||
        level.bytes() != options::texture_bytes(pictures.format(), level.width(), level.height()))
      return -1;
    bytes += level.bytes();
  }
  return bytes > 0 ? bytes : -1;
}

}  // namespace

Status plan_pictures(StreamPlan& plan, const internal::v1::StreamStarted& started) {
  std::vector<Violation> found;
  const bool has_textures = options::carries_textures(plan.open);
  if (!has_textures) check_format(started.format(), found);
  plan.picture_bytes = has_textures ? bytes_of(started.texture()) : 0;
  const v1::FrameRate& rate = started.picture_rate();
  plan.held_bytes = started.held_bytes();
  if (!found.empty() || plan.picture_bytes < 0 || plan.held_bytes < 0 || rate.numerator() <= 0 ||
      rate.denominator() <= 0)
    return internal_error("The worker's plan of a stream's pictures is inconsistent ({}).",
                          started.ShortDebugString());
  const int64_t per_frame = pictures_per_frame(rate, plan.open.frame_rate());
  if (per_frame > kMaxPicturesPerFrame)
    return resource_exhausted("A frame of the stream becomes too many pictures ({}, at most {}).", per_frame,
                              kMaxPicturesPerFrame);
  if (!has_textures) plan.picture_bytes = int64_t(options::to_format(started.format()).packed_bytes());
  if (plan.picture_bytes > kMaxFrameBytes)
    return resource_exhausted(
        "A picture of the stream is too large ({} bytes, at most {}); use a file and a job.",
        plan.picture_bytes, kMaxFrameBytes);
  const SlotsPlan pictures = lay_out(plan.picture_bytes, int(per_frame));
  plan.ring.set_picture_slots(pictures.slots);
  plan.ring.set_picture_slot_bytes(pictures.slot_bytes);
  return ok_status();
}

}  // namespace weft::streams
