// SPDX-License-Identifier: Apache-2.0
#include "kernels/nnedi/fragments.h"
#include "kernels/nnedi/fused.kernel"
#include "server/filters/networks/packing.h"
#include "server/filters/nnedi/field_maps.h"
#include "server/filters/nodes/node_of.h"

namespace weft::filters::nnedi {
namespace {

using Fused = kernels::fused::Params;

// Returns FUSED_WEIGHTS floats: the layers in the order of the file.
networks::PackedWeights plain_weights(const EdgeNetwork& network) {
  networks::PackedWeights packed;
  for (const networks::NetworkLayer* layer : {&network.head, &network.body[0], &network.tail})
    packed.add_plain(*layer);
  return packed;
}

networks::PackedWeights fused_fragments(const EdgeNetwork& network) {
  constexpr int kOutputs = FRAGMENT_OUTPUTS, kColumns = 8;
  networks::PackedWeights packed;
  for (int rows = 0; rows < HEAD_Y; rows += 2)
    for (int first = 0; first < FUSED_CHANNELS; first += kOutputs)
      packed.add_step([&](int input, int output) {
        const int column = input % kColumns;
        if (column >= HEAD_X) return 0.0f;
        return network.head.weight(first + output, 0, (rows + input / kColumns) * HEAD_X + column);
      });
  for (int tap = 0; tap < 9; tap++)
    for (int first = 0; first < FUSED_CHANNELS; first += kOutputs)
      packed.add_step(
          [&](int input, int output) { return network.body[0].weight(first + output, input, tap); });
  for (int first = 0; first < 2 * kOutputs; first += kOutputs)
    packed.add_step([&](int input, int tap) {
      return first + tap < 9 ? network.tail.weight(0, input, first + tap) : 0.0f;
    });
  return packed;
}

struct FusedParts {
  NodeDescriptor descriptor;
  const device::Kernel* kernel;
  Constants weights, fragments;
  double prescreen;
  int parity;  // PARITY_OF_FLAGS or PARITY_TOP_KEPT; 0: a port contains the parity
};

class FusedNode final : public NodeOf<FusedParts> {
 public:
  using NodeOf::NodeOf;

  void enqueue(device::Stream& stream, const Step& step) override {
    auto params = frame_params<Fused>(step, 1);
    params.targets = step.shape->units[0];
    params.parity = parts_.parity < 0 ? parts_.parity : step.shape->inputs[1];
    params.threshold = int(parts_.prescreen * double(params.maximum + 1) / 256);
    params.weights = device::at<decltype(Fused::weights)>(*parts_.weights);
    params.fragments = device::at<decltype(Fused::fragments)>(*parts_.fragments);
    const auto tiles = [](int samples, int tile) { return uint32_t((samples + tile - 1) / tile); };
    const device::Grid grid = {tiles(params.width, FUSED_X) * FUSED_LANES,
                               tiles((params.height + 1) / 2, FUSED_Y),
                               uint32_t(params.planes * params.targets * step.units)};
    stream.launch(*parts_.kernel, grid, params);
  }
};

}  // namespace

StatusOr<std::unique_ptr<Node>> make_fused_node(const FilterContext& context, NodeDescriptor descriptor,
                                                const EdgeNetwork& network, int parity) {
  const device::Kernel* kernel = nullptr;
  if (context.device != nullptr) {
    const bool has_tensor_cores = context.device->info().kind == device::BackendKind::kCuda;
    ASSIGN_OR_RETURN(
        kernel, context.device->load(fmt::format("nnedi/fused.{}", sample_name(descriptor.outputs[0].video)),
                                     has_tensor_cores ? FUSED_TENSOR_BYTES : PART_FLOATS * sizeof(float)));
  }
  ASSIGN_OR_RETURN(Constants weights,
                   make_constants_of(context, std::span<const uint32_t>(plain_weights(network).words())));
  ASSIGN_OR_RETURN(Constants fragments,
                   make_constants_of(context, std::span<const uint32_t>(fused_fragments(network).words())));
  return std::unique_ptr<Node>(std::make_unique<FusedNode>(FusedParts{
      std::move(descriptor), kernel, std::move(weights), std::move(fragments), network.prescreen, parity}));
}

}  // namespace weft::filters::nnedi
