// SPDX-License-Identifier: Apache-2.0
// The Params of enlarge.kernel, which two nodes launch: kernel files have no guard of their own. And the tiles of its teams.
#pragma once

#include "kernels/texture/enlarge.kernel"
#include "server/filters/nodes/rows_node.h"
#include "server/filters/texture/texture.h"

namespace weft::filters::texture {

using EnlargeParams = kernels::enlarge::Params;

constexpr size_t kTileBytes = TILE_INTS * sizeof(int);

// A grid of kernels whose teams make tiles of texels.
inline RowsShape tiled_shape(int width, int height, double texel_cost) {
  return {uint32_t(width), height, texel_cost, TILE_LANES, TILE_X, TILE_Y};
}

}  // namespace weft::filters::texture
