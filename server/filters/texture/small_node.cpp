// SPDX-License-Identifier: Apache-2.0
// The networks `small` as a node: rows of blocks at a time are put into bins by their submodes, then made bin by bin. No block sees another, so
// that the bytes do not depend on where rows begin.
#include <algorithm>
#include <bit>
#include <utility>

#include "kernels/texture/small_alpha.kernel"
#include "kernels/texture/small_pick.kernel"
#include "server/filters/picture/layout_node.h"
#include "server/filters/texture/rows_node.h"
#include "server/filters/texture/small_network.h"
#include "server/filters/texture/small_weights.h"

namespace weft::filters::texture {
namespace {

using Pick = kernels::small_pick::Params;
using Make = kernels::small_blocks::Params;
using Alpha = kernels::small_alpha::Params;

constexpr double kBlockOperations = 1e5;        // of both networks
constexpr double kTensorBlockOperations = 5e3;  // of what tensor cores leave to the rest
// Of a portion: bins are memory for each submode, and a GPU is full with fewer. A body for tensor cores reads its weights once a portion.
constexpr int kBlocksAtOnce = 1 << 18, kTensorBlocksAtOnce = 1 << 20;
constexpr uint32_t kTensorGroups = 2;  // of each compute unit

// Without its flags.
int plain_of(int format) { return format & 7; }

class SmallNode final : public Node {
 public:
  struct Parts {
    NodeDescriptor descriptor;
    const device::Kernel *pick = nullptr, *make = nullptr, *alpha = nullptr;
    Constants weights;
    std::vector<size_t> begins;  // in words: the predictor's where there is one, then the submodes'
    std::vector<Submode> submodes;
    int format;
    int width, height;
    Enlargement options;
    int quality;
    bool is_tensor;
    uint32_t compute_units;
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
  int rows_at_once() const {
    return std::max((parts_.is_tensor ? kTensorBlocksAtOnce : kBlocksAtOnce) / blocks_x(), 1);
  }
  // Of BC7 a predictor picks; the other formats have one network.
  bool picks() const { return plain_of(parts_.format) == BLOCKS_BC7; }
  bool has_alpha() const {
    return plain_of(parts_.format) != BLOCKS_BC5 && (parts_.format & BLOCKS_OPAQUE) == 0;
  }
  device::Grid grid_of(int blocks) const {
    const auto parts = [](int size, int part) { return uint32_t((size + part - 1) / part); };
    if (!parts_.is_tensor) return {parts(blocks, SMALL_TEAM) * SMALL_LANES, 1, 1};
    const uint32_t groups = std::min(parts(blocks, SMALL_LANES), kTensorGroups * parts_.compute_units);
    return {groups * SMALL_LANES, 1, 1};
  }

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
    const device::Grid grid = grid_of(pick.blocks);
    if (picks()) {
      stream.fill(*step.scratch, 0, SMALL_SUBMODES_MOST * sizeof(int), std::byte{0});
      stream.launch(*parts_.pick, grid, pick);
    }
    // The same words, as the other kernel's.
    static_assert(sizeof(Make) == sizeof(Pick));
    for (size_t i = 0; i < parts_.submodes.size(); i++) {
      Make make = std::bit_cast<Make>(pick);
      const Submode& submode = parts_.submodes[i];
      make.weights = weights_of<decltype(Make::weights)>(picks() ? 1 + i : i);
      make.submode = picks() ? int(i) : -1;
      make.outputs = int(round_up(size_t(submode.outputs()), SMALL_GROUP));
      make.mode = submode.mode;
      make.pattern = submode.pattern;
      make.rotation = submode.rotation;
      make.selector = submode.selector;
      stream.launch(*parts_.make, grid, make);
    }
    if (has_alpha()) enqueue_alpha(stream, step, unit, rows);
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
    alpha.format = plain_of(parts_.format);
    alpha.quality = parts_.quality;
    stream.launch(*parts_.alpha, {uint32_t(blocks_x()), uint32_t(rows.count), 1}, alpha);
  }

  template <class Word>
  Word weights_of(size_t network) const {
    return device::at<Word>(*parts_.weights, parts_.begins[network] * sizeof(uint32_t));
  }

  Parts parts_;
};

}  // namespace

bool small_makes(int format) {
  const int plain = plain_of(format);
  return (format & BLOCKS_SIGNED) == 0 && (plain == BLOCKS_BC7 || plain == BLOCKS_BC1 || plain == BLOCKS_BC5);
}

StatusOr<Port> add_small(const FilterContext& context, Network& network, Port texels, int width, int height,
                         int format, const Enlargement& options, const SmallNetwork& weights, int quality) {
  ASSIGN_OR_RETURN(const Port values,
                   add_refined(context, network, texels, width, height, options.border, options.passes));
  SmallNode::Parts parts;
  parts.format = format;
  parts.descriptor.name = "small";
  parts.descriptor.inputs.resize(2);
  parts.descriptor.outputs = {blocks_format({format, 2 * width, 2 * height})};
  parts.is_tensor = context.device != nullptr && context.device->info().kind == device::BackendKind::kCuda;
  parts.compute_units = context.device != nullptr ? uint32_t(context.device->info().compute_units) : 1;
  PackedSmall packed(parts.is_tensor);
  const int plain = plain_of(format);
  if (plain == BLOCKS_BC7) {
    packed.add_predictor(weights.predictor);
    for (const SubmodeNetwork& submode : weights.submodes) {
      packed.add_blocks(submode, options.source);
      parts.submodes.push_back(submode.submode);
    }
  } else {
    const SubmodeNetwork& of_format = weights.formats[plain == BLOCKS_BC1 ? 0 : 1];
    packed.add_blocks(of_format, options.source);
    parts.submodes.push_back(of_format.submode);
  }
  if (context.device != nullptr) {
    constexpr size_t kBytes = SMALL_FLOATS * sizeof(float);
    constexpr size_t kTensorPickBytes =
        SMALL_TENSOR_BYTES(SMALL_PICK_FRAGMENTS, SMALL_PICK_BIASES, SMALL_PICK_ROWS);
    constexpr size_t kTensorMakeBytes =
        SMALL_TENSOR_BYTES(SMALL_BLOCKS_FRAGMENTS, SMALL_BLOCKS_BIASES, SMALL_OUTPUTS);
    ASSIGN_OR_RETURN(parts.pick,
                     context.device->load("texture/small_pick", parts.is_tensor ? kTensorPickBytes : kBytes));
    ASSIGN_OR_RETURN(parts.make, context.device->load("texture/small_blocks",
                                                      parts.is_tensor ? kTensorMakeBytes : kBytes));
  }
  ASSIGN_OR_RETURN(parts.alpha, context.load("texture/small_alpha"));
  ASSIGN_OR_RETURN(parts.weights, make_constants_of(context, std::span<const uint32_t>(packed.words())));
  parts.begins = packed.begins();
  parts.width = width;
  parts.height = height;
  parts.options = options;
  parts.quality = quality;
  parts.portions = portions_of_rows(context, {uint32_t(width + 1) / 2, (height + 1) / 2,
                                              parts.is_tensor ? kTensorBlockOperations : kBlockOperations});
  return network.add(std::make_unique<SmallNode>(std::move(parts)), {texels, values});
}

}  // namespace weft::filters::texture
