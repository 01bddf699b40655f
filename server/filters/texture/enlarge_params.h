// SPDX-License-Identifier: Apache-2.0
// Provides the Params of enlarge.kernel, which two nodes launch, and the tiles of its teams. Kernel
// files have no include guard, so the nodes include this header.
#pragma once

#include "kernels/texture/enlarge.kernel"
#include "server/filters/nodes/rows_node.h"
#include "server/filters/texture/texture.h"

namespace weft::filters::texture {

using EnlargeParams = kernels::enlarge::Params;

constexpr size_t kTileBytes = TILE_INTS * sizeof(int);

// Returns the shape of rows for kernels with one team per tile of texels.
inline RowsShape tiled_shape(int width, int height, double texel_cost) {
  return {uint32_t(width), height, texel_cost, TILE_LANES, TILE_X, TILE_Y};
}

}  // namespace weft::filters::texture
