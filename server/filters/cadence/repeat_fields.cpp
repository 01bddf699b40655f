// SPDX-License-Identifier: Apache-2.0
// Registers repeat_fields, the expansion of soft telecine.
#include "server/filters/cadence/repeat_fields.h"

#include <cmath>
#include <utility>

#include "kernels/video/repeat_fields.kernel"
#include "server/filters/cadence/field_repeats.h"
#include "server/filters/nodes/picture_node.h"
#include "weft/v1/decimate.pb.h"

namespace weft::filters {

Rate display_rate(const Rate& rate) {
  constexpr double kTolerance = 0.0006;  // 24 and 23.976 differ by 0.001
  constexpr Rate kFilm{24000, 1001}, kVideo{30000, 1001};
  if (rate.numerator <= 0) return rate;
  const auto value = [](const Rate& of) { return double(of.numerator) / of.denominator; };
  const auto is_near = [&](const Rate& other) {
    return std::abs(value(rate) - value(other)) <= kTolerance * value(other);
  };
  if (is_near({24, 1})) return {30, 1};
  const bool is_between = value(rate) > value(kFilm) && value(rate) < value(kVideo);
  return is_near(kFilm) || (is_between && !is_near({25, 1})) ? kVideo : rate;
}

StatusOr<Port> add_repeat_fields(const FilterContext& context, Network& network, Port pictures) {
  constexpr double kOperations = 1;  // of a sample
  using Params = kernels::repeat_fields::Params;
  FrameNode<Params>::Parts parts;
  parts.descriptor.name = "repeat_fields";
  parts.descriptor.inputs = {{.before = 1, .after = 0}};
  parts.descriptor.rule = by_field_repeats();
  parts.descriptor.cost.operations = kOperations;
  ASSIGN_OR_RETURN(const Port frames, add_frame_node<Params>(context, network, {pictures},
                                                             "video/repeat_fields", std::move(parts)));
  PictureProperties properties = network.properties(pictures);
  properties.interlaced = true;
  properties.progressive = false;
  properties.repeats_fields = false;
  properties.top_field_first = true;
  properties.frame_rate = display_rate(properties.frame_rate);
  network.set_properties(frames, properties);
  return frames;
}

namespace registered {
namespace {

StatusOr<Port> expand(const FilterContext& context, const v1::RepeatFields&, Network& network, Port input) {
  return add_repeat_fields(context, network, input);
}

constexpr Case kCases[] = {
    {"", {97, 65, Chroma::k420, 8}},
    {"", {64, 48, Chroma::k422, 10}},
};

}  // namespace

extern const Registration kRepeatFields;
const Registration kRepeatFields = registration<v1::RepeatFields, expand>({}, kCases);

}  // namespace registered
}  // namespace weft::filters
