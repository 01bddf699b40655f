// SPDX-License-Identifier: Apache-2.0
// What a picture's samples are: the words that media (files), filters (device memory) and the worker share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace weft {

// Planar pictures: luma, then the two chroma planes, if any. Samples deeper than 8 bits are 16-bit words,
// native byte order, value in the low bits. The numbers are written into files: new ones go to the end.
enum class Chroma { kGray, k420, k422, k444, k411, k410, k440 };

// "4:2:0", for messages and keys.
constexpr const char* name_of(Chroma chroma) {
  switch (chroma) {
    case Chroma::kGray:
      return "gray";
    case Chroma::k420:
      return "4:2:0";
    case Chroma::k422:
      return "4:2:2";
    case Chroma::k444:
      return "4:4:4";
    case Chroma::k411:
      return "4:1:1";
    case Chroma::k410:
      return "4:1:0";
    case Chroma::k440:
      return "4:4:0";
  }
  return "?";
}

// Columns and rows of luma samples that one chroma sample stands for; 4:1:0 has a quarter of both.
constexpr int columns_of_chroma(Chroma chroma) {
  if (chroma == Chroma::k411 || chroma == Chroma::k410) return 4;
  return chroma == Chroma::k420 || chroma == Chroma::k422 ? 2 : 1;
}
constexpr int rows_of_chroma(Chroma chroma) {
  if (chroma == Chroma::k410) return 4;
  return chroma == Chroma::k420 || chroma == Chroma::k440 ? 2 : 1;
}

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
    const int columns = plane > 0 ? columns_of_chroma(chroma) : 1;
    return (width + columns - 1) / columns;
  }
  int plane_height(int plane) const {
    const int rows = plane > 0 ? rows_of_chroma(chroma) : 1;
    return (height + rows - 1) / rows;
  }
  // Samples of all planes in bytes, rows packed.
  size_t packed_bytes() const {
    size_t bytes = 0;
    for (int plane = 0; plane < planes(); plane++)
      bytes += size_t(plane_width(plane)) * size_t(plane_height(plane)) * size_t(sample_bytes());
    return bytes;
  }
};

// What a decoder left in a GPU's memory, by addresses: luma, and chroma in planes or in pairs.
struct Surface {
  VideoFormat format{};
  // Addresses of the planes' first samples; of pairs, the second chroma plane's is a sample further on than the first's.
  std::array<uint64_t, 3> plane{};
  std::array<int, 3> stride_bytes{};
  int chroma_step = 1;  // samples from a chroma sample to the next in a row: 2 in pairs
  int shift = 0;        // bits below a value in its word
};

inline constexpr int kMaxPictureSide = 16384;  // luma samples in either direction

// Which field of an interlaced frame is first in time. The top field holds lines 0, 2, 4 ...
enum class ScanOrder { kUnknown, kProgressive, kTopFirst, kBottomFirst };

}  // namespace weft
