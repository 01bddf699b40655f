// SPDX-License-Identifier: Apache-2.0
// How the pyramid of a picture lies in memory, and its blocks on it, for every kernel of motion (kernels/motion/motion.h). Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/video_format.h"

namespace weft::filters::motion {

// Limits of what a search is asked for.
inline constexpr int kMaxRadius = 6;  // pictures to each side
inline constexpr int kMaxLevels = 10;

struct BlockGrid {
  int block = 16;   // luma samples a side: 8, 16 or 32
  int overlap = 8;  // of neighbours: even, at most half a block
  int pel = 2;      // steps of a vector in a sample: 1, 2 or 4

  int step() const { return block - overlap; }
  // Blocks that cover so many samples.
  int count(int samples) const;
};

// What a filter calls them, for errors.
struct GridOptionNames {
  std::string_view block = "block", overlap = "overlap", pel = "pel";
};

struct PyramidLevel {
  struct Plane {
    int width = 0, height = 0;
    int offset = 0;   // from the unit's begin to the picture's first sample, in samples
    int stride = 0;   // samples
    int between = 0;  // from a plane to the one that is moved by a step
  };
  std::array<Plane, 3> planes;
  int blocks_x = 0, blocks_y = 0;
  int blocks() const { return blocks_x * blocks_y; }
};

class Geometry {
 public:
  // INVALID_ARGUMENT naming the option: a grid that is none of the above, or pictures whose pyramid has more than 2^31 samples.
  static StatusOr<Geometry> of(const VideoFormat& format, const BlockGrid& grid,
                               const GridOptionNames& names = {});

  const BlockGrid& grid() const { return grid_; }
  const std::vector<PyramidLevel>& levels() const { return levels_; }  // the finest first
  int pel_log2() const;
  size_t super_bytes() const { return super_bytes_; }  // of a picture's pyramid
  // Of a unit's vectors on the finest level.
  size_t vector_bytes(int fields) const;
  // Rows of a level's plane with its border.
  int bordered_rows(int level, int plane) const;
  // A threshold for 8x8 pixels as that of a block, chroma with it where it counts.
  int for_block(int64_t per_8x8, bool chroma) const;
  // For the device.
  std::vector<int32_t> words() const;

 private:
  Geometry(const VideoFormat& format, const BlockGrid& grid) : format_(format), grid_(grid) {}
  Status lay_out(const GridOptionNames& names);
  int border(bool is_x, int plane) const;
  int bordered_columns(int level, int plane) const;

  VideoFormat format_;
  BlockGrid grid_;
  std::vector<PyramidLevel> levels_;
  size_t super_bytes_ = 0;
};

}  // namespace weft::filters::motion
