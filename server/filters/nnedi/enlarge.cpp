// SPDX-License-Identifier: Apache-2.0
// Registers enlarge, which doubles the size by the edge network. The network interpolates rows
// between the rows and then, on the transposed picture, columns between the columns. The original
// samples are then the upper left of each four samples. A resampling moves all samples by half a
// sample to the upper left, to the positions of a picture of twice the size. Chroma moves according
// to its siting.
#include "kernels/nnedi/spread.kernel"
#include "server/filters/nnedi/nnedi.h"
#include "server/filters/nnedi/nnedi_choice.h"
#include "server/filters/nodes/layout_node.h"
#include "server/filters/nodes/resize_kernels.h"
#include "server/filters/picture/resize.h"

namespace weft::filters::registered {
namespace {

using Spread = kernels::spread::Params;

StatusOr<Port> with_rows(const FilterContext& context, Network& network, Port input,
                         const nnedi::NnediOptions& options) {
  LayoutNode<Spread>::Parts parts;
  VideoFormat format = network.format(input).video;
  const std::string kernel = fmt::format("nnedi/spread.{}", sample_name(format));
  format.height *= 2;
  parts.descriptor.name = "spread";
  parts.descriptor.inputs = {Window{}};
  parts.descriptor.outputs = {PortFormat::picture(format)};
  parts.descriptor.cost.frames_written = 2;
  parts.descriptor.cost.operations = 4;
  parts.complete = [](const Step&, Spread&) {};
  ASSIGN_OR_RETURN(const Port spread,
                   add_layout_node<Spread>(context, network, {input}, kernel, std::move(parts)));
  return nnedi::add_nnedi_of_top_rows(context, network, spread, options);
}

StatusOr<Port> turned(const FilterContext& context, Network& network, Port input) {
  v1::Transpose turn;
  turn.set_turn(v1::TRANSPOSE_TURN_CCLOCK_FLIP);
  return expand_filter(context, turn, network, input);
}

// Returns the distance of a side's doubled samples from their correct position. `siting` is that of
// ChromaOffset; `step` is the number of luma samples per sample.
double shift_of(int step, double siting) { return -(siting * (step - 1) + 0.5) / step; }

StatusOr<Port> expand(const FilterContext& context, const v1::Enlarge& options, Network& network,
                      Port input) {
  const PictureProperties properties = network.properties(input);
  const VideoFormat format = network.format(input).video;
  if (properties.interlaced)
    return context.blame(
        "", invalid_argument("The video is interlaced, and rows between those of two fields would mix them; "
                             "deinterlace it first, such as with nnedi."));
  if (format.chroma == Chroma::k411)
    return context.blame("",
                         invalid_argument("Pictures of 4:1:1 cannot be doubled, as columns are made on the "
                                          "turned picture; convert them to 4:2:2 or 4:4:4 first."));
  if (std::max(format.width, format.height) > kMaxPictureSide / 2)
    return context.blame("",
                         invalid_argument("The picture ({}x{}) doubled is larger than filters take ({} in "
                                          "either direction).",
                                          format.width, format.height, kMaxPictureSide));
  ASSIGN_OR_RETURN(const nnedi::NnediOptions choice, nnedi::choice_of(context, options, network));
  ASSIGN_OR_RETURN(const Port rows, with_rows(context, network, input, choice));
  ASSIGN_OR_RETURN(const Port upended, turned(context, network, rows));
  ASSIGN_OR_RETURN(const Port both, with_rows(context, network, upended, choice));
  ASSIGN_OR_RETURN(const Port upright, turned(context, network, both));
  const ChromaOffset chroma = chroma_offset(options.chroma_position(), properties.chroma_siting);
  const PictureShift shift{{shift_of(1, 0), shift_of(1, 0)},
                           {shift_of(columns_of_chroma(format.chroma), chroma.x),
                            shift_of(rows_of_chroma(format.chroma), chroma.y)}};
  v1::Resize resize;
  resize.set_kernel(v1::RESIZE_KERNEL_SPLINE36);
  resize.set_chroma_position(options.chroma_position());
  ASSIGN_OR_RETURN(const Port result, add_shift(context, network, upright, resize, shift));
  PictureProperties known = properties;
  known.chroma_siting = chroma_siting(options.chroma_position(), properties.chroma_siting);
  network.set_properties(result, known);
  return result;
}

constexpr Case kCases[] = {
    {"network: NNEDI_NETWORK_FAST", {37, 25, Chroma::k420, 8}},
    {"network: NNEDI_NETWORK_FAST chroma_position: CHROMA_POSITION_TOP_LEFT", {24, 18, Chroma::k422, 10}},
};

}  // namespace

extern const Registration kEnlarge;
// A code value that differs after the first network may change the result of the second one, and
// that of the resampling, by another code value.
const Registration kEnlarge = registration<v1::Enlarge, expand>({}, kCases, 0, 0.15, 2);

}  // namespace weft::filters::registered
