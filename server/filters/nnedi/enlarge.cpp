// SPDX-License-Identifier: Apache-2.0
// Twice the size by the edge network: rows between the rows, then, on the turned picture, columns between the columns. The samples that were there
// are the first of each four then, at its upper left; a picture of twice the size has its samples half a sample up and left of that, to where a
// resampling moves them. Chroma moves by what its place between luma samples asks for.
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

// How far the doubled samples of a side lie from where they belong; `place` as ChromaPlace has it, of `step` luma samples.
double shift_of(int step, double place) { return -(place * (step - 1) + 0.5) / step; }

StatusOr<Port> expand(const FilterContext& context, const v1::Enlarge& options, Network& network,
                      Port input) {
  const PictureProperties facts = network.facts(input);
  const VideoFormat format = network.format(input).video;
  if (facts.interlaced)
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
  const ChromaPlace chroma = chroma_place(options.chroma_position(), facts.chroma_site);
  const PictureShift shift{{shift_of(1, 0), shift_of(1, 0)},
                           {shift_of(columns_of_chroma(format.chroma), chroma.x),
                            shift_of(rows_of_chroma(format.chroma), chroma.y)}};
  v1::Resize resize;
  resize.set_kernel(v1::RESIZE_KERNEL_SPLINE36);
  resize.set_chroma_position(options.chroma_position());
  ASSIGN_OR_RETURN(const Port result, add_shift(context, network, upright, resize, shift));
  PictureProperties known = facts;
  known.chroma_site = chroma_site(options.chroma_position(), facts.chroma_site);
  network.set_facts(result, known);
  return result;
}

constexpr Case kCases[] = {
    {"network: NNEDI_NETWORK_FAST", {37, 25, Chroma::k420, 8}},
    {"network: NNEDI_NETWORK_FAST chroma_position: CHROMA_POSITION_TOP_LEFT", {24, 18, Chroma::k422, 10}},
};

}  // namespace

extern const Registration kEnlarge;
// A code that the first network gave another way may move what the second makes of it, and the resampling, by a code more.
const Registration kEnlarge = registration<v1::Enlarge, expand>({}, kCases, 0, 0.15, 2);

}  // namespace weft::filters::registered
