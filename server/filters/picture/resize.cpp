// SPDX-License-Identifier: Apache-2.0
// Registers resize, which resizes in two passes: rows, then columns.
//
// Sums are of integers, so that all devices produce the same result. Intermediates are 16-bit words
// with a fraction if that keeps the result within one code value of a computation in doubles: for
// up to 10 bits, kernels with a sum of absolute weights of at most 1.9, and a bounded number of
// weights. Otherwise they are 32-bit words, with sums of 64 bits.
#include "server/filters/picture/resize.h"

#include <array>
#include <numeric>

#include "kernels/picture/resize_columns.kernel"
#include "kernels/picture/resize_rows.kernel"
#include "server/filters/nodes/layout_node.h"
#include "server/filters/nodes/pixel_pass.h"
#include "server/filters/nodes/resize_kernels.h"
#include "server/filters/nodes/size_option.h"

namespace weft::filters::registered {
namespace {

// bits of weights: WEIGHT_BITS of kernels/picture/resize.h
constexpr int kNarrowBits = 16, kWideBits = 26;
constexpr int kNarrowDepth = 14, kWideFraction = 8;

// A pass over one side of all planes.
struct Pass {
  std::vector<FilterWeights> planes;
  bool is_rows = false;

  // Returns true if 16-bit intermediates are exact enough for this pass.
  bool is_narrow(int bit_depth) const {
    for (const FilterWeights& plane : planes)
      if (plane.largest_sum() > 1.9 || plane.taps << bit_depth > 32768) return false;
    return bit_depth <= 10;
  }
};

// The data that both passes share: formats, and the layout of the intermediate samples.
struct ResizePlan {
  VideoFormat from, to;
  PictureShift shift{};
  bool is_wide = false;

  // Returns the format between the passes, with the new width and the old height.
  VideoFormat middle() const { return {to.width, from.height, to.chroma, is_wide ? 16 : kNarrowDepth}; }
  size_t middle_samples(int planes) const {
    size_t samples = 0;
    for (int plane = 0; plane < planes; plane++)
      samples += size_t(middle().plane_width(plane)) * size_t(middle().plane_height(plane));
    return samples;
  }
  PortFormat middle_port() const {
    if (!is_wide) return PortFormat::picture(middle());
    return PortFormat::data("resized rows", middle_samples(from.planes()) * sizeof(int32_t));
  }
  int fraction() const { return is_wide ? kWideFraction : kNarrowDepth - 1 - from.bit_depth; }
};

Pass make_pass(const v1::Resize& options, const ResizePlan& plan, const ChromaOffset& chroma, bool is_rows) {
  Pass pass{{}, is_rows};
  for (int plane = 0; plane < plan.from.planes(); plane++) {
    Side side;
    side.from = is_rows ? plan.from.plane_width(plane) : plan.from.plane_height(plane);
    side.to = is_rows ? plan.to.plane_width(plane) : plan.to.plane_height(plane);
    side.luma_from = is_rows ? plan.from.width : plan.from.height;
    side.luma_to = is_rows ? plan.to.width : plan.to.height;
    if (plane > 0) {
      side.step = is_rows ? columns_of_chroma(plan.from.chroma) : rows_of_chroma(plan.from.chroma);
      side.siting = is_rows ? chroma.x : chroma.y;
    }
    const SampleShift& shift = plane == 0 ? plan.shift.luma : plan.shift.chroma;
    side.shift = is_rows ? shift.x : shift.y;
    pass.planes.push_back(filter_weights(options, side));
  }
  return pass;
}

// Returns the table of kernels/picture/resize.h. In a pass over rows the weights are sorted by tap
// and then by position, because adjacent lanes process adjacent columns.
std::vector<int32_t> table_of(const Pass& pass, const ResizePlan& plan) {
  std::vector<int32_t> table(pass.planes.size() * FILTER_INTS, 0);
  for (size_t plane = 0; plane < pass.planes.size(); plane++) {
    const FilterWeights& filter = pass.planes[plane];
    const std::vector<int> weights = fixed_weights(filter, plan.is_wide ? kWideBits : kNarrowBits);
    const size_t sides = filter.first.size(), taps = size_t(filter.taps);
    const std::array<size_t, 6> head{taps,
                                     table.size(),
                                     table.size() + sides,
                                     sides,
                                     plan.middle_samples(int(plane)),
                                     size_t(plan.middle().plane_width(int(plane)))};
    for (size_t i = 0; i < head.size(); i++) table[plane * FILTER_INTS + i] = int32_t(head[i]);
    table.insert(table.end(), filter.first.begin(), filter.first.end());
    for (size_t i = 0; i < weights.size(); i++)
      table.push_back(pass.is_rows ? weights[i % sides * taps + i / sides] : weights[i]);
  }
  return table;
}

// Implements one pass as a node. The kernel has a separate grid, because the intermediates may not
// be a picture.
template <class Params>
class ResizePass final : public Node {
 public:
  struct Parts {
    NodeDescriptor descriptor;
    const device::Kernel* kernel = nullptr;
    int run = 1;
    Constants weights;
    ResizePlan plan;
    VideoFormat grid;  // size of the processed samples
  };
  explicit ResizePass(Parts parts) : parts_(std::move(parts)) {}

  const NodeDescriptor& descriptor() const override { return parts_.descriptor; }
  void enqueue(device::Stream& stream, const Step& step) override {
    Params params = {};
    set_slot_params(step, parts_.run, parts_.plan.from.sample_bytes(), params);
    params.layouts = device::at<decltype(Params::layouts)>(*step.layouts, step.layouts_offset_bytes);
    params.weights = device::at<decltype(Params::weights)>(*parts_.weights);
    params.half_code = 1 << (parts_.plan.from.bit_depth - 1);
    params.fraction = parts_.plan.fraction();
    params.maximum = (1 << parts_.plan.from.bit_depth) - 1;
    stream.launch(*parts_.kernel, picture_grid(parts_.grid, step.units, parts_.run), params);
  }

 private:
  Parts parts_;
};

template <class Params>
StatusOr<Port> add_pass(const FilterContext& context, Network& network, Port input, const ResizePlan& plan,
                        const Pass& pass) {
  typename ResizePass<Params>::Parts parts;
  parts.descriptor.name = pass.is_rows ? "resize_rows" : "resize_columns";
  parts.descriptor.cost.operations = 150;
  parts.descriptor.inputs = {Window{}};
  parts.descriptor.outputs = {pass.is_rows ? plan.middle_port() : PortFormat::picture(plan.to)};
  const std::string kernel = fmt::format("picture/{}.{}{}", parts.descriptor.name, sample_name(plan.from),
                                         plan.is_wide ? ".wide" : "");
  ASSIGN_OR_RETURN(parts.kernel, context.load(kernel));
  const std::vector<int32_t> table = table_of(pass, plan);
  ASSIGN_OR_RETURN(parts.weights, make_constants_of(context, std::span<const int32_t>(table)));
  parts.run = run_of(context);
  parts.plan = plan;
  parts.grid = pass.is_rows ? plan.middle() : plan.to;
  return network.add(std::make_unique<ResizePass<Params>>(std::move(parts)), {input});
}

// Returns the sample aspect ratio that keeps the display aspect.
Rate kept_aspect(const Rate& aspect, const Size& from, const Size& to) {
  if (aspect.numerator <= 0 || aspect.denominator <= 0) return aspect;
  int64_t across = int64_t(from.width) * to.height, up = int64_t(from.height) * to.width;
  const int64_t common = std::gcd(across, up);
  across = across / common * aspect.numerator;
  up = up / common * aspect.denominator;
  const int64_t divisor = std::gcd(across, up);
  across /= divisor;
  up /= divisor;
  while (std::max(across, up) > INT32_MAX) across = (across + 1) / 2, up = (up + 1) / 2;
  return {int(across), int(up)};
}

StatusOr<Port> add_passes(const FilterContext& context, Network& network, Port input,
                          const v1::Resize& options, ResizePlan plan) {
  const ChromaOffset chroma =
      chroma_offset(options.chroma_position(), network.properties(input).chroma_siting);
  const Pass rows = make_pass(options, plan, chroma, true), columns = make_pass(options, plan, chroma, false);
  for (const Pass* pass : {&rows, &columns})
    for (const FilterWeights& plane : pass->planes)
      RETURN_IF_ERROR(context.blame("kernel", check_weights(plane)));
  plan.is_wide = !rows.is_narrow(plan.from.bit_depth) || !columns.is_narrow(plan.from.bit_depth);
  ASSIGN_OR_RETURN(const Port middle,
                   add_pass<kernels::resize_rows::Params>(context, network, input, plan, rows));
  return add_pass<kernels::resize_columns::Params>(context, network, middle, plan, columns);
}

StatusOr<Port> expand_video(const FilterContext& context, const v1::Resize& options, Network& network,
                            Port input, const Size& size) {
  PictureProperties properties = network.properties(input);
  if (properties.interlaced)
    return context.blame(
        "", invalid_argument("The video is interlaced, and resizing would mix the two fields of its frames; "
                             "deinterlace it first, such as with bwdif."));
  ResizePlan plan;
  plan.from = network.format(input).video;
  plan.to = resized(network.format(input), size).video;
  ASSIGN_OR_RETURN(const Port result, add_passes(context, network, input, options, plan));
  properties.chroma_siting = chroma_siting(options.chroma_position(), properties.chroma_siting);
  network.set_properties(result, properties);
  return result;
}

StatusOr<Port> expand(const FilterContext& context, const v1::Resize& options, Network& network, Port input) {
  const PortFormat format = network.format(input);
  const StatusOr<Size> size = parse_size(options.size(), size_of(format));
  RETURN_IF_ERROR(context.blame("size", size.status()));
  ASSIGN_OR_RETURN(const Port result,
                   format.kind == PortKind::kPicture
                       ? expand_video(context, options, network, input, *size)
                       : add_pixel_resize(context, network, input, options, size->width, size->height));
  PictureProperties properties = network.properties(result);
  properties.sample_aspect = kept_aspect(properties.sample_aspect, size_of(format), *size);
  network.set_properties(result, properties);
  return result;
}

constexpr Case kCases[] = {
    {"size: '60x40'", {97, 65, Chroma::k420, 8}},
    {"size: '131x-1' kernel: RESIZE_KERNEL_BICUBIC b: 0 c: 0.75 chroma_position: CHROMA_POSITION_TOP_LEFT",
     {64, 48, Chroma::k422, 10}},
    {"size: '-2x64' kernel: RESIZE_KERNEL_SPLINE36", {37, 50, Chroma::k444, 16}},
    {"size: '41x21' kernel: RESIZE_KERNEL_POINT", {64, 48, Chroma::k420, 8}},
    {"size: '100x7' kernel: RESIZE_KERNEL_BILINEAR chroma_position: CHROMA_POSITION_BOTTOM",
     {64, 48, Chroma::k411, 8}},
    {"size: '24x75' kernel: RESIZE_KERNEL_LANCZOS2", {64, 48, Chroma::k440, 12}},
    {"size: '97x71' kernel: RESIZE_KERNEL_LANCZOS4 chroma_position: CHROMA_POSITION_CENTRE",
     {64, 48, Chroma::k420, 9}},
    {"size: '63x48' kernel: RESIZE_KERNEL_SPLINE16", {64, 48, Chroma::k410, 8}},
    {"size: '64x99' kernel: RESIZE_KERNEL_SPLINE64", {64, 48, Chroma::kGray, 16}},
    {"size: '33x31' kernel: RESIZE_KERNEL_BLACKMAN taps: 6", {64, 48, Chroma::k420, 8}},
    {"size: '100x100' kernel: RESIZE_KERNEL_GAUSS sharpness: 12.5", {64, 48, Chroma::k420, 8}},
    {"size: '80x30' kernel: RESIZE_KERNEL_SINC taps: 16", {64, 48, Chroma::k420, 8}},
};

}  // namespace

extern const Registration kResize;
const Registration kResize = registration<v1::Resize, expand>({.takes_images = true}, kCases);

}  // namespace weft::filters::registered

namespace weft::filters {

StatusOr<Port> add_shift(const FilterContext& context, Network& network, Port pictures,
                         const v1::Resize& options, const PictureShift& shift) {
  const VideoFormat format = network.format(pictures).video;
  return registered::add_passes(context, network, pictures, options, {format, format, shift});
}

}  // namespace weft::filters
