// SPDX-License-Identifier: Apache-2.0
// What the textures of a stream take, for clients, daemon and workers.
#pragma once

#include <cstdint>

#include "weft/v1/stream_service.pb.h"
#include "weft/v1/texture.pb.h"

namespace weft::options {

// Texels of a side of a block; of RGBA8 a block is a texel. 0: no such format.
constexpr int block_side(v1::BlockFormat format) {
  if (format < v1::BLOCK_FORMAT_RGBA8 || format > v1::BLOCK_FORMAT_BC7) return 0;
  return format == v1::BLOCK_FORMAT_RGBA8 ? 1 : 4;
}

constexpr int block_bytes(v1::BlockFormat format) {
  switch (format) {
    case v1::BLOCK_FORMAT_RGBA8:
      return 4;
    case v1::BLOCK_FORMAT_BC1:
    case v1::BLOCK_FORMAT_BC4:
    case v1::BLOCK_FORMAT_BC4_SIGNED:
      return 8;
    default:
      return 16;
  }
}

// Whether textures come, rather than frames. Defaults alone say nothing.
inline bool carries_textures(const v1::OpenStream& open) {
  const v1::TextureStream& texture = open.texture();
  return texture.source() != v1::BLOCK_FORMAT_UNSPECIFIED || texture.width() != 0 || texture.height() != 0;
}

// Of one image of a known format and sides of 1 or more.
constexpr int64_t texture_bytes(v1::BlockFormat format, int width, int height) {
  const int side = block_side(format);
  return int64_t((width + side - 1) / side) * ((height + side - 1) / side) * block_bytes(format);
}

}  // namespace weft::options
