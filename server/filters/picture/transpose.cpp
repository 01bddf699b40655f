// SPDX-License-Identifier: Apache-2.0
// Registers transpose, which turns and mirrors pictures.
#include <utility>

#include "kernels/picture/turn.kernel"
#include "server/filters/nodes/layout_node.h"
#include "server/filters/nodes/pixel_pass.h"
#include "server/filters/nodes/resize_kernels.h"
#include "server/filters/nodes/size_option.h"
#include "weft/v1/geometry.pb.h"

namespace weft::filters::registered {
namespace {

using Params = kernels::turn::Params;

// The steps in order: rows become columns, columns are mirrored, rows are mirrored.
struct Reorientation {
  bool is_turned = false, flips_x = false, flips_y = false;
};
Reorientation turn_of(v1::TransposeTurn turn) {
  switch (turn) {
    case v1::TRANSPOSE_TURN_CCLOCK:
      return {true, false, true};
    case v1::TRANSPOSE_TURN_HALF:
      return {false, true, true};
    case v1::TRANSPOSE_TURN_CLOCK_FLIP:
      return {true, true, true};
    case v1::TRANSPOSE_TURN_CCLOCK_FLIP:
      return {true, false, false};
    case v1::TRANSPOSE_TURN_HFLIP:
      return {false, true, false};
    case v1::TRANSPOSE_TURN_VFLIP:
      return {false, false, true};
    default:
      return {true, true, false};
  }
}

StatusOr<PortFormat> turned(const FilterContext& context, const PortFormat& format,
                            const Reorientation& turn) {
  if (!turn.is_turned) return format;
  const Size size = size_of(format);
  PortFormat result = resized(format, {size.height, size.width});
  if (format.kind != PortKind::kPicture) return result;
  Chroma& chroma = result.video.chroma;
  if (chroma == Chroma::k411)
    return context.blame(
        "turn", invalid_argument(
                    "Pictures of 4:1:1 cannot be turned by a quarter, as chroma would have a quarter of the "
                    "rows; convert them to 4:2:2 or 4:4:4 first."));
  if (chroma == Chroma::k422 || chroma == Chroma::k440)
    chroma = chroma == Chroma::k422 ? Chroma::k440 : Chroma::k422;
  return result;
}

// Returns the chroma siting after rotation, or unknown if H.273 has no value for it, as for samples
// at the right.
ChromaSiting turned_site(ChromaSiting site, const Reorientation& turn, const VideoFormat& format) {
  const ChromaOffset from = chroma_offset(v1::CHROMA_POSITION_AUTO, site);
  ChromaOffset siting = from;
  if (turn.is_turned) std::swap(siting.x, siting.y);
  if (turn.flips_x) siting.x = 1 - siting.x;
  if (turn.flips_y) siting.y = 1 - siting.y;
  if (columns_of_chroma(format.chroma) == 1) siting.x = 0;
  if (rows_of_chroma(format.chroma) == 1) siting.y = 0.5;
  if (siting.x == from.x && siting.y == from.y) return site;
  for (const auto candidate : {ChromaSiting::kLeft, ChromaSiting::kCentre, ChromaSiting::kTopLeft,
                               ChromaSiting::kTop, ChromaSiting::kBottomLeft, ChromaSiting::kBottom}) {
    const ChromaOffset known = chroma_offset(v1::CHROMA_POSITION_AUTO, candidate);
    if (known.x == siting.x && known.y == siting.y) return candidate;
  }
  return ChromaSiting::kUnknown;
}

class TurnNode final : public Node {
 public:
  TurnNode(NodeDescriptor descriptor, const Reorientation& turn, const device::Kernel* kernel)
      : descriptor_(std::move(descriptor)), turn_(turn), kernel_(kernel) {}

  const NodeDescriptor& descriptor() const override { return descriptor_; }
  void enqueue(device::Stream& stream, const Step& step) override {
    Params params = {};
    set_slot_params(step, 1, element_bytes(step.inputs[0]->format), params);
    params.layouts = device::at<kernels::turn::Table>(*step.layouts, step.layouts_offset_bytes);
    params.is_turned = turn_.is_turned ? 1 : 0;
    params.flips_x = turn_.flips_x ? 1 : 0;
    params.flips_y = turn_.flips_y ? 1 : 0;
    const device::Grid samples = grid_of(step.outputs[0]->format, step.units, 1);
    const auto tiles = [](uint32_t side) { return (side + TILE - 1) / TILE; };
    stream.launch(*kernel_, {tiles(samples.x) * kernel_->shape().block_x, tiles(samples.y), samples.z},
                  params);
  }

 private:
  NodeDescriptor descriptor_;
  Reorientation turn_;
  const device::Kernel* kernel_;
};

StatusOr<Port> expand(const FilterContext& context, const v1::Transpose& options, Network& network,
                      Port input) {
  const PortFormat format = network.format(input);
  const Reorientation turn = turn_of(options.turn());
  PictureProperties properties = network.properties(input);
  if (properties.interlaced && (turn.is_turned || turn.flips_y))
    return context.blame(
        "turn", invalid_argument(
                    "The video is interlaced, and its fields would be no rows any more, or change places; "
                    "deinterlace it first, such as with bwdif."));
  NodeDescriptor descriptor;
  descriptor.name = "transpose";
  descriptor.cost.operations = 10;
  descriptor.inputs = {Window{}};
  ASSIGN_OR_RETURN(const PortFormat result_format, turned(context, format, turn));
  descriptor.outputs = {result_format};
  const device::Kernel* kernel = nullptr;
  if (context.device != nullptr) {
    const size_t tile_bytes = size_t(TILE) * (TILE + 1) * size_t(element_bytes(format));
    ASSIGN_OR_RETURN(kernel,
                     context.device->load(fmt::format("picture/turn.{}", element_name(format)), tile_bytes));
  }
  ASSIGN_OR_RETURN(const Port result,
                   network.add(std::make_unique<TurnNode>(std::move(descriptor), turn, kernel), {input}));
  if (turn.is_turned && properties.sample_aspect.numerator > 0)
    std::swap(properties.sample_aspect.numerator, properties.sample_aspect.denominator);
  if (format.kind == PortKind::kPicture)
    properties.chroma_siting = turned_site(properties.chroma_siting, turn, result_format.video);
  if (properties.quantisers != QuantiserScale::kNone) properties.quantisers = QuantiserScale::kMisplaced;
  network.set_properties(result, properties);
  return with_result_pixels(context, network, result);
}

constexpr Case kCases[] = {
    {"", {97, 65, Chroma::k420, 8}},
    {"turn: TRANSPOSE_TURN_CCLOCK", {64, 48, Chroma::k422, 10}},
    {"turn: TRANSPOSE_TURN_HALF", {37, 50, Chroma::k411, 16}},
    {"turn: TRANSPOSE_TURN_CLOCK_FLIP", {37, 50, Chroma::k444, 16}},
    {"turn: TRANSPOSE_TURN_CCLOCK_FLIP", {61, 39, Chroma::k410, 8}},
    {"turn: TRANSPOSE_TURN_HFLIP", {97, 65, Chroma::k420, 8}},
    {"turn: TRANSPOSE_TURN_VFLIP", {34, 27, Chroma::k440, 12}},
};

}  // namespace

extern const Registration kTranspose;
const Registration kTranspose = registration<v1::Transpose, expand>({.takes_images = true}, kCases);

}  // namespace weft::filters::registered
