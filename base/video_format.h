// SPDX-License-Identifier: Apache-2.0
// What a picture's samples are: the words that media (files), filters (device memory) and the worker share.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft {

// Planar pictures: luma, then the two chroma planes, if any. Samples deeper than 8 bits are 16-bit words,
// native byte order, value in the low bits.
enum class Chroma { kGray, k420, k422, k444 };

struct VideoFormat {
  int width = 0;  // luma samples
  int height = 0;
  Chroma chroma = Chroma::k420;
  int bit_depth = 8;  // 8 to 16

  bool operator==(const VideoFormat&) const = default;

  int planes() const { return chroma == Chroma::kGray ? 1 : 3; }
  int sample_bytes() const { return bit_depth > 8 ? 2 : 1; }
  // Chroma planes are rounded up: a 5x5 picture in 4:2:0 has 3x3 chroma samples.
  int plane_width(int plane) const {
    return plane > 0 && (chroma == Chroma::k420 || chroma == Chroma::k422) ? (width + 1) / 2 : width;
  }
  int plane_height(int plane) const {
    return plane > 0 && chroma == Chroma::k420 ? (height + 1) / 2 : height;
  }
  // Samples of all planes in bytes, rows packed.
  size_t packed_bytes() const {
    size_t bytes = 0;
    for (int plane = 0; plane < planes(); plane++)
      bytes += size_t(plane_width(plane)) * size_t(plane_height(plane)) * size_t(sample_bytes());
    return bytes;
  }
};

inline constexpr int kMaxPictureSide = 16384;  // luma samples in either direction

// Which field of an interlaced frame is first in time. The top field holds lines 0, 2, 4 ...
enum class FieldOrder { kUnknown, kProgressive, kTopFirst, kBottomFirst };

}  // namespace weft
