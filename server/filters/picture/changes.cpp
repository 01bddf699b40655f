// SPDX-License-Identifier: Apache-2.0
#include "kernels/picture/changes.kernel"

#include "server/filters/nodes/stencil.h"

namespace weft::filters {

namespace {

using ChangesParams = kernels::changes::Params;

// Each part of a sum over the largest picture fits into its integer, for every subgroup size.
constexpr uint64_t kMostLanes =
    uint64_t{(kMaxPictureSide + CHANGES_RUN - 1) / CHANGES_RUN} * uint64_t{kMaxPictureSide};
static_assert(kMostLanes * (CHANGES_LOW - 1) <= UINT32_MAX);
static_assert(kMostLanes * (CHANGES_RUN * 255 / CHANGES_LOW + 1) <= UINT32_MAX);

class Changes final : public Node {
 public:
  Changes(const device::Kernel* kernel, int radius) : kernel_(kernel), radius_(radius) {
    descriptor_.name = "changes";
    descriptor_.inputs = {{.before = 0, .after = radius}};
    descriptor_.outputs = {PortFormat::data("changes", CHANGES_INTS * sizeof(uint32_t))};
    descriptor_.cost.frames_read = 1 + radius;
    descriptor_.cost.operations = 75 * descriptor_.cost.frames_read;
    descriptor_.cost.frames_written = 0;
  }
  const NodeDescriptor& descriptor() const override { return descriptor_; }
  void enqueue(device::Stream& stream, const Step& step) override {
    for (int unit = 0; unit < step.units; unit++)
      stream.fill(*step.arena, step.output_offset(0, unit), CHANGES_INTS * sizeof(uint32_t), std::byte{0});
    const VideoFormat& format = step.inputs[0]->format.video;
    auto params = frame_params<ChangesParams>(step, 1);
    params.depth_shift = format.bit_depth - 8;
    params.radius = radius_;
    stream.launch(*kernel_,
                  {uint32_t((format.width + CHANGES_RUN - 1) / CHANGES_RUN), uint32_t(format.height),
                   uint32_t(step.units * format.planes())},
                  params);
  }

 private:
  const device::Kernel* kernel_;
  int radius_;
  NodeDescriptor descriptor_;
};

}  // namespace

StatusOr<Port> add_changes(const FilterContext& context, Network& network, Port pictures, int radius) {
  ASSIGN_OR_RETURN(const device::Kernel* kernel,
                   load_for(context, "picture/changes", network.format(pictures).video));
  return network.add(std::make_unique<Changes>(kernel, radius), {pictures});
}

}  // namespace weft::filters
