// SPDX-License-Identifier: Apache-2.0
// Registers merge, which mixes two chains by a mask from the result of the first one.
#include <cmath>

#include "kernels/picture/mask.kernel"
#include "server/filters/nodes/blend.h"
#include "server/filters/nodes/layout_node.h"
#include "weft/v1/filters.pb.h"

namespace weft::filters::registered {
namespace {

StatusOr<Port> add_chain(const FilterContext& merge, const v1::Merge& options, Network& network, Port input,
                         const char* name) {
  FilterContext context = merge;
  context.path = fmt::format("{}.{}", merge.path, name);
  context.alternative = -1;
  return expand_chain(context, filters_of(options, name), network, input);
}

Status check_alike(const FilterContext& context, const Network& network, Port a, Port b) {
  if (!(network.format(a) == network.format(b)))
    return context.blame(
        "b", invalid_argument(
                 "The two chains give different pictures ({} and {}), which cannot be mixed; let both "
                 "change the size and the format alike.",
                 network.format(a).text(), network.format(b).text()));
  const PictureProperties &first = network.properties(a), &second = network.properties(b);
  if (first.colour != second.colour || first.chroma_siting != second.chroma_siting ||
      first.interlaced != second.interlaced)
    return context.blame(
        "b", invalid_argument(
                 "The two chains give pictures whose codes mean different things (their matrix, range, "
                 "place of chroma or fields), which cannot be mixed; let both change them alike."));
  return ok_status();
}

StatusOr<Port> add_mask(const FilterContext& context, const v1::Merge& options, Network& network,
                        Port pictures) {
  using Params = kernels::mask::Params;
  const VideoFormat format = network.format(pictures).video;
  const double quarters = 4.0 * (1 << (format.bit_depth - 8));
  const int low = int(std::lround(options.low() * quarters));
  const int high = std::max(int(std::lround(options.high() * quarters)), low + 1);
  LayoutNode<Params>::Parts parts;
  parts.descriptor.name = "mask";
  parts.descriptor.inputs = {Window{}};
  parts.descriptor.outputs = {PortFormat::picture({format.width, format.height, Chroma::kGray, 8})};
  parts.descriptor.cost = {.frames_read = 0.7, .frames_written = 0.7, .operations = 30};
  parts.complete = [=, is_luma = options.mask() == v1::MERGE_MASK_LUMA](const Step&, Params& params) {
    params.is_luma = is_luma ? 1 : 0;
    params.low = low;
    params.high = high;
  };
  return add_layout_node<Params>(context, network, {pictures},
                                 fmt::format("picture/mask.{}", sample_name(format)), std::move(parts));
}

StatusOr<Port> expand(const FilterContext& context, const v1::Merge& options, Network& network, Port input) {
  if (options.low() >= options.high())
    return context.blame(
        "high",
        invalid_argument("The mask is full from {} on and empty up to {}; let 'high' be more than 'low'.",
                         options.high(), options.low()));
  ASSIGN_OR_RETURN(const Port a, add_chain(context, options, network, input, "a"));
  ASSIGN_OR_RETURN(const Port b, add_chain(context, options, network, input, "b"));
  RETURN_IF_ERROR(check_alike(context, network, a, b));
  ASSIGN_OR_RETURN(const Port mask, add_mask(context, options, network, a));
  const StatusOr<Port> result = add_blend(context, network, a, b, mask);
  return result.ok() ? result : context.blame("b", result.status());
}

constexpr Case kCases[] = {
    {"b { edgelevel { strength: 60 threshold: 2 } }", {97, 65, Chroma::k420, 8}},
    {"mask: MERGE_MASK_LUMA low: 40 high: 200.7 a { temporal_nr { distance: 1 threshold: 40 } } b { deband { "
     "threshold: 90 } }",
     {64, 48, Chroma::k422, 10}},
    {"low: 0 high: 255 a { bob {} } b { bwdif {} }", {37, 50, Chroma::k444, 16}},
    {"a { resize { size: '31x44' } } b { resize { size: '31x44' kernel: RESIZE_KERNEL_POINT } } b { deband { "
     "threshold: 20 } }",
     {64, 48, Chroma::k411, 8}},
};

}  // namespace

extern const Registration kMerge;
const Registration kMerge = registration<v1::Merge, expand>({}, kCases);

}  // namespace weft::filters::registered
