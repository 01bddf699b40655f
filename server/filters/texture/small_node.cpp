// SPDX-License-Identifier: Apache-2.0
// The networks `small` as a node: rows of blocks at a time are put into bins by their submodes, then made bin by bin. No block sees another, so
// that the bytes do not depend on where rows begin.
#include <algorithm>
#include <bit>
#include <utility>

#include "kernels/texture/small_alpha.kernel"
#include "kernels/texture/small_blocks.kernel"
#include "kernels/texture/small_pick.kernel"
#include "server/filters/picture/layout_node.h"
#include "server/filters/texture/rows_node.h"
#include "server/filters/texture/small_network.h"

namespace weft::filters::texture {
namespace {

using Pick = kernels::small_pick::Params;
using Make = kernels::small_blocks::Params;
using Alpha = kernels::small_alpha::Params;

constexpr double kBlockOperations = 1e5;  // of both networks
// Of a portion: bins are memory for each submode, and a GPU is full with fewer.
constexpr int kBlocksAtOnce = 1 << 18;

// Weights as small.h has them: (inputs + 1) * SMALL_GROUP a group of outputs, layer by layer.
class PackedSmall {
 public:
  PackedSmall(const SmallNetwork& network, TexelSource source) {
    begins_.push_back(words_.size());
    for (const nnedi::NetworkLayer& layer : network.predictor) add(layer);
    for (const SubmodeNetwork& submode : network.submodes) {
      begins_.push_back(words_.size());
      for (size_t i = 0; i < submode.layers.size(); i++) {
        nnedi::NetworkLayer layer = submode.layers[i];
        if (i == 0)
          for (size_t k = 0; k < layer.biases.size(); k++)
            layer.biases[k] += submode.sources[size_t(source) * layer.biases.size() + k];
        add(layer);
      }
    }
  }
  const std::vector<float>& words() const { return words_; }
  // Of the predictor, then of the submodes' networks: where they begin.
  const std::vector<size_t>& begins() const { return begins_; }

 private:
  void add(const nnedi::NetworkLayer& layer) {
    for (int first = 0; first < layer.outputs; first += SMALL_GROUP)
      for (int input = 0; input <= layer.inputs; input++)
        for (int k = first; k < first + SMALL_GROUP; k++) {
          const bool is_one = k < layer.outputs;
          words_.push_back(!is_one                 ? 0.0f
                           : input == layer.inputs ? layer.biases[size_t(k)]
                                                   : layer.weight(k, input, 0));
        }
  }

  std::vector<float> words_;
  std::vector<size_t> begins_;
};

class SmallNode final : public Node {
 public:
  struct Parts {
    NodeDescriptor descriptor;
    const device::Kernel *pick = nullptr, *make = nullptr, *alpha = nullptr;
    Constants weights;
    std::vector<size_t> begins;  // in floats
    std::vector<Submode> submodes;
    int width, height;
    Enlargement options;
    int quality;
    int portions;
  };
  explicit SmallNode(Parts parts) : parts_(std::move(parts)) {}

  const NodeDescriptor& descriptor() const override { return parts_.descriptor; }
  int portions() const override { return parts_.portions; }
  size_t scratch_bytes(int) const override {
    const int most_rows = std::min(rows_at_once(), blocks_y());
    return (SMALL_SUBMODES_MOST + parts_.submodes.size() * size_t(most_rows) * size_t(blocks_x())) *
           sizeof(int);
  }

  void enqueue(device::Stream& stream, const Step& step) override {
    const Items rows = items_of(step.portion, blocks_y());
    for (int unit = 0; unit < step.units; unit++)
      for (int first = rows.first; first < rows.first + rows.count; first += rows_at_once())
        enqueue_rows(stream, step, unit, {first, std::min(rows_at_once(), rows.first + rows.count - first)});
  }

 private:
  int blocks_x() const { return (parts_.width + 1) / 2; }
  int blocks_y() const { return (parts_.height + 1) / 2; }
  int rows_at_once() const { return std::max(kBlocksAtOnce / blocks_x(), 1); }

  void enqueue_rows(device::Stream& stream, const Step& step, int unit, Items rows) const {
    Pick pick = {};
    pick.texels = source_of<decltype(Pick::texels)>(step, unit);
    pick.values = source_of<decltype(Pick::values)>(step, unit, 1);
    pick.target = target_of<decltype(Pick::target)>(step, unit);
    pick.weights = weights_of<decltype(Pick::weights)>(0);
    pick.bins = device::at<decltype(Pick::bins)>(*step.scratch, 0);
    pick.width = parts_.width;
    pick.height = parts_.height;
    pick.border = parts_.options.border;
    pick.blocks_x = blocks_x();
    pick.first_row = rows.first;
    pick.blocks = rows.count * blocks_x();
    pick.submodes = int(parts_.submodes.size());
    pick.is_normal = parts_.options.is_normal ? 1 : 0;
    stream.fill(*step.scratch, 0, SMALL_SUBMODES_MOST * sizeof(int), std::byte{0});
    const device::Grid grid = {uint32_t((pick.blocks + SMALL_TEAM - 1) / SMALL_TEAM * SMALL_LANES), 1, 1};
    stream.launch(*parts_.pick, grid, pick);
    // The same words, as the other kernel's.
    static_assert(sizeof(Make) == sizeof(Pick));
    for (size_t i = 0; i < parts_.submodes.size(); i++) {
      Make make = std::bit_cast<Make>(pick);
      const Submode& submode = parts_.submodes[i];
      make.weights = weights_of<decltype(Make::weights)>(1 + i);
      make.submode = int(i);
      make.outputs = int(round_up(size_t(submode.outputs()), SMALL_GROUP));
      make.mode = submode.mode;
      make.pattern = submode.pattern;
      make.rotation = submode.rotation;
      make.selector = submode.selector;
      stream.launch(*parts_.make, grid, make);
    }
    enqueue_alpha(stream, step, unit, rows);
  }

  void enqueue_alpha(device::Stream& stream, const Step& step, int unit, Items rows) const {
    Alpha alpha = {};
    alpha.texels = source_of<decltype(Alpha::texels)>(step, unit);
    alpha.values = source_of<decltype(Alpha::values)>(step, unit, 1);
    alpha.target = target_of<decltype(Alpha::target)>(step, unit);
    alpha.width = parts_.width;
    alpha.height = parts_.height;
    alpha.border = parts_.options.border;
    alpha.blocks_x = blocks_x();
    alpha.blocks_y = blocks_y();
    alpha.first_row = rows.first;
    alpha.is_normal = parts_.options.is_normal ? 1 : 0;
    alpha.quality = parts_.quality;
    stream.launch(*parts_.alpha, {uint32_t(blocks_x()), uint32_t(rows.count), 1}, alpha);
  }

  template <class Word>
  Word weights_of(size_t network) const {
    return device::at<Word>(*parts_.weights, parts_.begins[network] * sizeof(float));
  }

  Parts parts_;
};

}  // namespace

StatusOr<Port> add_small(const FilterContext& context, Network& network, Port texels, int width, int height,
                         const Enlargement& options, const SmallNetwork& weights, int quality) {
  ASSIGN_OR_RETURN(const Port values,
                   add_refined(context, network, texels, width, height, options.border, options.passes));
  const PackedSmall packed(weights, options.source);
  SmallNode::Parts parts;
  parts.descriptor.name = "small";
  parts.descriptor.inputs.resize(2);
  parts.descriptor.outputs = {blocks_format({BLOCKS_BC7, 2 * width, 2 * height})};
  if (context.device != nullptr) {
    constexpr size_t kBytes = SMALL_FLOATS * sizeof(float);
    ASSIGN_OR_RETURN(parts.pick, context.device->load("texture/small_pick", kBytes));
    ASSIGN_OR_RETURN(parts.make, context.device->load("texture/small_blocks", kBytes));
  }
  ASSIGN_OR_RETURN(parts.alpha, context.load("texture/small_alpha"));
  ASSIGN_OR_RETURN(parts.weights, make_constants_of(context, std::span<const float>(packed.words())));
  parts.begins = packed.begins();
  for (const SubmodeNetwork& submode : weights.submodes) parts.submodes.push_back(submode.submode);
  parts.width = width;
  parts.height = height;
  parts.options = options;
  parts.quality = quality;
  parts.portions = portions_of_rows(context, {uint32_t(width + 1) / 2, (height + 1) / 2, kBlockOperations});
  return network.add(std::make_unique<SmallNode>(std::move(parts)), {texels, values});
}

}  // namespace weft::filters::texture
