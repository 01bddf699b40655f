// SPDX-License-Identifier: Apache-2.0
// Implements the networks `small` as a node. Rows of blocks are sorted into bins by their submodes
// and then computed bin by bin. No block depends on another one, so the bytes do not depend on the
// division into rows.
#include <algorithm>
#include <utility>

#include "kernels/texture/small_alpha.kernel"
#include "kernels/texture/small_base.kernel"
#include "kernels/texture/small_encode.kernel"
#include "kernels/texture/small_pick.kernel"
#include "server/filters/nodes/layout_node.h"
#include "server/filters/nodes/node_of.h"
#include "server/filters/nodes/rows_node.h"
#include "server/filters/texture/enlarge_params.h"
#include "server/filters/texture/small_network.h"
#include "server/filters/texture/small_weights.h"
#include "server/filters/texture/tensor_bodies.h"
#include "server/filters/texture/texture.h"

namespace weft::filters::texture {
namespace {

using Base = kernels::small_base::Params;
using Pick = kernels::small_pick::Params;
using Make = kernels::small_blocks::Params;
using Encode = kernels::small_encode::Params;
using Alpha = kernels::small_alpha::Params;

constexpr double kBlockOperations = 1e5;        // operations per block of both networks
constexpr double kTensorBlockOperations = 5e3;  // operations per block outside the tensor cores
// Blocks that are computed together. Each needs 292 bytes of scratch memory, and fewer blocks are
// enough to fill a device. The kernels for tensor cores read their weights once per group, so their
// groups are larger.
constexpr int kBlocksAtOnce = 1 << 16, kTensorBlocksAtOnce = 1 << 20;
// Per compute unit: teams of the kernel for tensor cores that picks submodes, and lanes that search
// for blocks with alpha.
constexpr uint32_t kTensorPickTeams = 4, kAlphaLanes = 256;
constexpr size_t kScratchAlignment = 16;  // bytes that a lane reads at once

// Returns the format without its flags.
int plain_of(int format) { return format & 7; }

struct SmallParts {
  NodeDescriptor descriptor;
  const device::Kernel *base = nullptr, *pick = nullptr, *make = nullptr, *encode = nullptr, *alpha = nullptr;
  Constants weights;  // the predictor's weights first, if there is a predictor
  Constants submodes;
  int submode_count;
  int format;
  int width, height;
  Enlargement options;
  int quality;
  bool is_tensor;
  uint32_t make_teams;  // teams per compute unit
  uint32_t compute_units;
  int portions;
};

class SmallNode final : public NodeOf<SmallParts> {
 public:
  using NodeOf::NodeOf;

  int portions() const override { return parts_.portions; }
  size_t scratch_bytes(int) const override {
    return offsets_of(std::min(rows_at_once(), blocks_y()) * blocks_x()).end;
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
  // Returns true if a predictor selects the submode: for BC7. The other formats have one network.
  bool picks() const { return plain_of(parts_.format) == BLOCKS_BC7; }
  bool has_alpha() const {
    return plain_of(parts_.format) != BLOCKS_BC5 && (parts_.format & BLOCKS_OPAQUE) == 0;
  }
  // Offsets in the scratch memory of a portion: bins first, each with space for all blocks, then
  // bases, then the results of the networks.
  struct Offsets {
    size_t bases, outputs, end;
  };
  Offsets offsets_of(int blocks) const {
    Offsets offsets{};
    offsets.bases = round_up((SMALL_BINS + SMALL_BINS * size_t(blocks)) * sizeof(int), kScratchAlignment);
    offsets.outputs =
        offsets.bases + round_up(size_t(blocks) * SMALL_BASE_WORDS * sizeof(uint32_t), kScratchAlignment);
    offsets.end = offsets.outputs + size_t(rounds_of(blocks)) * SMALL_ROUND * SMALL_OUTPUTS * sizeof(float);
    return offsets;
  }
  // Returns an upper bound over all bins together: each bin may end with a partial round.
  int rounds_of(int blocks) const {
    return (blocks + SMALL_ROUND - 1) / SMALL_ROUND + parts_.submode_count - 1;
  }
  // With tensor cores, at most `tensor_teams` teams per compute unit share all rounds.
  device::Grid grid_of(int rounds, uint32_t tensor_teams) const {
    if (!parts_.is_tensor) return {uint32_t(rounds) * (SMALL_ROUND / SMALL_TEAM) * SMALL_LANES, 1, 1};
    const uint32_t teams = std::min(uint32_t(rounds), tensor_teams * parts_.compute_units);
    return {teams * SMALL_LANES, 1, 1};
  }

  void enqueue_rows(device::Stream& stream, const Step& step, int unit, Items rows) const {
    const int blocks = rows.count * blocks_x(), rounds = rounds_of(blocks);
    stream.fill(*step.scratch, 0, SMALL_BINS * sizeof(int), std::byte{0});
    enqueue_base(stream, step, unit, rows);
    if (picks()) {
      stream.launch(*parts_.pick, grid_of((blocks + SMALL_ROUND - 1) / SMALL_ROUND, kTensorPickTeams),
                    of_blocks<Pick>(step, unit, rows));
    }
    stream.launch(*parts_.make, grid_of(rounds, parts_.make_teams), of_blocks<Make>(step, unit, rows));
    stream.launch(*parts_.encode, {uint32_t(rounds * SMALL_ROUND), 1, 1},
                  of_blocks<Encode>(step, unit, rows));
    if (has_alpha()) enqueue_alpha(stream, step, unit, rows);
  }

  // Returns the parameters of a portion for all its kernels.
  template <class Params>
  Params of_portion(const Step& step, int unit, Items rows) const {
    Params params = {};
    params.texels = source_of<decltype(Params::texels)>(step, unit);
    params.bins = device::at<decltype(Params::bins)>(*step.scratch, 0);
    params.width = parts_.width;
    params.height = parts_.height;
    params.border = parts_.options.border;
    params.blocks_x = blocks_x();
    params.first_row = rows.first;
    params.blocks = rows.count * blocks_x();
    params.is_normal = parts_.options.is_normal ? 1 : 0;
    return params;
  }

  void enqueue_base(device::Stream& stream, const Step& step, int unit, Items rows) const {
    Base base = of_portion<Base>(step, unit, rows);
    base.values = source_of<decltype(Base::values)>(step, unit, 1);
    base.bases = device::at<decltype(Base::bases)>(*step.scratch, offsets_of(base.blocks).bases);
    base.has_alpha = has_alpha() ? 1 : 0;
    stream.launch(*parts_.base, tiled_shape(2 * blocks_x(), 2 * rows.count, 0).grid(2 * rows.count), base);
  }

  // Returns the parameters of the kernels that share small.h.
  template <class Params>
  Params of_blocks(const Step& step, int unit, Items rows) const {
    Params params = of_portion<Params>(step, unit, rows);
    const Offsets offsets = offsets_of(params.blocks);
    params.bases = device::at<decltype(Params::bases)>(*step.scratch, offsets.bases);
    params.outputs = device::at<decltype(Params::outputs)>(*step.scratch, offsets.outputs);
    params.target = target_of<decltype(Params::target)>(step, unit);
    params.weights = device::at<decltype(Params::weights)>(*parts_.weights, 0);
    params.of_submodes = device::at<decltype(Params::of_submodes)>(*parts_.submodes, 0);
    params.submodes = parts_.submode_count;
    params.has_bins = picks() ? 1 : 0;
    return params;
  }

  void enqueue_alpha(device::Stream& stream, const Step& step, int unit, Items rows) const {
    Alpha alpha = of_portion<Alpha>(step, unit, rows);
    alpha.values = source_of<decltype(Alpha::values)>(step, unit, 1);
    alpha.target = target_of<decltype(Alpha::target)>(step, unit);
    alpha.lanes = int(std::min(uint32_t(alpha.blocks), kAlphaLanes * parts_.compute_units));
    alpha.format = plain_of(parts_.format);
    alpha.quality = parts_.quality;
    stream.launch(*parts_.alpha, {uint32_t(alpha.lanes), 1, 1}, alpha);
  }
};

// Teams of small_blocks that a multiprocessor has registers for, in the code for mma and for wgmma.
constexpr uint32_t kTensorMakeTeams = 2, kWideMakeTeams = 3;

}  // namespace

size_t small_make_bytes(const device::DeviceInfo& info) {
  constexpr size_t kElement = 16;  // an array has at least one element
  const bool has_room = info.has_warpgroups || info.shared_memory_bytes >= SMALL_BLOCKS_BYTES;
  return has_room ? SMALL_BLOCKS_BYTES : kElement;
}

uint32_t small_make_teams(const device::DeviceInfo& info) {
  return info.has_warpgroups ? kWideMakeTeams : kTensorMakeTeams;
}

bool small_makes(int format) {
  const int plain = plain_of(format);
  return (format & BLOCKS_SIGNED) == 0 && (plain == BLOCKS_BC7 || plain == BLOCKS_BC1 || plain == BLOCKS_BC5);
}

StatusOr<Port> add_small(const FilterContext& context, Network& network, Port texels, int width, int height,
                         int format, const Enlargement& options, const SmallNetwork& weights, int quality) {
  ASSIGN_OR_RETURN(const Port values,
                   add_refined(context, network, texels, width, height, options.border, options.passes));
  SmallParts parts;
  parts.format = format;
  parts.descriptor.name = "small";
  parts.descriptor.inputs.resize(2);
  parts.descriptor.outputs = {blocks_format({format, 2 * width, 2 * height})};
  parts.is_tensor = context.device != nullptr && context.device->info().kind == device::BackendKind::kCuda;
  parts.compute_units = context.device != nullptr ? uint32_t(context.device->info().compute_units) : 1;
  parts.make_teams = parts.is_tensor ? small_make_teams(context.device->info()) : 1;
  PackedSmall packed(parts.is_tensor);
  const int plain = plain_of(format);
  if (plain == BLOCKS_BC7) {
    packed.add_predictor(weights.predictor);
    for (const SubmodeNetwork& submode : weights.submodes) packed.add_blocks(submode, options.source);
  } else {
    packed.add_blocks(weights.formats[plain == BLOCKS_BC1 ? 0 : 1], options.source);
  }
  constexpr size_t kBytes = SMALL_FLOATS * sizeof(float);
  constexpr size_t kTensorPickBytes = SMALL_PICK_BYTES;
  ASSIGN_OR_RETURN(parts.pick, load_team_kernel(context, "texture/small_pick",
                                                parts.is_tensor ? kTensorPickBytes : kBytes));
  ASSIGN_OR_RETURN(parts.make,
                   load_team_kernel(context, "texture/small_blocks",
                                    parts.is_tensor ? small_make_bytes(context.device->info()) : kBytes));
  ASSIGN_OR_RETURN(parts.base, load_team_kernel(context, "texture/small_base", kTileBytes));
  ASSIGN_OR_RETURN(parts.encode, context.load("texture/small_encode"));
  ASSIGN_OR_RETURN(parts.alpha, context.load("texture/small_alpha"));
  ASSIGN_OR_RETURN(parts.weights, make_constants_of(context, std::span<const uint32_t>(packed.words())));
  ASSIGN_OR_RETURN(parts.submodes, make_constants_of(context, std::span<const int32_t>(packed.submodes())));
  parts.submode_count = int(packed.submodes().size()) / SUBMODE_INTS;
  parts.width = width;
  parts.height = height;
  parts.options = options;
  parts.quality = quality;
  parts.portions = portions_of_rows(context, {uint32_t(width + 1) / 2, (height + 1) / 2,
                                              parts.is_tensor ? kTensorBlockOperations : kBlockOperations});
  return network.add(std::make_unique<SmallNode>(std::move(parts)), {texels, values});
}

}  // namespace weft::filters::texture
