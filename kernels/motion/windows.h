// SPDX-License-Identifier: Apache-2.0
// What degrain and bounds share: a sample is the mean of what the blocks over it say, each by its window. Blocks fade into each other; the windows
// over a sample sum up to WINDOW_ONE along each side.
//
// On GPUs a lane works on four samples of a row, and gathers what blocks say there. On CPUs it works on a whole row, and adds block after
// block up.
#ifndef KERNELS_MOTION_WINDOWS_H
#define KERNELS_MOTION_WINDOWS_H

#define WINDOW_ONE 64  // its square is 1 << 12

// In the geometry, for blocks of `size` samples: of each kind of block along a side, WINDOW_MARGIN zeros, its samples, zeros.
#define WINDOW_KINDS 4
#define WINDOW_FIRST 0
#define WINDOW_BETWEEN 1
#define WINDOW_LAST 2
#define WINDOW_ONLY 3
#define WINDOW_MARGIN 4
#define WINDOW_STRIDE(size) ((size) + 2 * WINDOW_MARGIN)

// Of a block: WEIGHT_INTS for its own picture, then for each field. Of luma and chroma.
#define WEIGHT_INTS 2
#define WEIGHT_SHARE 0  // that a picture counts for
#define WEIGHT_MOVED 1  // samples from where the block lies to where it lies there

#define WINDOW_FUNCTIONS                                                                                \
  /* Where the window of block `number` of `count` begins. */                                           \
  FN int window_at(int windows, int number, int count, int size) {                                      \
    const int kind = count == 1            ? WINDOW_ONLY                                                \
                     : number == 0         ? WINDOW_FIRST                                               \
                     : number == count - 1 ? WINDOW_LAST                                                \
                                           : WINDOW_BETWEEN;                                            \
    return windows + kind * WINDOW_STRIDE(size) + WINDOW_MARGIN;                                        \
  }                                                                                                     \
  /* at / step. */                                                                                      \
  FN int steps_before(int at, int step) {                                                               \
    return count_ones(uint(step)) == 1 ? at >> count_ones(uint(step - 1)) : at / step;                  \
  }                                                                                                     \
  /* The first of the blocks over a sample at `at`, where `last` is the last one that begins before. */ \
  FN int first_block(int at, int last, int size, int step) {                                            \
    return last > 0 && at - (last - 1) * step < size ? last - 1 : last;                                 \
  }

// Declares how the blocks lie on a lane's plane, and which are over its row.
#define WINDOW_LANE                                                                                         \
  const int shift_x = plane == 0 ? 0 : GEOMETRY(GEOMETRY_SUBSAMPLING_X);                                    \
  const int shift_y = plane == 0 ? 0 : GEOMETRY(GEOMETRY_SUBSAMPLING_Y);                                    \
  const int size_x = GEOMETRY(GEOMETRY_BLOCK) >> shift_x, size_y = GEOMETRY(GEOMETRY_BLOCK) >> shift_y;     \
  const int step_x = size_x - (GEOMETRY(GEOMETRY_OVERLAP) >> shift_x);                                      \
  const int step_y = size_y - (GEOMETRY(GEOMETRY_OVERLAP) >> shift_y);                                      \
  const int windows_x = GEOMETRY(plane == 0 ? GEOMETRY_WINDOW : GEOMETRY_WINDOW_X);                         \
  const int windows_y = GEOMETRY(plane == 0 ? GEOMETRY_WINDOW : GEOMETRY_WINDOW_Y);                         \
  const int blocks_x = LEVEL(0, LEVEL_BLOCKS_X), blocks_y = LEVEL(0, LEVEL_BLOCKS_Y);                       \
  /* In the pyramid, the row's first sample. */                                                             \
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

// Declares which blocks are over the lane's samples.
#define WINDOW_SAMPLES                                                                            \
  const int x = x_begin;                                                                          \
  const int last_x = min(steps_before(x + LANE_SAMPLES - 1, step_x), blocks_x - 1);               \
  const int first_x = first_block(x, min(steps_before(x, step_x), blocks_x - 1), size_x, step_x); \
  /* Of the one or two blocks over the row. */                                                    \
  const int upper_window = BLOCK_WINDOW_Y(first_y), lower_window = BLOCK_WINDOW_Y(last_y);        \
  Pairs pairs = VIEW(Pairs, ivec2, weights)
// The share and the place of a picture around.
#define WEIGHT_PAIR(block, number) pairs.v[(block) * (1 + p.fields) + (number)]

// A frame's pyramid, `offset` from the own one.
#define SUPER_WORDS(offset) \
  VIEW(Words, uint, plane_at(p.arena, FRAME_PLACE_OF(p.super, entry, offset), p.place, 0))

#define SAMPLES_FUNCTIONS                                                             \
  FN ivec4 four_of(Table table, int at) {                                             \
    return ivec4(table.v[at], table.v[at + 1], table.v[at + 2], table.v[at + 3]);     \
  }                                                                                   \
  FN ivec4 mean_of(ivec4 sums) {                                                      \
    return ivec4(MEAN_OF(sums.x), MEAN_OF(sums.y), MEAN_OF(sums.z), MEAN_OF(sums.w)); \
  }
#define BLOCK_WINDOW_X(bx) four_of(p.geometry, window_at(windows_x, bx, blocks_x, size_x) + x - (bx)*step_x)

#else

#define MOST_ROW 16384  // samples
#define MOST_BLOCK 32

// The row's first sample in a frame's pyramid, `offset` from the own one, with the samples that block `bx` begins at.
#define SUPER_ROW(offset) \
  (plane_at(p.arena, FRAME_PLACE_OF(p.super, entry, offset), p.place, super_row + bx * step_x).v)

// For each block over the row; its samples are added to `sums`.
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
// With a size that is known beforehand a CPU works on whole vectors.
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
