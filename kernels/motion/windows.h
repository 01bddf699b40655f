// SPDX-License-Identifier: Apache-2.0
// Blends overlapping blocks for degrain and bounds. A sample is the sum of the blocks over it,
// weighted by their windows. The windows over a sample sum to WINDOW_ONE along each axis.
//
// On GPUs a lane processes four samples of a row, and gathers the blocks over them. On CPUs it
// processes a whole row, and adds one block after the other.
#ifndef KERNELS_MOTION_WINDOWS_H
#define KERNELS_MOTION_WINDOWS_H

#define WINDOW_ONE 64  // its square is 1 << 12

// The geometry has, for blocks of `size` samples and each kind of block along an axis:
// WINDOW_MARGIN zeros, the window, and zeros again.
#define WINDOW_KINDS 4
#define WINDOW_FIRST 0
#define WINDOW_BETWEEN 1
#define WINDOW_LAST 2
#define WINDOW_ONLY 3
#define WINDOW_MARGIN 4
#define WINDOW_STRIDE(size) ((size) + 2 * WINDOW_MARGIN)

// Each block has WEIGHT_INTS ints for the current frame, then for each field; first for luma, then
// for chroma.
#define WEIGHT_INTS 2
#define WEIGHT_SHARE 0  // weight of a frame
#define WEIGHT_MOVED 1  // offset in samples from the block to its match

// window_at() returns the begin of the window of block `number` of `count`. steps_before() returns
// at / step. first_block() returns the first block over a sample at `at`, where `last` is the last
// block that begins before it.
#define WINDOW_FUNCTIONS                                                               \
  FN int window_at(int windows, int number, int count, int size) {                     \
    const int kind = count == 1            ? WINDOW_ONLY                               \
                     : number == 0         ? WINDOW_FIRST                              \
                     : number == count - 1 ? WINDOW_LAST                               \
                                           : WINDOW_BETWEEN;                           \
    return windows + kind * WINDOW_STRIDE(size) + WINDOW_MARGIN;                       \
  }                                                                                    \
  FN int steps_before(int at, int step) {                                              \
    return count_ones(uint(step)) == 1 ? at >> count_ones(uint(step - 1)) : at / step; \
  }                                                                                    \
  FN int first_block(int at, int last, int size, int step) {                           \
    return last > 0 && at - (last - 1) * step < size ? last - 1 : last;                \
  }

// Declares the layout of the blocks on a lane's plane, and the blocks over its row. super_row is
// the row's first sample in the pyramid.
#define WINDOW_LANE                                                                                         \
  const int shift_x = plane == 0 ? 0 : GEOMETRY(GEOMETRY_SUBSAMPLING_X);                                    \
  const int shift_y = plane == 0 ? 0 : GEOMETRY(GEOMETRY_SUBSAMPLING_Y);                                    \
  const int size_x = GEOMETRY(GEOMETRY_BLOCK) >> shift_x, size_y = GEOMETRY(GEOMETRY_BLOCK) >> shift_y;     \
  const int step_x = size_x - (GEOMETRY(GEOMETRY_OVERLAP) >> shift_x);                                      \
  const int step_y = size_y - (GEOMETRY(GEOMETRY_OVERLAP) >> shift_y);                                      \
  const int windows_x = GEOMETRY(plane == 0 ? GEOMETRY_WINDOW : GEOMETRY_WINDOW_X);                         \
  const int windows_y = GEOMETRY(plane == 0 ? GEOMETRY_WINDOW : GEOMETRY_WINDOW_Y);                         \
  const int blocks_x = LEVEL(0, LEVEL_BLOCKS_X), blocks_y = LEVEL(0, LEVEL_BLOCKS_Y);                       \
  const int super_row = LEVEL_PLANE(0, plane) + y * LEVEL_PLANE_STRIDE(0, plane);                           \
  const int last_y = min(steps_before(y, step_y), blocks_y - 1),                                            \
            first_y = first_block(y, last_y, size_y, step_y);                                               \
  Table weights = ADVANCE(Table, int, p.weights,                                                            \
                          int64_t((GLOBAL_Z / p.planes * 2 + (plane == 0 ? 0 : 1)) * blocks_x * blocks_y) * \
                              int64_t(WEIGHT_INTS * (1 + p.fields)))
#define BLOCK_WINDOW_Y(by) p.geometry.v[window_at(windows_y, by, blocks_y, size_y) + y - (by)*step_y]
#define WEIGHT(block, number, what) weights.v[((block) * (1 + p.fields) + (number)) * WEIGHT_INTS + (what)]

#define MEAN_OF(sum) (((sum) + WINDOW_ONE * WINDOW_ONE / 2) >> 12)

#if defined(VULKAN) || defined(__CUDACC__)

// Declares the blocks over the lane's samples.
#define WINDOW_SAMPLES                                                                            \
  const int x = x_begin;                                                                          \
  const int last_x = min(steps_before(x + LANE_SAMPLES - 1, step_x), blocks_x - 1);               \
  const int first_x = first_block(x, min(steps_before(x, step_x), blocks_x - 1), size_x, step_x); \
  const int upper_window = BLOCK_WINDOW_Y(first_y), lower_window = BLOCK_WINDOW_Y(last_y);        \
  Pairs pairs = VIEW(Pairs, ivec2, weights)
// The weight and the position of an adjacent frame's block.
#define WEIGHT_PAIR(block, number) pairs.v[(block) * (1 + p.fields) + (number)]

// The pyramid of the frame at `offset` from the current one.
#define SUPER_WORDS(offset) \
  VIEW(Words, uint, plane_at(p.arena, FRAME_SLOT_OF(p.super, entry, offset), p.slot_samples, 0))

#define SAMPLES_FUNCTIONS                                                             \
  FN ivec4 four_of(Table table, int at) {                                             \
    return ivec4(table.v[at], table.v[at + 1], table.v[at + 2], table.v[at + 3]);     \
  }                                                                                   \
  FN ivec4 mean_of(ivec4 sums) {                                                      \
    return ivec4(MEAN_OF(sums.x), MEAN_OF(sums.y), MEAN_OF(sums.z), MEAN_OF(sums.w)); \
  }
#define BLOCK_WINDOW_X(bx) four_of(p.geometry, window_at(windows_x, bx, blocks_x, size_x) + x - (bx)*step_x)

#else

#define MOST_ROW 16384  // samples of a row
#define MOST_BLOCK 32

// The row's first sample in the pyramid of the frame at `offset` from the current one, displaced by
// the offset of block `bx`.
#define SUPER_ROW(offset) \
  (plane_at(p.arena, FRAME_SLOT_OF(p.super, entry, offset), p.slot_samples, super_row + bx * step_x).v)

// Loops over the blocks over the row, and adds their samples to `sums`.
#define BLOCKS_OF_ROW                                       \
  int sums[MOST_ROW + MOST_BLOCK];                          \
  for (int x = 0; x < width + MOST_BLOCK; x++) sums[x] = 0; \
  for (int by = first_y; by <= last_y; by++)                \
    for (int bx = 0; bx < blocks_x; bx++)
#define BLOCK_OF_ROW                                                                   \
  const int block = by * blocks_x + bx;                                                \
  const int window_y = BLOCK_WINDOW_Y(by);                                             \
  const int* const window = p.geometry.v + window_at(windows_x, bx, blocks_x, size_x); \
  const PIXEL* const own = SUPER_ROW(0);                                               \
  int* const sum = sums + bx * step_x
// With a compile-time block size, CPUs use whole vectors.
#define FOR_SIZE(work)       \
  if (size_x == 32) {        \
    work(32);                \
  } else if (size_x == 16) { \
    work(16);                \
  } else if (size_x == 8) {  \
    work(8);                 \
  } else {                   \
    work(size_x);            \
  }

#endif
#endif  // KERNELS_MOTION_WINDOWS_H
