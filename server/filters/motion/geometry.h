// SPDX-License-Identifier: Apache-2.0
// Lays out a picture's pyramid and its blocks in memory, for every kernel of motion
// (kernels/motion/motion.h). The functions are pure.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/video_format.h"

namespace weft::filters::motion {

// Limits of a search's options.
inline constexpr int kMaxRadius = 6;  // pictures on each side
inline constexpr int kMaxLevels = 10;

struct BlockGrid {
  int block = 16;   // luma samples per side: 8, 16 or 32
  int overlap = 8;  // overlap of adjacent blocks in luma samples: even, at most half a block
  int pel = 2;      // vector steps per sample: 1, 2 or 4

  int step() const { return block - overlap; }
  // Returns the number of blocks that cover `samples` samples.
  int count(int samples) const;
};

// The filter's names of these options, for errors.
struct GridOptionNames {
  std::string_view block = "block", overlap = "overlap", pel = "pel";
};

struct PyramidLevel {
  struct Plane {
    int width = 0, height = 0;
    int offset = 0;   // from the begin of the unit to the picture's first sample, in samples
    int stride = 0;   // samples
    int between = 0;  // samples from a plane to the plane that is shifted by one vector step
  };
  std::array<Plane, 3> planes;
  int blocks_x = 0, blocks_y = 0;
  int blocks() const { return blocks_x * blocks_y; }
};

class Geometry {
 public:
  // Returns the geometry. INVALID_ARGUMENT, with the name of the option: an invalid grid, or
  // pictures with a pyramid of more than 2^31 samples.
  static StatusOr<Geometry> of(const VideoFormat& format, const BlockGrid& grid,
                               const GridOptionNames& names = {});

  const BlockGrid& grid() const { return grid_; }
  const std::vector<PyramidLevel>& levels() const { return levels_; }  // the finest first
  int pel_log2() const;
  size_t super_bytes() const { return super_bytes_; }  // bytes of a picture's pyramid
  // Returns the bytes of a unit's vectors on the finest level.
  size_t vector_bytes(int fields) const;
  // Returns the rows of a level's plane with its border.
  int bordered_rows(int level, int plane) const;
  // Converts a threshold for 8x8 pixels to one for a block. With `chroma` the threshold includes
  // chroma.
  int for_block(int64_t per_8x8, bool chroma) const;
  // Returns the geometry in the form that kernels read.
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
