// SPDX-License-Identifier: Apache-2.0
// Computes the sizes of a stream's textures for clients, daemon and workers.
#pragma once

#include <cstdint>

#include "weft/v1/stream_service.pb.h"
#include "weft/v1/texture.pb.h"

namespace weft::options {

// Returns the side of a block in texels (1 for RGBA8), or 0 for an unknown format.
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

// Returns true if the stream carries textures rather than frames: if its texture format or size is
// set.
inline bool carries_textures(const v1::OpenStream& open) {
  const v1::TextureStream& texture = open.texture();
  return texture.source() != v1::BLOCK_FORMAT_UNSPECIFIED || texture.width() != 0 || texture.height() != 0;
}

// Returns the size of one image in bytes. Requires a known format, and a width and height of at
// least 1.
constexpr int64_t texture_bytes(v1::BlockFormat format, int width, int height) {
  const int side = block_side(format);
  return int64_t((width + side - 1) / side) * ((height + side - 1) / side) * block_bytes(format);
}

}  // namespace weft::options
