// SPDX-License-Identifier: Apache-2.0
// What the kernels of the bilateral grid share (Paris and Durand, "A Fast Approximation of the Bilateral Filter using a Signal Processing
// Approach", ECCV 2006): cells of place and value, one standard deviation apart each way. A cell holds the sum of the samples that are
// nearest to it, and their number. Inside KERNEL_FILE.
//
// All sums are in an order that is the same everywhere, and no product is fused with a sum, so that devices give the same bytes.
#ifndef KERNELS_DENOISE_BILATERAL_H
#define KERNELS_DENOISE_BILATERAL_H

#define SPLAT_LANES 32
#define SPLAT_PLACES 8  // that a team has, side by side
#define BLUR_ROWS 4     // of cells, that a lane has
#define SLICE_ROWS 4    // of samples, that a lane has

// Cells of a unit: luma's, then each chroma plane's; of a plane [row][column][bin].
#define GRID_PARAMS                                                      \
  int bins;    /* cells of values: bin i stands for i * the deviation */ \
  int columns; /* of luma */                                             \
  int rows;    /* of luma */                                             \
  int chroma_columns;                                                    \
  int chroma_rows;

#define GRID_FUNCTIONS                                                                             \
  FN int cells_before(int plane, int unit, int planes, int luma, int chroma) {                     \
    return unit * (luma + (planes - 1) * chroma) + (plane == 0 ? 0 : luma + (plane - 1) * chroma); \
  }

// The plane's columns and rows, and where its cells begin.
#define GRID_OF_PLANE(planes)                                                            \
  const int columns = plane == 0 ? p.columns : p.chroma_columns;                         \
  const int rows = plane == 0 ? p.rows : p.chroma_rows;                                  \
  const int cells = cells_before(plane, GLOBAL_Z / (planes), planes, p.columns * p.rows, \
                                 p.chroma_columns * p.chroma_rows) *                     \
                    p.bins

// Binomial weights with a deviation of 1: 1 4 6 4 1, of 16.
#define BLUR_WEIGHT(distance) \
  ((distance) == 0 ? 0.375f : (distance) == 1 || (distance) == -1 ? 0.25f : 0.0625f)

#endif  // KERNELS_DENOISE_BILATERAL_H
