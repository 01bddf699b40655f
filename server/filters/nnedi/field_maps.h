// SPDX-License-Identifier: Apache-2.0
// Contains code shared by the nodes of neural networks: the layout of a field's samples in scratch
// memory, and the parameters of a picture for their kernels.
#pragma once

#include <algorithm>
#include <array>
#include <memory>

#include "kernels/nnedi/edge.h"
#include "kernels/video/frames.h"
#include "server/filters/nnedi/nnedi.h"
#include "server/filters/nodes/layout_node.h"

namespace weft::filters::nnedi {

// The layout of a format's planes in scratch memory during processing (MAP_INTS of
// kernels/nnedi/edge.h).
struct FieldMaps {
  static constexpr int kPlanes = 3;
  std::array<int32_t, size_t(kPlanes* MAP_INTS)> ints{};
  int tiles = 0;        // tiles of all planes
  size_t features = 0;  // floats of one set of feature maps
  int most_x = 0, most_y = 0;

  FieldMaps(const VideoFormat& format, int channels) {
    for (int plane = 0; plane < format.planes(); plane++) {
      const int width = format.plane_width(plane), rows = (format.plane_height(plane) + 1) / 2;
      const int tiles_x = (width + TILE_X - 1) / TILE_X, tiles_y = (rows + TILE_Y - 1) / TILE_Y;
      const int stride = FEATURE_LEFT + tiles_x * TILE_X + FEATURE_LEFT;
      const int channel = stride * (tiles_y * TILE_Y + 2);
      int32_t* map = &ints[size_t(plane * MAP_INTS)];
      map[MAP_TILES_X] = tiles_x;
      map[MAP_TILES_Y] = tiles_y;
      map[MAP_STRIDE] = stride;
      map[MAP_CHANNEL] = channel;
      map[MAP_FEATURES] = int32_t(features / FEATURE_UNIT);
      map[MAP_TILES] = tiles;
      map[MAP_WIDTH] = width;
      map[MAP_ROWS] = rows;
      tiles += tiles_x * tiles_y;
      features += round_up(size_t(channel) * size_t(channels), FEATURE_UNIT);
      most_x = std::max(most_x, tiles_x);
      most_y = std::max(most_y, tiles_y);
    }
  }

  // Returns a grid with a block for each tile of all planes, `groups` times.
  device::Grid grid(const device::Kernel& kernel, const Step& step, int groups = 1) const {
    return {uint32_t(most_x) * kernel.shape().block_x, uint32_t(most_y),
            uint32_t(step.inputs[0]->format.video.planes() * groups)};
  }
};

// Returns parameters with FRAME_PARAMS and EDGE_PARAMS set. `parity` is PARITY_OF_FLAGS or
// PARITY_TOP_KEPT; 0: the second input port contains the parity of each unit.
template <class Params>
Params field_params(const Step& step, const device::Buffer& maps, int unit, int target, int parity) {
  auto params = frame_params<Params>(step, 1);
  params.maps = device::at<decltype(Params::maps)>(maps);
  params.unit = unit;
  params.target = target;
  params.parity = parity < 0 ? parity : step.shape->inputs[1];
  return params;
}

// Returns true if the unit is known to be copied before any kernel has run.
inline bool is_copied(const Step& step, int unit, int parity) {
  return parity == PARITY_OF_FLAGS && (step.rows[size_t(unit * step.shape->ints)] & FLAG_COPY) != 0;
}

// Calls enqueue(unit, number of the picture within the unit) for every output picture.
template <class Enqueue>
void for_each_picture(const Step& step, const Enqueue& enqueue) {
  for (int unit = 0; unit < step.units; unit++)
    for (int target = 0; target < step.shape->units[0]; target++)
      if (step.rows[size_t(unit * step.shape->ints + step.shape->targets[0] + target)] >= 0)
        enqueue(unit, target);
}

// Creates a node that computes a network of 16 channels and one layer (EdgeNetwork::is_fast) in one
// kernel.
StatusOr<std::unique_ptr<Node>> make_fused_node(const FilterContext& context, NodeDescriptor descriptor,
                                                const EdgeNetwork& network, int parity);
// Creates a node for a user's weights.
StatusOr<std::unique_ptr<Node>> make_nnedi3_node(const FilterContext& context, NodeDescriptor descriptor,
                                                 std::shared_ptr<const Nnedi3Network> network, int parity);

}  // namespace weft::filters::nnedi
