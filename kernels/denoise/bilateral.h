// SPDX-License-Identifier: Apache-2.0
// Defines the bilateral grid (Paris and Durand, "A Fast Approximation of the Bilateral Filter using
// a Signal Processing Approach", ECCV 2006): cells of position and value, one standard deviation
// apart on each axis. A cell holds the sum and the number of the samples nearest to it. Included
// inside KERNEL_FILE.
//
// All sums have a fixed order, and no product is fused with a sum, so that all devices output the
// same bytes.
#ifndef KERNELS_DENOISE_BILATERAL_H
#define KERNELS_DENOISE_BILATERAL_H

#define SPLAT_LANES 32
#define SPLAT_CELLS 8  // adjacent cells per team
#define BLUR_ROWS 4    // rows of cells per lane
#define SLICE_ROWS 4   // rows of samples per lane

// The cells of a unit are those of luma, then of each chroma plane; within a plane
// [row][column][bin].
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

// Declares the plane's columns and rows, and the index of its first cell.
#define GRID_OF_PLANE(planes)                                                            \
  const int columns = plane == 0 ? p.columns : p.chroma_columns;                         \
  const int rows = plane == 0 ? p.rows : p.chroma_rows;                                  \
  const int cells = cells_before(plane, GLOBAL_Z / (planes), planes, p.columns * p.rows, \
                                 p.chroma_columns * p.chroma_rows) *                     \
                    p.bins

// Binomial weights 1 4 6 4 1 in 16ths, with a standard deviation of 1.
#define BLUR_WEIGHT(distance) \
  ((distance) == 0 ? 0.375f : (distance) == 1 || (distance) == -1 ? 0.25f : 0.0625f)

#endif  // KERNELS_DENOISE_BILATERAL_H
