// SPDX-License-Identifier: Apache-2.0
#include "server/streams/plan.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/video_format.h"
#include "options/validate.h"
#include "options/values.h"
#include "options/visit.h"
#include "server/streams/limits.h"

namespace weft::streams {
namespace {

using options::Violation;

constexpr int64_t kSlotAlignment = 4096;  // slots begin on pages
constexpr int kUsualRate = 25;            // where none is given and none is needed
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

void check_rate(const v1::OpenStream& open, std::vector<Violation>& found) {
  const int numerator = open.frame_rate().numerator();
  const int denominator = open.frame_rate().denominator();
  if (numerator == 0 || denominator == 0) {
    if (open.settings().stream_class() == v1::STREAM_CLASS_REALTIME)
      found.push_back(
          {"open.frame_rate", "A realtime stream needs its frame rate; say how many frames come a second."});
    return;
  }
  // Twice the rate is written as a ratio of the same kind.
  const bool fits = numerator > 0 && denominator > 0 && numerator <= std::numeric_limits<int>::max() / 2;
  if (!fits || numerator / denominator > kMaxRate)
    found.push_back(
        {"open.frame_rate", fmt::format("The frame rate is not plausible ({}/{} a second, at most {}).",
                                        numerator, denominator, kMaxRate)});
}

VideoFormat to_format(const v1::FrameFormat& format) {
  constexpr Chroma kChroma[] = {Chroma::kGray, Chroma::kGray, Chroma::k420, Chroma::k422, Chroma::k444};
  return {format.width(), format.height(), kChroma[format.chroma()], format.bit_depth()};
}

internal::v1::RingLayout lay_out(int64_t frame_bytes, int pictures_per_frame) {
  internal::v1::RingLayout ring;
  const int64_t slot_bytes = (frame_bytes + kSlotAlignment - 1) / kSlotAlignment * kSlotAlignment;
  const int64_t slots = std::clamp<int64_t>(kFrameSlotsBytes / slot_bytes, kMinSlots, kMaxFrameSlots);
  ring.set_frame_slots(int(slots));
  ring.set_frame_slot_bytes(slot_bytes);
  ring.set_picture_slots(int(slots) * pictures_per_frame);
  ring.set_picture_slot_bytes(slot_bytes);
  return ring;
}

// Two where a filter makes a picture of each field.
int pictures_per_frame(const v1::OpenStream& open) {
  bool doubles = false;
  options::visit_options(
      open, "open",
      [&](const google::protobuf::Message& holder, const options::Option& option, const std::string&) {
        if (option.field().enum_type() == v1::OutputRate_descriptor())
          doubles =
              doubles || options::format_value(holder, option) == options::choice_name(v1::OUTPUT_RATE_FIELD);
      });
  return doubles ? 2 : 1;
}

}  // namespace

StatusOr<StreamPlan> plan_stream(const v1::OpenStream& open) {
  std::vector<Violation> found = options::validate(open, "open");
  if (open.frames() < 0)
    found.push_back({"open.frames", fmt::format("The number of frames is negative ({}).", open.frames())});
  check_format(open.format(), found);
  check_rate(open, found);
  RETURN_IF_ERROR(options::to_status(found));

  StreamPlan plan;
  plan.open = open;
  options::apply_defaults(plan.open);
  if (plan.open.frame_rate().numerator() == 0 || plan.open.frame_rate().denominator() == 0) {
    plan.open.mutable_frame_rate()->set_numerator(kUsualRate);
    plan.open.mutable_frame_rate()->set_denominator(1);
  }
  plan.frame_bytes = int64_t(to_format(open.format()).packed_bytes());
  plan.picture_bytes = plan.frame_bytes;  // filters of streams keep the format
  if (plan.frame_bytes > kMaxFrameBytes)
    return options::to_status(
        {{"open.format", fmt::format("A frame is too large ({} bytes, at most {}); use a file and a job.",
                                     plan.frame_bytes, kMaxFrameBytes)}});
  plan.ring = lay_out(plan.frame_bytes, pictures_per_frame(plan.open));
  return plan;
}

}  // namespace weft::streams
