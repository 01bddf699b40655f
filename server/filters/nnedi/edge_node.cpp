// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "kernels/nnedi/convolve.kernel"
#include "kernels/nnedi/convolve_rows.kernel"
#include "kernels/nnedi/fragments.h"
#include "kernels/nnedi/head.kernel"
#include "kernels/nnedi/reach.kernel"
#include "kernels/nnedi/screen.kernel"
#include "kernels/nnedi/tail.kernel"
#include "server/filters/networks/packing.h"
#include "server/filters/nnedi/field_maps.h"
#include "server/filters/nodes/node_of.h"

namespace weft::filters::nnedi {
namespace {

using ScreenParams = kernels::screen::Params;
using Reach = kernels::reach::Params;
using Head = kernels::head::Params;
using Convolve = kernels::convolve::Params;
using Tail = kernels::tail::Params;
// Two kernels have the same Params: one for GPUs and one for CPUs.
static_assert(sizeof(kernels::convolve_rows::Params) == sizeof(Convolve));

// Returns the weights in parts: the head, the body's layers, the tail.
networks::PackedWeights packed_weights(const EdgeNetwork& network, bool on_cpu) {
  networks::PackedWeights packed;
  const auto add = [&](const networks::NetworkLayer& layer, int group) {
    packed.begin_part();
    packed.add_groups(layer, group);
  };
  add(network.head, HEAD_GROUP);
  for (const networks::NetworkLayer& layer : network.body) add(layer, on_cpu ? ROWS_GROUP : CONVOLVE_GROUP);
  add(network.tail, 1);
  return packed;
}

// Returns the body's layers for tensor cores, one after the other, each with the same number of
// words.
networks::PackedWeights body_fragments(const EdgeNetwork& network) {
  networks::PackedWeights packed;
  for (const networks::NetworkLayer& layer : network.body)
    for (int tap = 0; tap < 9; tap++)
      for (int inputs = 0; inputs < layer.inputs; inputs += FRAGMENT_INPUTS)
        for (int outputs = 0; outputs < layer.outputs; outputs += FRAGMENT_OUTPUTS)
          packed.add_step(
              [&](int input, int output) { return layer.weight(outputs + output, inputs + input, tap); });
  return packed;
}

struct EdgeKernels {
  const device::Kernel *screen = nullptr, *reach = nullptr, *head = nullptr, *convolve = nullptr,
                       *tail = nullptr;
};
struct EdgeParts {
  NodeDescriptor descriptor;
  std::shared_ptr<const EdgeNetwork> network;
  EdgeKernels kernels;
  FieldMaps maps;
  Constants map_ints, weights, fragments;
  std::vector<size_t> offsets_bytes;  // offsets of layers in the weights
  int convolve_blocks;                // blocks per tile
  // PARITY_OF_FLAGS or PARITY_TOP_KEPT; 0: a port contains the parity
  int parity;
};

class EdgeNode final : public NodeOf<EdgeParts> {
 public:
  using NodeOf::NodeOf;

  // The scratch memory serves one picture, because pictures are processed one after the other.
  size_t scratch_bytes(int) const override { return features_offset(2); }

  void enqueue(device::Stream& stream, const Step& step) override {
    for_each_picture(step, [&](int unit, int target) { enqueue_picture(stream, step, unit, target); });
  }

 private:
  size_t align(size_t bytes) const { return round_up(bytes, FrameLayout::kPlaneAlignment); }
  size_t tile_ints() const { return align(size_t(parts_.maps.tiles) * sizeof(int32_t)); }
  size_t reach_offset() const { return tile_ints(); }
  size_t mask_offset() const { return 2 * tile_ints(); }
  size_t features_offset(int set) const {
    return mask_offset() + align(size_t(parts_.maps.tiles) * TILE_X * TILE_Y) +
           size_t(set) * align(parts_.maps.features * sizeof(float));
  }
  // Returns the halo of all layers around a sample that needs the network, in samples.
  int halo() const { return int(parts_.network->body.size()) + 1; }

  template <class Params>
  void launch(device::Stream& stream, const device::Kernel& kernel, const Step& step, const Params& params,
              int groups = 1) const {
    stream.launch(kernel, parts_.maps.grid(kernel, step, groups), params);
  }
  template <class Params>
  Params picture_params(const Step& step, int unit, int target) const {
    return field_params<Params>(step, *parts_.map_ints, unit, target, parts_.parity);
  }
  template <class Word>
  Word weights_of(size_t layer) const {
    return device::at<Word>(*parts_.weights, parts_.offsets_bytes[layer]);
  }

  size_t fragment_words_of_layer() const {
    const auto channels = size_t(parts_.network->channels);
    return 9 * (channels / FRAGMENT_INPUTS) * (channels / FRAGMENT_OUTPUTS) * FRAGMENT_STEP;
  }

  void enqueue_picture(device::Stream& stream, const Step& step, int unit, int target) const {
    const device::Buffer& scratch = *step.scratch;
    auto screen = picture_params<ScreenParams>(step, unit, target);
    screen.mask = device::at<decltype(ScreenParams::mask)>(scratch, mask_offset());
    screen.tiles = device::at<decltype(ScreenParams::tiles)>(scratch);
    screen.threshold = int(parts_.network->prescreen * double(screen.maximum + 1) / 256);
    launch(stream, *parts_.kernels.screen, step, screen);
    if (is_copied(step, unit, parts_.parity)) return;

    Reach reach = {};
    reach.maps = device::at<decltype(Reach::maps)>(*parts_.map_ints);
    reach.mask = device::at<decltype(Reach::mask)>(scratch, mask_offset());
    reach.tiles = device::at<decltype(Reach::tiles)>(scratch);
    reach.reach = device::at<decltype(Reach::reach)>(scratch, reach_offset());
    reach.first = device::at<decltype(Reach::first)>(scratch, features_offset(0));
    reach.second = device::at<decltype(Reach::second)>(scratch, features_offset(1));
    reach.channels = parts_.network->channels;
    reach.halo = halo();
    launch(stream, *parts_.kernels.reach, step, reach);

    auto head = picture_params<Head>(step, unit, target);
    head.reach = device::at<decltype(Head::reach)>(scratch, reach_offset());
    head.features = device::at<decltype(Head::features)>(scratch, features_offset(0));
    head.weights = weights_of<decltype(Head::weights)>(0);
    head.halo = halo();
    launch(stream, *parts_.kernels.head, step, head);

    const int set = enqueue_body(stream, step);

    auto tail = picture_params<Tail>(step, unit, target);
    tail.mask = device::at<decltype(Tail::mask)>(scratch, mask_offset());
    tail.reach = device::at<decltype(Tail::reach)>(scratch, reach_offset());
    tail.features = device::at<decltype(Tail::features)>(scratch, features_offset(set));
    tail.weights = weights_of<decltype(Tail::weights)>(1 + parts_.network->body.size());
    launch(stream, *parts_.kernels.tail, step, tail);
  }

  // Passes the features from one set to the other and back. Returns the set that contains the last
  // result.
  int enqueue_body(device::Stream& stream, const Step& step) const {
    const int layers = int(parts_.network->body.size());
    for (int layer = 0; layer < layers; layer++) {
      Convolve convolve = {};
      convolve.maps = device::at<decltype(Convolve::maps)>(*parts_.map_ints);
      convolve.reach = device::at<decltype(Convolve::reach)>(*step.scratch, reach_offset());
      convolve.from = device::at<decltype(Convolve::from)>(*step.scratch, features_offset(layer % 2));
      convolve.to = device::at<decltype(Convolve::to)>(*step.scratch, features_offset(1 - layer % 2));
      convolve.weights = weights_of<decltype(Convolve::weights)>(size_t(1 + layer));
      convolve.fragments = device::at<decltype(Convolve::fragments)>(
          *parts_.fragments, size_t(layer) * fragment_words_of_layer() * sizeof(uint32_t));
      convolve.halo = layers - layer;
      convolve.adds = layer % 2;
      convolve.rectifies = layer % 2 == 0 || layer == layers - 1 ? 1 : 0;
      launch(stream, *parts_.kernels.convolve, step, convolve, parts_.convolve_blocks);
    }
    return layers % 2;
  }
};

bool has_tensor_cores(const FilterContext& context) {
  return context.device != nullptr && context.device->info().kind == device::BackendKind::kCuda;
}
// The functions below select the kernels by the alternative: 0 for CPUs, 1 for GPUs, 2 one kernel
// for all layers, which uses tensor cores.
bool takes_fused(const FilterContext& context, const EdgeNetwork& network) {
  if (!network.is_fast()) return false;
  if (context.alternative >= 0) return context.alternative == 2;
  return has_tensor_cores(context);
}
bool takes_rows(const FilterContext& context) {
  if (context.alternative >= 0) return context.alternative == 0;
  return context.device == nullptr || context.device->info().kind == device::BackendKind::kCpu;
}

int convolve_blocks(const FilterContext& context, int channels) {
  if (takes_rows(context)) return channels / ROWS_GROUP;
  return has_tensor_cores(context) ? 1 : channels / CONVOLVE_GROUP;
}

StatusOr<EdgeKernels> load_kernels(const FilterContext& context, const VideoFormat& format, int channels) {
  EdgeKernels kernels;
  if (context.device == nullptr) return kernels;
  const auto load = [&](const std::string& name, size_t bytes) {
    return context.device->load("nnedi/" + name, bytes);
  };
  const std::string samples = sample_name(format);
  const std::string both = fmt::format("{}.{}", samples, channels);
  ASSIGN_OR_RETURN(kernels.screen, load("screen." + samples, SCREEN_INTS * sizeof(int32_t)));
  ASSIGN_OR_RETURN(kernels.reach, load("reach", sizeof(int32_t)));
  ASSIGN_OR_RETURN(kernels.head, load("head." + both, HEAD_FLOATS * sizeof(float)));
  ASSIGN_OR_RETURN(kernels.tail, load("tail." + both, size_t(TILE_X) * TILE_Y * sizeof(float)));
  if (takes_rows(context)) {
    ASSIGN_OR_RETURN(kernels.convolve, load(fmt::format("convolve_rows.{}", channels),
                                            size_t(ROWS_GROUP) * TILE_X * TILE_Y * sizeof(float)));
  } else {
    const size_t bytes = has_tensor_cores(context)
                             ? size_t(TENSOR_BYTES(channels))
                             : size_t(channels * 9 + 1) * CONVOLVE_GROUP * sizeof(float);
    ASSIGN_OR_RETURN(kernels.convolve, load(fmt::format("convolve.{}", channels), bytes));
  }
  return kernels;
}

StatusOr<std::shared_ptr<const EdgeNetwork>> network_of(const NnediOptions& options) {
  if (options.own != nullptr) return options.own;
  const bool is_fast = options.network == v1::NNEDI_NETWORK_FAST;
  return built_in_edge_network(is_fast ? "fast" : "best");
}

NodeDescriptor describe(Network& network, Port pictures) {
  NodeDescriptor descriptor;
  descriptor.name = "nnedi";
  descriptor.inputs = {Window()};
  descriptor.outputs = {network.format(pictures)};
  return descriptor;
}

StatusOr<std::unique_ptr<Node>> make_node(const FilterContext& context, Network& network,
                                          NodeDescriptor descriptor, const NnediOptions& options,
                                          int parity) {
  network.set_inexact();
  // The network computes half of a picture's samples, with two operations per weight. The
  // prescreener excludes some samples.
  constexpr double kOfMultiplyAdd = 1.6;
  const double pictures = kOfMultiplyAdd * descriptor.cost.frames_written;
  if (options.user != nullptr) {
    const Nnedi3Network& user = *options.user;
    descriptor.cost.operations = pictures * 2 * user.taps() * user.neurons * double(user.predictors.size());
    return make_nnedi3_node(context, std::move(descriptor), options.user, parity);
  }
  const VideoFormat format = descriptor.outputs[0].video;
  ASSIGN_OR_RETURN(const std::shared_ptr<const EdgeNetwork> edges, network_of(options));
  network.add_note(
      fmt::format("Missing rows are made by the network '{}' of {}.", edges->title.name, edges->title.date));
  descriptor.cost.operations = pictures * edges->multiply_adds();
  if (takes_fused(context, *edges)) return make_fused_node(context, std::move(descriptor), *edges, parity);
  ASSIGN_OR_RETURN(const EdgeKernels kernels, load_kernels(context, format, edges->channels));
  const FieldMaps maps(format, edges->channels);
  const networks::PackedWeights packed = packed_weights(*edges, takes_rows(context));
  ASSIGN_OR_RETURN(Constants map_ints, make_constants_of(context, std::span<const int32_t>(maps.ints)));
  ASSIGN_OR_RETURN(Constants weights, make_constants_of(context, std::span<const uint32_t>(packed.words())));
  ASSIGN_OR_RETURN(Constants fragments,
                   make_constants_of(context, std::span<const uint32_t>(body_fragments(*edges).words())));
  return std::unique_ptr<Node>(std::make_unique<EdgeNode>(EdgeParts{
      std::move(descriptor), edges, kernels, maps, std::move(map_ints), std::move(weights),
      std::move(fragments), packed.offsets_bytes(), convolve_blocks(context, edges->channels), parity}));
}

}  // namespace

StatusOr<Port> add_nnedi(const FilterContext& context, Network& network, Port pictures, Port parity,
                         const NnediOptions& options) {
  NodeDescriptor descriptor = describe(network, pictures);
  descriptor.inputs.emplace_back();
  ASSIGN_OR_RETURN(auto node, make_node(context, network, std::move(descriptor), options, 0));
  return network.add(std::move(node), {pictures, parity});
}

StatusOr<Port> add_nnedi_of_top_rows(const FilterContext& context, Network& network, Port pictures,
                                     const NnediOptions& options) {
  ASSIGN_OR_RETURN(auto node,
                   make_node(context, network, describe(network, pictures), options, PARITY_TOP_KEPT));
  return network.add(std::move(node), {pictures});
}

StatusOr<Port> add_nnedi_deinterlacer(const FilterContext& context, Network& network, Port frames,
                                      const FieldRule& rule, const NnediOptions& options) {
  NodeDescriptor descriptor = describe(network, frames);
  descriptor.rule = by_fields(rule);
  descriptor.cost.frames_written = rule.per_field ? 2 : 1;
  ASSIGN_OR_RETURN(auto node, make_node(context, network, std::move(descriptor), options, PARITY_OF_FLAGS));
  return network.add(std::move(node), {frames});
}

}  // namespace weft::filters::nnedi
