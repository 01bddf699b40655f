// SPDX-License-Identifier: Apache-2.0
// Registers deblock, which removes blocks and ringing of MPEG-2 and H.264 by overlapped transforms
// with thresholds from the source's quantisers.
#include "kernels/denoise/deblock.kernel"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/denoise/deblock_sharpen.kernel"
#include "server/filters/nodes/layout_node.h"
#include "server/filters/nodes/node_of.h"
#include "server/filters/nodes/stencil.h"
#include "weft/v1/enhance.pb.h"

namespace weft::filters::registered {
namespace {

using Params = kernels::deblock::Params;
using SharpenParams = kernels::deblock_sharpen::Params;

// Half of the width of the ramp from no filtering to full filtering, in quantisers.
constexpr double kRamp = 5;
// Standard deviation of the blur before sharpening: the weights are 2^(-0.2 x^2).
constexpr double kBlur = 1.8994;

// Returns the threshold of a quantiser, for 8-bit samples: 0 or less up to thr - 5, and the
// quantiser times 4 + str, less 1, from thr + 5 on.
double threshold_of(const v1::Deblock& options, double quantiser) {
  const double thr = options.thr();
  const double slope = (thr + kRamp) / (2 * kRamp);
  const double begin = (kRamp * kRamp - thr * thr) / (2 * kRamp);
  return std::clamp(slope * quantiser + begin, 0.0, quantiser) * (4 + options.str()) - 1;
}

// Returns the quantiser of a coded value.
int quantiser_of(const v1::Deblock& options, QuantiserScale scale, int value) {
  if (scale != QuantiserScale::kLogarithmic || options.qpscale() != v1::DEBLOCK_QP_SCALE_LINEAR) return value;
  return int(std::lround(std::min(1.25 * std::exp2(value / 6.0), MOST_QUANTISERS - 1.0)));
}

// Returns the part of the sharpening, in 255ths, by eighths of the quantiser.
int sharpening_of(int quantiser) {
  constexpr std::array<int, 25> kParts = {0,   0,   0,   0,   0,   0,   0,   0,   0,   10,  50,  90, 120,
                                          150, 160, 170, 180, 190, 200, 210, 220, 230, 240, 245, 250};
  const size_t at = size_t(quantiser / 8);
  return at < kParts.size() ? kParts[at] : 255;
}

std::vector<float> constants_of(const v1::Deblock& options, QuantiserScale scale, int bit_depth) {
  std::vector<float> constants(DEBLOCK_CONSTANTS);
  for (int i = 0; i < MOST_QUANTISERS; i++) {
    constants[size_t(i)] = float(std::ldexp(threshold_of(options, i), bit_depth - 8));
    constants[size_t(SHARPENING_AT + i)] = float(sharpening_of(i));
  }
  for (int i = 0; i < CODED_VALUES; i++)
    constants[size_t(QUANTISERS_AT + i)] = float(quantiser_of(options, scale, i));
  return constants;
}

struct Common {
  v1::Deblock options;
  Constants constants;
};

template <class AnyParams>
void set_quantisers(const Common& common, const Step& step, AnyParams& params) {
  const VideoFormat& format = step.inputs[0]->format.video;
  const auto macroblocks = [](int samples) { return (samples + QUANTISER_SIDE - 1) / QUANTISER_SIDE; };
  params.constants = device::at<decltype(AnyParams::constants)>(*common.constants);
  params.quantisers = step.shape->quantisers;
  params.mb_columns = macroblocks(format.width);
  params.mb_rows = macroblocks(format.height);
  params.only = common.options.qp();
  params.chroma_shift_x = columns_of_chroma(format.chroma) / 2;  // of 1, 2, 4
  params.chroma_shift_y = rows_of_chroma(format.chroma) / 2;
  params.share = float(std::min(common.options.bratio(), 1.0));
}

struct DeblockParts {
  NodeDescriptor descriptor;
  Common common;
  const device::Kernel* kernel = nullptr;
  int tile_columns = 1, tile_rows = 1;
};

class DeblockNode final : public NodeOf<DeblockParts> {
 public:
  using NodeOf::NodeOf;
  void enqueue(device::Stream& stream, const Step& step) override {
    const VideoFormat& format = step.outputs[0]->format.video;
    auto params = frame_params<Params>(step, 1);
    set_quantisers(parts_.common, step, params);
    params.quality = parts_.common.options.quality();
    // An inverse transform has 6 more bits than a sample, and the sum of a sample's blocks 8: a sum
    // of 8-bit samples has 16 bits.
    params.shift = std::max(0, params.quality - 2);
    params.divisor = params.quality + 6 - params.shift;
    params.shows = parts_.common.options.show() ? 1 : 0;
    const auto tiles = [](int samples, int side) { return uint32_t((samples + side - 1) / side); };
    stream.launch(*parts_.kernel,
                  {tiles(format.width, parts_.tile_columns) * DEBLOCK_LANES,
                   tiles(format.height, parts_.tile_rows), uint32_t(step.units * format.planes())},
                  params);
  }
};

StatusOr<Port> add_deblock(const FilterContext& context, const Common& common, Network& network, Port input) {
  const VideoFormat& format = network.format(input).video;
  DeblockParts parts;
  parts.common = common;
  parts.descriptor.name = "deblock";
  parts.descriptor.inputs = {Window{}};
  parts.descriptor.outputs = {network.format(input)};
  parts.descriptor.cost.operations = 40.0 * (1 << common.options.quality());
  parts.descriptor.reads_quantisers = common.options.qp() == 0;
  const std::string name = fmt::format("denoise/deblock.{}", sample_name(format));
  if (context.device != nullptr) {
    const bool is_cpu = context.device->info().kind == device::BackendKind::kCpu;
    parts.tile_columns = is_cpu ? CPU_TILE_COLUMNS : GPU_TILE_COLUMNS;
    parts.tile_rows = is_cpu ? CPU_TILE_ROWS : GPU_TILE_ROWS;
    const size_t ints = is_cpu ? CPU_TEAM_INTS : GPU_TEAM_INTS;
    ASSIGN_OR_RETURN(parts.kernel, context.device->load(name, ints * sizeof(int32_t)));
  }
  return network.add(std::make_unique<DeblockNode>(std::move(parts)), {input});
}

StatusOr<Port> add_sharpening(const FilterContext& context, const Common& common, Network& network,
                              Port input) {
  Stencil stencil;
  stencil.store(stencil.blurred(stencil.load(0), kBlur));
  ASSIGN_OR_RETURN(const Port blurred,
                   add_stencil(context, network, "deblock_blur", stencil, {.pictures = {input}}));
  FrameNode<SharpenParams>::Parts parts;
  parts.descriptor.name = "deblock_sharpen";
  parts.descriptor.inputs = {Window{}, Window{}};
  parts.descriptor.cost = {.frames_read = 2, .operations = 60};
  parts.descriptor.reads_quantisers = common.options.qp() == 0;
  parts.complete = [common](const Step& step, SharpenParams& params) {
    set_quantisers(common, step, params);
    params.blurred = step.shape->inputs[1];
  };
  return add_frame_node<SharpenParams>(context, network, {input, blurred}, "denoise/deblock_sharpen",
                                       std::move(parts));
}

// Refuses a video without quantisers, unless the options have one.
Status check_quantisers(const FilterContext& context, const v1::Deblock& options, QuantiserScale scale) {
  if (options.qp() > 0) return ok_status();
  if (scale == QuantiserScale::kNone)
    return context.blame(
        "qp",
        invalid_argument("The video has no quantisers for deblock, as only MPEG-1, MPEG-2, MPEG-4 part 2 "
                         "and H.264 files have them; set a fixed one, such as qp=40."));
  if (scale == QuantiserScale::kMisplaced)
    return context.blame(
        "qp",
        invalid_argument("A filter before deblock changes the place of samples, so that the video's "
                         "quantisers no longer belong to them; put deblock in front of it, or set a fixed "
                         "quantiser, such as qp=40."));
  return ok_status();
}

StatusOr<Port> expand(const FilterContext& context, const v1::Deblock& options, Network& network,
                      Port input) {
  const QuantiserScale scale = network.properties(input).quantisers;
  RETURN_IF_ERROR(check_quantisers(context, options, scale));
  Common common{options, {}};
  const std::vector<float> constants = constants_of(options, scale, network.format(input).video.bit_depth);
  ASSIGN_OR_RETURN(common.constants, make_constants_of(context, std::span<const float>(constants)));
  ASSIGN_OR_RETURN(const Port deblocked, add_deblock(context, common, network, input));
  if (!options.sharp() || options.show()) return deblocked;
  return add_sharpening(context, common, network, deblocked);
}

// A sum of floats may be rounded to the other side than the model's, and a frequency at the
// threshold may be kept.
constexpr double kTolerance = 1;

constexpr Case kCases[] = {
    {"qp: 60", {97, 65, Chroma::k420, 8}},
    {"qp: 33 quality: 2 strength: DEBLOCK_STRENGTH_STRONG", {64, 48, Chroma::k422, 10}},
    {"qp: 90 quality: 5 sharp: true", {37, 50, Chroma::k444, 16}},
    {"qp: 21 quality: 1 sharp: true strength: DEBLOCK_STRENGTH_STRONG", {61, 39, Chroma::k410, 8}},
    {"qp: 100 show: true", {34, 27, Chroma::k440, 12}},
};

}  // namespace

extern const Registration kDeblock;
const Registration kDeblock = registration<v1::Deblock, expand>({}, kCases, 0, kTolerance, 1, true);

}  // namespace weft::filters::registered
