// SPDX-License-Identifier: Apache-2.0
#include "server/filters/denoise/denoise.h"

#include "kernels/denoise/blocks.kernel"
#include "kernels/denoise/join.kernel"
#include "server/filters/nodes/picture_node.h"

namespace weft::filters::denoise {
namespace {

using BlocksParams = kernels::blocks::Params;
using JoinParams = kernels::join::Params;

constexpr double kWindowPower = 64;  // see denoise.h
constexpr size_t kTeamBytes = size_t(TEAM_FLOATS) * STRIP_BLOCKS * sizeof(float);

class Denoiser final : public Node {
 public:
  Denoiser(const PortFormat& format, std::vector<Window> inputs, const DenoiserOptions& options)
      : options_(options), own_(int(inputs.size()) / 2) {
    descriptor_.name = "dftdenoise";
    descriptor_.inputs = std::move(inputs);
    descriptor_.outputs = {format};
    descriptor_.cost.frames_read = 2 * options.radius + 1;
    descriptor_.cost.operations = 600 * descriptor_.cost.frames_read;
    const VideoFormat& video = format.video;
    luma_strips_ = strips(video, 0);
    if (options.chroma && video.planes() > 1) chroma_strips_ = strips(video, 1);
  }

  Status load(const FilterContext& context, const VideoFormat& format) {
    run_ = run_of(context);
    ASSIGN_OR_RETURN(join_, load_for(context, "denoise/join", format));
    if (context.device == nullptr) return ok_status();
    ASSIGN_OR_RETURN(blocks_,
                     context.device->load(fmt::format("denoise/blocks.{}", sample_name(format)), kTeamBytes));
    return ok_status();
  }

  const NodeDescriptor& descriptor() const override { return descriptor_; }
  size_t scratch_bytes(int units) const override {
    return size_t(units) * size_t(luma_strips_ + 2 * chroma_strips_) * STRIP_FLOATS * sizeof(float);
  }
  void enqueue(device::Stream& stream, const Step& step) override {
    const VideoFormat& format = step.outputs[0]->format.video;
    const double scale = double(1 << (format.bit_depth - 8));
    auto params = frame_params<BlocksParams>(step, run_);
    params.source = step.shape->inputs[size_t(own_)];
    params.blocks = device::at<decltype(BlocksParams::blocks)>(*step.scratch);
    params.luma_strips = luma_strips_;
    params.chroma_strips = chroma_strips_;
    params.radius = options_.radius;
    params.noise = float(kWindowPower * (2 * options_.radius + 1) * options_.sigma * options_.sigma);
    params.scale = float(1 / scale);
    const uint32_t planes = chroma_strips_ > 0 ? uint32_t(format.planes()) : 1;
    stream.launch(*blocks_,
                  {uint32_t(STRIPS_OF(format.width)) * STRIP_LANES, uint32_t(BLOCK_ROWS_OF(format.height)),
                   uint32_t(step.units) * planes},
                  params);

    auto join = frame_params<JoinParams>(step, run_);
    join.source = params.source;
    join.blocks = device::at<decltype(JoinParams::blocks)>(*step.scratch);
    join.luma_strips = luma_strips_;
    join.chroma_strips = chroma_strips_;
    join.scale = float(scale);
    stream.launch(*join_, picture_grid(format, step.units, run_), join);
  }

 private:
  static int strips(const VideoFormat& format, int plane) {
    return STRIPS_OF(format.plane_width(plane)) * BLOCK_ROWS_OF(format.plane_height(plane));
  }

  DenoiserOptions options_;
  int own_;  // index of the input with the current picture
  int luma_strips_ = 0, chroma_strips_ = 0;
  const device::Kernel* blocks_ = nullptr;
  const device::Kernel* join_ = nullptr;
  int run_ = 1;
  NodeDescriptor descriptor_;
};

StatusOr<Port> add(const FilterContext& context, Network& network, std::span<const Port> pictures,
                   std::vector<Window> windows, const DenoiserOptions& options) {
  network.set_inexact();
  const PortFormat& format = network.format(pictures[0]);
  auto node = std::make_unique<Denoiser>(format, std::move(windows), options);
  RETURN_IF_ERROR(node->load(context, format.video));
  ASSIGN_OR_RETURN(const std::vector<Port> outputs, network.add_node(std::move(node), pictures));
  network.set_properties(outputs[0], network.properties(pictures[pictures.size() / 2]));
  return outputs[0];
}

}  // namespace

StatusOr<Port> add_denoiser(const FilterContext& context, Network& network, Port pictures,
                            const DenoiserOptions& options) {
  const Port inputs[] = {pictures};
  return add(context, network, inputs, {Window{options.radius, options.radius}}, options);
}

StatusOr<Port> add_denoiser(const FilterContext& context, Network& network, std::span<const Port> pictures,
                            const DenoiserOptions& options) {
  DenoiserOptions given = options;
  given.radius = int(pictures.size()) / 2;
  return add(context, network, pictures, std::vector<Window>(pictures.size()), given);
}

}  // namespace weft::filters::denoise
