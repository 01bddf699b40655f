// SPDX-License-Identifier: Apache-2.0
// Implements the network `large` as a node. A texture is processed in tiles; each tile passes
// through all layers and is enlarged with their result. The surroundings of a tile are computed
// with it, so the texels do not depend on the division into tiles.
#include <algorithm>
#include <utility>

#include "kernels/texture/layer.kernel"
#include "kernels/texture/layer_rows.kernel"
#include "kernels/texture/spread_texels.kernel"
#include "server/filters/networks/packing.h"
#include "server/filters/nodes/layout_node.h"
#include "server/filters/nodes/node_of.h"
#include "server/filters/nodes/rows_node.h"
#include "server/filters/texture/enlarge_params.h"
#include "server/filters/texture/large_network.h"
#include "server/filters/texture/tensor_bodies.h"
#include "server/filters/texture/texture.h"

namespace weft::filters::texture {
namespace {

using Spread = kernels::spread_texels::Params;
using Layer = kernels::layer::Params;
// Two kernels have the same Params: one for GPUs and one for CPUs.
static_assert(sizeof(kernels::layer_rows::Params) == sizeof(Layer));

constexpr double kEndMultiplyAdds = 8640,
                 // multiply-adds per texel: of head and tail together, and of one layer of the body
    kLayerMultiplyAdds = 36864;
// Additional columns and rows of a plane. Lanes of the last blocks read them without an effect on
// the result.
constexpr int kSpareColumns = 64, kSpareRows = 16;
// Sizes of tiles. They are large, because the surroundings of a tile are computed with it and
// launches have overheads. They are small enough for a GPU's cache if that matters, and for a CPU's
// portions.
constexpr TileSize kWideTile = {2048, 1024}, kTensorTile = {2048, 128}, kGpuTile = {1024, 128},
                   kCpuTile = {256, 64};

bool is_of_halves(LayerBody body) { return body == LayerBody::kTensor || body == LayerBody::kWide; }

// Adds weights, then biases, in steps of a tensor core. The inputs and taps of the head are
// combined.
void add_fragments(networks::PackedWeights& packed, const networks::NetworkLayer& layer) {
  constexpr int kStep = networks::kFragmentStep;
  const bool is_head = layer.inputs == kLargeInputs;
  const int steps = is_head ? 2 : 9 * layer.inputs / kStep;
  const int outputs = int(round_up(size_t(layer.outputs), kStep));
  packed.add_steps(steps, outputs, [&](int output, int step, int k) {
    const int input = is_head ? (step * kStep + k) / 9 : step * kStep % layer.inputs + k;
    const int tap = is_head ? (step * kStep + k) % 9 : step * kStep / layer.inputs;
    const bool is_one = output < layer.outputs && input < layer.inputs;
    return is_one ? layer.weight(output, input, tap) : 0.0f;
  });
  packed.add_biases(layer, outputs);
}

// Returns the weights in parts: the head, the body's layers, the tail.
networks::PackedWeights packed_weights(const LargeNetwork& network, TexelSource source, LayerBody body) {
  networks::PackedWeights packed;
  const auto add = [&](const networks::NetworkLayer& layer) {
    packed.begin_part();
    if (is_of_halves(body))
      add_fragments(packed, layer);
    else
      packed.add_groups(layer, LAYER_GROUP);
  };
  add(network.head_of(source));
  for (const networks::NetworkLayer& layer : network.body) add(layer);
  add(network.tail);
  return packed;
}

struct LargeKernels {
  const device::Kernel *spread = nullptr, *layer = nullptr, *enlarge = nullptr;
};

struct LargeParts {
  NodeDescriptor descriptor;
  LargeKernels kernels;
  Constants weights;
  std::vector<size_t> offsets_bytes;  // offsets of layers in `weights`
  int width, height;
  Enlargement options;
  TileSize tile;
  LayerBody body;
  int layers;  // layers of the body
  int margin;  // texels around a tile that its result depends on
  uint32_t compute_units;
  int portions;
};

class LargeNode final : public NodeOf<LargeParts> {
 public:
  explicit LargeNode(LargeParts parts) : NodeOf(std::move(parts)) {
    parts_.portions = std::min(parts_.portions, tiles_x() * tiles_y() * launches());
  }

  int portions() const override { return parts_.portions; }
  size_t scratch_bytes(int) const override { return 2 * set_bytes(); }

  void enqueue(device::Stream& stream, const Step& step) override {
    const Items some = items_of(step.portion, tiles_x() * tiles_y() * launches());
    for (int unit = 0; unit < step.units; unit++)
      for (int i = some.first; i < some.first + some.count; i++)
        enqueue_launch(stream, step, unit, tile_of(i / launches()), i % launches());
  }

 private:
  struct Tile {
    int left, top, columns, rows;
  };

  // Returns the number of launches of a tile: its texels, head, body, tail, result.
  int launches() const { return parts_.layers + 4; }
  int tiles_x() const { return (parts_.width + parts_.tile.columns - 1) / parts_.tile.columns; }
  int tiles_y() const { return (parts_.height + parts_.tile.rows - 1) / parts_.tile.rows; }
  Tile tile_of(int number) const {
    const int left = number % tiles_x() * parts_.tile.columns, top = number / tiles_x() * parts_.tile.rows;
    return {left, top, std::min(parts_.tile.columns, parts_.width - left),
            std::min(parts_.tile.rows, parts_.height - top)};
  }
  int stride() const {
    return int(round_up(size_t(parts_.tile.columns + 2 * parts_.margin), kSpareColumns)) + kSpareColumns;
  }
  int plane() const { return stride() * (parts_.tile.rows + 2 * parts_.margin + kSpareRows); }
  size_t set_bytes() const {
    const size_t feature_bytes = is_of_halves(parts_.body) ? sizeof(kernels::half) : sizeof(float);
    return size_t(plane()) * kLargeChannels * feature_bytes;
  }
  template <class Word>
  Word planes_of(const Step& step, int set) const {
    return device::at<Word>(*step.scratch, size_t(set) * set_bytes());
  }

  void enqueue_launch(device::Stream& stream, const Step& step, int unit, const Tile& tile,
                      int number) const {
    if (number == 0) return enqueue_texels(stream, step, unit, tile);
    if (number == launches() - 1) return enqueue_result(stream, step, unit, tile);
    enqueue_layer(stream, step, tile, number - 1);
  }

  void enqueue_texels(device::Stream& stream, const Step& step, int unit, const Tile& tile) const {
    Spread spread = {};
    spread.texels = source_of<decltype(Spread::texels)>(step, unit);
    spread.planes = planes_of<decltype(Spread::planes)>(step, 0);
    spread.width = parts_.width;
    spread.height = parts_.height;
    spread.border = parts_.options.border;
    spread.left = tile.left - parts_.margin;
    spread.top = tile.top - parts_.margin;
    spread.columns = tile.columns + 2 * parts_.margin;
    spread.rows = tile.rows + 2 * parts_.margin;
    spread.stride = stride();
    spread.plane = plane();
    stream.launch(*parts_.kernels.spread, {uint32_t(spread.columns), uint32_t(spread.rows), 1}, spread);
  }

  // Enqueues a layer; 0 is the head and the last one is the tail. Each layer produces one texel
  // less around the tile than it reads.
  void enqueue_layer(device::Stream& stream, const Step& step, const Tile& tile, int number) const {
    const bool is_head = number == 0, is_tail = number == parts_.layers + 1;
    const int edge = number + 1;  // border of the planes that is not computed
    // set of planes that the layer reads; the first set contains the texels
    const int from = number % 2;
    Layer layer = {};
    layer.from = planes_of<decltype(Layer::from)>(step, from);
    layer.to = planes_of<decltype(Layer::to)>(step, 1 - from);
    layer.weights =
        device::at<decltype(Layer::weights)>(*parts_.weights, parts_.offsets_bytes[size_t(number)]);
    layer.inputs = is_head ? kLargeInputs : kLargeChannels;
    layer.outputs = is_tail ? kLargeOutputs : kLargeChannels;
    layer.stride = stride();
    layer.plane = plane();
    layer.first = edge * stride() + edge;
    layer.columns = tile.columns + 2 * (parts_.margin - edge);
    layer.rows = tile.rows + 2 * (parts_.margin - edge);
    layer.adds = !is_head && !is_tail && number % 2 == 0 ? 1 : 0;
    layer.rectifies = !is_tail && number % 2 == 1 ? 1 : 0;
    stream.launch(*parts_.kernels.layer, grid_of_layer(layer), layer);
  }

  device::Grid grid_of_layer(const Layer& layer) const {
    const auto parts = [](int size, int part) { return uint32_t((size + part - 1) / part); };
    const uint32_t groups = parts(layer.outputs, LAYER_GROUP);
    switch (parts_.body) {
      case LayerBody::kTensor:
      case LayerBody::kWide:
        return {parts_.compute_units * LAYER_LANES, 1, 1};
      case LayerBody::kRows:
        return {parts(layer.columns, ROWS_X) * 32, parts(layer.rows, ROWS_Y), groups};
      case LayerBody::kLanes:
        break;
    }
    return {parts(layer.columns, LAYER_X) * LAYER_LANES, parts(layer.rows, LAYER_Y), groups};
  }

  void enqueue_result(device::Stream& stream, const Step& step, int unit, const Tile& tile) const {
    EnlargeParams enlarge = {};
    enlarge.texels = source_of<decltype(EnlargeParams::texels)>(step, unit);
    enlarge.values = source_of<decltype(EnlargeParams::values)>(step, unit, 1);
    enlarge.target = target_of<decltype(EnlargeParams::target)>(step, unit);
    enlarge.width = parts_.width;
    enlarge.height = parts_.height;
    enlarge.border = parts_.options.border;
    enlarge.is_normal = parts_.options.is_normal ? 1 : 0;
    enlarge.first_row = tile.top;
    enlarge.last_row = tile.top + tile.rows;
    enlarge.first_column = tile.left;
    enlarge.last_column = tile.left + tile.columns;
    enlarge.corrections = device::at<decltype(EnlargeParams::corrections)>(
        *step.scratch, (size_t(parts_.margin) * size_t(stride()) + size_t(parts_.margin)) * sizeof(float));
    enlarge.has_corrections = 1;
    enlarge.stride = stride();
    enlarge.plane = plane();
    stream.launch(*parts_.kernels.enlarge, tiled_shape(tile.columns, tile.rows, 0).grid(tile.rows), enlarge);
  }
};

TileSize tile_of(LayerBody body) {
  switch (body) {
    case LayerBody::kWide:
      return kWideTile;
    case LayerBody::kTensor:
      return kTensorTile;
    case LayerBody::kLanes:
      return kGpuTile;
    case LayerBody::kRows:
      break;
  }
  return kCpuTile;
}

StatusOr<LargeKernels> load_large_kernels(const FilterContext& context, LayerBody body) {
  LargeKernels kernels;
  ASSIGN_OR_RETURN(kernels.spread, context.load("texture/spread_texels"));
  ASSIGN_OR_RETURN(kernels.enlarge, load_team_kernel(context, "texture/enlarge", kTileBytes));
  if (context.device == nullptr) return kernels;
  switch (body) {
    case LayerBody::kTensor:
    case LayerBody::kWide: {
      ASSIGN_OR_RETURN(kernels.layer,
                       context.device->load("texture/layer", layer_bytes(context.device->info(), body)));
      break;
    }
    case LayerBody::kLanes: {
      constexpr size_t kBytes = LAYER_GROUP_FLOATS(kLargeChannels) * sizeof(float);
      ASSIGN_OR_RETURN(kernels.layer, context.device->load("texture/layer", kBytes));
      break;
    }
    case LayerBody::kRows: {
      ASSIGN_OR_RETURN(kernels.layer,
                       context.device->load("texture/layer_rows", ROWS_FLOATS * sizeof(float)));
      break;
    }
  }
  return kernels;
}

}  // namespace

LayerBody layer_body(const device::DeviceInfo& info, int alternative) {
  if (alternative == 0) return LayerBody::kRows;
  switch (info.kind) {
    case device::BackendKind::kCuda:
      if (info.has_warpgroups && info.shared_memory_bytes >= WIDE_BYTES) return LayerBody::kWide;
      return info.shared_memory_bytes >= HALVES_TILES_BYTES ? LayerBody::kTensor : LayerBody::kRows;
    case device::BackendKind::kCpu:
      return alternative > 0 ? LayerBody::kLanes : LayerBody::kRows;
    default:
      return LayerBody::kLanes;
  }
}

size_t layer_bytes(const device::DeviceInfo& info, LayerBody body) {
  if (body == LayerBody::kWide) return WIDE_BYTES;
  return info.shared_memory_bytes >= HALVES_BYTES ? HALVES_BYTES : HALVES_TILES_BYTES;
}

StatusOr<Port> add_large(const FilterContext& context, Network& network, Port texels, Port values, int width,
                         int height, const Enlargement& options) {
  const LayerBody body =
      context.device == nullptr ? LayerBody::kRows : layer_body(context.device->info(), context.alternative);
  ASSIGN_OR_RETURN(const LargeKernels kernels, load_large_kernels(context, body));
  const networks::PackedWeights packed = packed_weights(*options.network, options.source, body);
  ASSIGN_OR_RETURN(Constants weights, make_constants_of(context, std::span<const uint32_t>(packed.words())));
  TileSize tile = options.tile.columns > 0 ? options.tile : tile_of(body);
  tile = {std::min(tile.columns, width), std::min(tile.rows, height)};
  NodeDescriptor descriptor;
  descriptor.name = "large";
  descriptor.inputs.resize(2);
  descriptor.outputs = {texels_format(2 * width, 2 * height)};
  const uint32_t units = context.device == nullptr ? 1 : std::max(context.device->info().compute_units, 1u);
  const int layers = int(options.network->body.size());
  const double multiply_adds = kEndMultiplyAdds + layers * kLayerMultiplyAdds;
  descriptor.cost.operations = 0;
  descriptor.cost.unit_operations = 2 * multiply_adds * width * height;
  const int portions = portions_of_rows(context, {uint32_t(width), height, 2 * multiply_adds});
  return network.add(std::make_unique<LargeNode>(LargeParts{
                         std::move(descriptor), kernels, std::move(weights), packed.offsets_bytes(), width,
                         height, options, tile, body, layers, options.network->margin(), units, portions}),
                     {texels, values});
}

}  // namespace weft::filters::texture
