// SPDX-License-Identifier: Apache-2.0
// Defines formats of frames for media (files), filters (device memory) and the worker.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace weft {

// The chroma format of planar frames: a luma plane, then two chroma planes, if any. Samples deeper
// than 8 bits are 16-bit words in native byte order, with the value in the low bits. The numbers
// are written into files, so a new member is added at the end.
enum class Chroma { kGray, k420, k422, k444, k411, k410, k440 };

// Returns the name of the chroma format for messages and keys, such as "4:2:0".
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

// Return the columns and rows of luma samples that one chroma sample covers: 1, 2 or 4.
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
  // Return the size of a plane in samples. A chroma plane is rounded up: a 5x5 frame in 4:2:0 has
  // 3x3 chroma samples.
  int plane_width(int plane) const {
    const int columns = plane > 0 ? columns_of_chroma(chroma) : 1;
    return (width + columns - 1) / columns;
  }
  int plane_height(int plane) const {
    const int rows = plane > 0 ? rows_of_chroma(chroma) : 1;
    return (height + rows - 1) / rows;
  }
  // Returns the bytes of all planes with packed rows.
  size_t packed_bytes() const {
    size_t bytes = 0;
    for (int plane = 0; plane < planes(); plane++)
      bytes += size_t(plane_width(plane)) * size_t(plane_height(plane)) * size_t(sample_bytes());
    return bytes;
  }
};

// A decoded frame in GPU memory, given by addresses. The chroma planes are separate or interleaved.
struct Surface {
  VideoFormat format{};
  // Addresses of the first sample of each plane. With interleaved chroma, the second chroma plane
  // begins one sample after the first.
  std::array<uint64_t, 3> plane{};
  std::array<int, 3> stride_bytes{};
  int chroma_step = 1;  // distance in samples between chroma samples of a row; 2 if interleaved
  int shift = 0;        // unused low bits of each sample's word
};

inline constexpr int kMaxPictureSide = 16384;  // luma samples, width or height

// The scan type of a frame and the field that is first in time. The top field holds the lines 0, 2,
// 4 ...
enum class ScanOrder { kUnknown, kProgressive, kTopFirst, kBottomFirst };

}  // namespace weft
