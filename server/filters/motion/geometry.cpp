// SPDX-License-Identifier: Apache-2.0
#include "server/filters/motion/geometry.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "kernels/motion/motion.h"
#include "kernels/motion/windows.h"
#include "server/filters/engine.h"
#include "server/graph/frame_layout.h"

namespace weft::filters::motion {

namespace {

// Bytes that a GPU cache reads at once.
constexpr size_t kBankBytes = 128;

// Returns log2 of the luma samples per chroma sample.
int subsampling_of(const VideoFormat& format, bool is_x) {
  if (format.planes() == 1) return 0;
  return std::bit_width(unsigned(is_x ? columns_of_chroma(format.chroma) : rows_of_chroma(format.chroma))) -
         1;
}

// Returns a sin^2 ramp from 0 to WINDOW_ONE over `overlap` samples. The ramp and its mirror image
// sum to WINDOW_ONE.
std::vector<int> ramp_of(int overlap) {
  constexpr double kOne = WINDOW_ONE;
  std::vector<int> ramp(static_cast<size_t>(overlap));
  for (int i = 0; i < overlap / 2; i++) {
    const double sine = std::sin(std::numbers::pi / 2 * (i + 0.5) / overlap);
    ramp[size_t(i)] = int(std::lround(kOne * sine * sine));
    ramp[size_t(overlap - 1 - i)] = int(kOne) - ramp[size_t(i)];
  }
  if (overlap % 2 == 1) ramp[size_t(overlap / 2)] = int(kOne) / 2;
  return ramp;
}

// Returns the windows of a side: of the first block, of a middle block, of the last block, and of a
// block that is the only one (kernels/motion/windows.h).
std::vector<int> windows_of(int size, int overlap) {
  const std::vector<int> ramp = ramp_of(overlap);
  std::vector<int> windows(size_t(WINDOW_KINDS * WINDOW_STRIDE(size)));
  for (int kind = 0; kind < WINDOW_KINDS; kind++)
    for (int i = 0; i < size; i++) {
      const bool rises = i < overlap && (kind == WINDOW_BETWEEN || kind == WINDOW_LAST);
      const bool falls = i >= size - overlap && (kind == WINDOW_BETWEEN || kind == WINDOW_FIRST);
      windows[size_t(kind * WINDOW_STRIDE(size) + WINDOW_MARGIN + i)] =
          rises   ? ramp[size_t(i)]
          : falls ? WINDOW_ONE - ramp[size_t(i - (size - overlap))]
                  : WINDOW_ONE;
    }
  return windows;
}

}  // namespace

int BlockGrid::count(int samples) const {
  return std::max(1, int(divide_up(size_t(std::max(samples - overlap, 1)), size_t(step()))));
}

StatusOr<Geometry> Geometry::of(const VideoFormat& format, const BlockGrid& grid,
                                const GridOptionNames& names) {
  if (grid.block != 8 && grid.block != 16 && grid.block != 32)
    return invalid_argument("A block has 8, 16 or 32 pixels a side, not {} ({}).", grid.block, names.block);
  if (grid.overlap % 2 != 0 || grid.overlap < 0 || grid.overlap > grid.block / 2)
    return invalid_argument(
        "Blocks of {} pixels overlap by an even number of pixels from 0 to {}, not by {} ({}).", grid.block,
        grid.block / 2, grid.overlap, names.overlap);
  const int whole = std::max({2, 1 << subsampling_of(format, true), 1 << subsampling_of(format, false)});
  if (grid.overlap % whole != 0)
    return invalid_argument(
        "Blocks of this chroma format overlap by a multiple of {} pixels, not by {} ({}).", whole,
        grid.overlap, names.overlap);
  if (grid.pel != 1 && grid.pel != 2 && grid.pel != 4)
    return invalid_argument("A vector has 1, 2 or 4 steps in a pixel, not {} ({}).", grid.pel, names.pel);
  Geometry geometry(format, grid);
  RETURN_IF_ERROR(geometry.lay_out(names));
  return geometry;
}

int Geometry::pel_log2() const { return grid_.pel == 4 ? 2 : grid_.pel - 1; }

int Geometry::border(bool is_x, int plane) const {
  return (grid_.block >> (plane == 0 ? 0 : subsampling_of(format_, is_x))) + BORDER_TAPS;
}

int Geometry::bordered_rows(int level, int plane) const {
  const int covered = levels_[size_t(level)].blocks_y * grid_.step() + grid_.overlap;
  return (covered >> (plane == 0 ? 0 : subsampling_of(format_, false))) + 2 * border(false, plane);
}

int Geometry::bordered_columns(int level, int plane) const {
  const int covered = levels_[size_t(level)].blocks_x * grid_.step() + grid_.overlap;
  return (covered >> (plane == 0 ? 0 : subsampling_of(format_, true))) + 2 * border(true, plane);
}

Status Geometry::lay_out(const GridOptionNames& names) {
  const size_t sample_bytes = size_t(format_.sample_bytes());
  const size_t bank_samples = kBankBytes / sample_bytes;
  size_t samples = 0;
  for (int number = 0; number < kMaxLevels; number++) {
    PyramidLevel level;
    for (int plane = 0; plane < format_.planes(); plane++) {
      PyramidLevel::Plane& layout = level.planes[size_t(plane)];
      layout.width =
          number == 0 ? format_.plane_width(plane) : (levels_.back().planes[size_t(plane)].width + 1) / 2;
      layout.height =
          number == 0 ? format_.plane_height(plane) : (levels_.back().planes[size_t(plane)].height + 1) / 2;
    }
    level.blocks_x = grid_.count(level.planes[0].width);
    level.blocks_y = grid_.count(level.planes[0].height);
    levels_.push_back(level);
    for (int plane = 0; plane < format_.planes(); plane++) {
      PyramidLevel::Plane& layout = levels_.back().planes[size_t(plane)];
      // Each row begins one row of a block later in the cache banks than the row above, so that
      // lanes that read the rows of a block access different banks.
      const size_t row_samples = std::max(
          size_t(LANE_SAMPLES), size_t(grid_.block) >> (plane == 0 ? 0 : subsampling_of(format_, true)));
      layout.stride = int(round_up(size_t(bordered_columns(number, plane)), bank_samples) + row_samples);
      const size_t plane_samples = size_t(layout.stride) * size_t(bordered_rows(number, plane));
      layout.offset =
          int(samples + size_t(border(false, plane)) * size_t(layout.stride) + size_t(border(true, plane)));
      layout.between = int(plane_samples);
      samples += plane_samples * (number == 0 ? size_t(grid_.pel * grid_.pel) : 1);
      if (samples > size_t(std::numeric_limits<int32_t>::max()))
        return invalid_argument(
            "Pictures of {}x{} are too large to be searched for motion with {} steps in a pixel; choose a "
            "lower {}.",
            format_.width, format_.height, grid_.pel, names.pel);
    }
    if (std::min(level.planes[0].width, level.planes[0].height) < 2 * grid_.block) break;
  }
  super_bytes_ = samples * sample_bytes;
  return ok_status();
}

size_t Geometry::vector_bytes(int fields) const {
  return size_t(levels_[0].blocks()) * size_t(fields) * VECTOR_INTS * sizeof(int32_t);
}

int Geometry::for_block(int64_t per_8x8, bool chroma) const {
  constexpr int64_t kMost = 0x0fffffff;
  int64_t value = per_8x8 * grid_.block * grid_.block / 64;
  if (chroma && format_.planes() == 3)
    value += value * 2 >> (subsampling_of(format_, true) + subsampling_of(format_, false));
  return int(std::min(value, kMost));
}

std::vector<int32_t> Geometry::words() const {
  std::vector<int32_t> words(size_t(GEOMETRY_LEVELS) + levels_.size() * LEVEL_INTS);
  words[GEOMETRY_BLOCK] = grid_.block;
  words[GEOMETRY_OVERLAP] = grid_.overlap;
  words[GEOMETRY_SUBSAMPLING_X] = subsampling_of(format_, true);
  words[GEOMETRY_SUBSAMPLING_Y] = subsampling_of(format_, false);
  words[GEOMETRY_PEL] = pel_log2();
  words[GEOMETRY_REACH] = grid_.block;
  for (size_t i = 0; i < levels_.size(); i++) {
    const PyramidLevel& level = levels_[i];
    int32_t* const layout = &words[size_t(GEOMETRY_LEVELS) + i * LEVEL_INTS];
    layout[LEVEL_WIDTH] = level.planes[0].width;
    layout[LEVEL_HEIGHT] = level.planes[0].height;
    layout[LEVEL_CHROMA_WIDTH] = level.planes[1].width;
    layout[LEVEL_CHROMA_HEIGHT] = level.planes[1].height;
    for (int plane = 0; plane < 3; plane++) layout[LEVEL_LUMA + plane] = level.planes[size_t(plane)].offset;
    layout[LEVEL_STRIDE] = level.planes[0].stride;
    layout[LEVEL_CHROMA_STRIDE] = level.planes[1].stride;
    layout[LEVEL_BETWEEN] = level.planes[0].between;
    layout[LEVEL_CHROMA_BETWEEN] = level.planes[1].between;
    layout[LEVEL_BLOCKS_X] = level.blocks_x;
    layout[LEVEL_BLOCKS_Y] = level.blocks_y;
  }
  const auto add_windows = [&](int number, int shift) {
    words[size_t(number)] = int32_t(words.size());
    for (const int weight : windows_of(grid_.block >> shift, grid_.overlap >> shift)) words.push_back(weight);
  };
  add_windows(GEOMETRY_WINDOW, 0);
  add_windows(GEOMETRY_WINDOW_X, subsampling_of(format_, true));
  add_windows(GEOMETRY_WINDOW_Y, subsampling_of(format_, false));
  return words;
}

}  // namespace weft::filters::motion
