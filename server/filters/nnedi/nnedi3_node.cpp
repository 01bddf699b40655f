// SPDX-License-Identifier: Apache-2.0
#include "kernels/nnedi/nnedi3_predict.kernel"
#include "kernels/nnedi/nnedi3_screen.kernel"
#include "server/filters/nnedi/field_maps.h"
#include "server/filters/nodes/node_of.h"

namespace weft::filters::nnedi {
namespace {

using Nnedi3Screen = kernels::nnedi3_screen::Params;
using Nnedi3Predict = kernels::nnedi3_predict::Params;

constexpr int kMostTurns = 24576;   // iterations of a block's loops per launch
constexpr int kTurnsOfGroup = 100;  // iterations per group of neurons, besides two for each tap

// Returns, for each group of units, the weights of the group for each input, then the biases.
std::vector<float> packed_predictors(const Nnedi3Network& network) {
  std::vector<float> floats;
  for (const Nnedi3Network::Predictor& predictor : network.predictors)
    for (int first = 0; first < network.neurons; first += NEURONS_AT_ONCE)
      for (int tap = 0; tap <= network.taps(); tap++)
        for (const auto* units : {&predictor.softmax, &predictor.elliott})
          for (int k = 0; k < NEURONS_AT_ONCE; k++) {
            const Nnedi3Unit& unit = (*units)[size_t(first + k)];
            floats.push_back(float(tap < network.taps() ? unit.weights[size_t(tap)] : unit.bias));
          }
  return floats;
}

// Returns the weights of the prescreener for code values of `bit_depth` bits.
std::vector<float> packed_screen(const Nnedi3Network& network, int bit_depth) {
  const double codes = double((1 << bit_depth) - 1) / 255;
  std::vector<float> floats;
  for (size_t layer = 0; layer < network.screen.size(); layer++)
    for (const Nnedi3Unit& unit : network.screen[layer]) {
      for (const double weight : unit.weights) floats.push_back(float(layer == 0 ? weight / codes : weight));
      floats.push_back(float(unit.bias));
    }
  if (floats.empty()) floats.push_back(0);
  return floats;
}

struct Nnedi3Parts {
  NodeDescriptor descriptor;
  std::shared_ptr<const Nnedi3Network> network;
  const device::Kernel *screen = nullptr, *predict = nullptr;
  FieldMaps maps;
  Constants map_ints, screen_weights, weights;
  int parity;
};

class Nnedi3Node final : public NodeOf<Nnedi3Parts> {
 public:
  using NodeOf::NodeOf;

  // Contains the tiles, the mask and, if there are several launches, three floats per sample.
  size_t scratch_bytes(int) const override {
    const size_t samples = size_t(parts_.maps.tiles) * TILE_X * TILE_Y;
    return mask_offset() + samples + (launches() > 1 ? 3 * samples * sizeof(float) : 0);
  }

  void enqueue(device::Stream& stream, const Step& step) override {
    for_each_picture(step, [&](int unit, int target) { enqueue_picture(stream, step, unit, target); });
  }

 private:
  size_t mask_offset() const {
    return round_up(size_t(parts_.maps.tiles) * sizeof(int32_t), FrameLayout::kPlaneAlignment);
  }

  int all_neurons() const { return parts_.network->neurons * int(parts_.network->predictors.size()); }
  // Launches are short, so that none occupies a device for long. In addition, software Vulkan
  // devices abort a loop after 65535 iterations.
  int neurons_a_launch() const {
    const int groups = kMostTurns / (2 * parts_.network->taps() + kTurnsOfGroup);
    return std::min(groups * NEURONS_AT_ONCE, all_neurons());
  }
  int launches() const { return (all_neurons() + neurons_a_launch() - 1) / neurons_a_launch(); }

  void enqueue_picture(device::Stream& stream, const Step& step, int unit, int target) const {
    const device::Grid grid = parts_.maps.grid(*parts_.screen, step);
    auto screen = field_params<Nnedi3Screen>(step, *parts_.map_ints, unit, target, parts_.parity);
    screen.mask = device::at<decltype(Nnedi3Screen::mask)>(*step.scratch, mask_offset());
    screen.tiles = device::at<decltype(Nnedi3Screen::tiles)>(*step.scratch);
    screen.weights = device::at<decltype(Nnedi3Screen::weights)>(*parts_.screen_weights);
    const int pscrn = parts_.network->choice.pscrn;
    screen.screen = pscrn == 0 ? SCREEN_NONE : pscrn == 1 ? SCREEN_OLD : SCREEN_NEW;
    stream.launch(*parts_.screen, grid, screen);
    if (is_copied(step, unit, parts_.parity)) return;
    auto predict = field_params<Nnedi3Predict>(step, *parts_.map_ints, unit, target, parts_.parity);
    predict.tiles = device::at<decltype(Nnedi3Predict::tiles)>(*step.scratch);
    predict.weights = device::at<decltype(Nnedi3Predict::weights)>(*parts_.weights);
    predict.all_tiles = parts_.maps.tiles;
    predict.shape = parts_.network->window_x | parts_.network->window_y << 8 |
                    int(parts_.network->predictors.size()) << 12 | parts_.network->neurons << 16;
    for (int first = 0; first < all_neurons(); first += neurons_a_launch()) {
      predict.first = first | std::min(neurons_a_launch(), all_neurons() - first) << 16;
      stream.launch(*parts_.predict, grid, predict);
    }
  }
};

}  // namespace

StatusOr<std::unique_ptr<Node>> make_nnedi3_node(const FilterContext& context, NodeDescriptor descriptor,
                                                 std::shared_ptr<const Nnedi3Network> network, int parity) {
  const VideoFormat format = descriptor.outputs[0].video;
  Nnedi3Parts parts{
      std::move(descriptor), network, nullptr, nullptr, FieldMaps(format, 0), {}, {}, {}, parity};
  if (context.device != nullptr) {
    const std::string samples = sample_name(format);
    ASSIGN_OR_RETURN(parts.screen, context.device->load("nnedi/nnedi3_screen." + samples,
                                                        NNEDI3_SCREEN_FLOATS * sizeof(float)));
    ASSIGN_OR_RETURN(parts.predict,
                     context.device->load("nnedi/nnedi3_predict." + samples, PREDICT_FLOATS * sizeof(float)));
  }
  const std::vector<float> screen = packed_screen(*network, format.bit_depth);
  const std::vector<float> weights = packed_predictors(*network);
  ASSIGN_OR_RETURN(parts.map_ints, make_constants_of(context, std::span<const int32_t>(parts.maps.ints)));
  ASSIGN_OR_RETURN(parts.screen_weights, make_constants_of(context, std::span<const float>(screen)));
  ASSIGN_OR_RETURN(parts.weights, make_constants_of(context, std::span<const float>(weights)));
  return std::unique_ptr<Node>(std::make_unique<Nnedi3Node>(std::move(parts)));
}

}  // namespace weft::filters::nnedi
