// SPDX-License-Identifier: Apache-2.0
// Defines macros for both bodies of gemm_tensor. Included inside KERNEL_FILE. A block computes a
// tile of 128 rows and 256 columns of C. Eight vertically adjacent tiles precede those to their
// right, so that concurrent blocks read the same rows and columns.
#ifndef KERNELS_BENCH_GEMM_TENSOR_H
#define KERNELS_BENCH_GEMM_TENSOR_H

#define TENSOR_LANES 256
#define TENSOR_ROWS 128
#define TENSOR_COLUMNS 256
#define TENSOR_STEP 32  // columns of A and rows of B per step
#define TENSOR_STAGES 4
// Stages of the code for compute capability 7.5: its copies do not overlap with multiplications.
#define TENSOR_STAGES_FEWEST 2
#define TENSOR_STAGE_WORDS ((TENSOR_ROWS + TENSOR_COLUMNS) * TENSOR_STEP / 2)
#define TENSOR_BYTES(stages) ((stages)*TENSOR_STAGE_WORDS * 4)  // bytes of the team's array
#define TENSOR_TILES_BELOW 8

// For gemm_tensor_wide.h. On a device with enough shared memory the host provides this size for
// both bodies.
#define WIDE_STEP 64
#define WIDE_STAGES 4
#define WIDE_STAGE_BYTES ((TENSOR_ROWS + TENSOR_COLUMNS) * WIDE_STEP * 2)
#define WIDE_BYTES (WIDE_STAGES * WIDE_STAGE_BYTES + 1024)  // including the alignment to 1024

#define GEMM_TENSOR_PARAMS                          \
  BUFFER(Halves, half)                              \
  BUFFER(Floats, float)                             \
  struct Params {                                   \
    Halves a; /* [size][size], padded with zeros */ \
    Halves b;                                       \
    Floats c;                                       \
    int size; /* a multiple of 256 */               \
  };

// Defines the first row and column of this block's tile.
#define TENSOR_TILE                                                               \
  const int tiles_x = p.size / TENSOR_COLUMNS, tiles_y = p.size / TENSOR_ROWS;    \
  const int band = GROUP_X / (TENSOR_TILES_BELOW * tiles_x);                      \
  const int in_band = GROUP_X - band * TENSOR_TILES_BELOW * tiles_x;              \
  const int below = min(TENSOR_TILES_BELOW, tiles_y - band * TENSOR_TILES_BELOW); \
  const int first_column = in_band / below * TENSOR_COLUMNS;                      \
  const int first_row = (band * TENSOR_TILES_BELOW + in_band % below) * TENSOR_ROWS

#endif  // KERNELS_BENCH_GEMM_TENSOR_H
