// SPDX-License-Identifier: Apache-2.0
// Defines the cells of KFM's statistics: bytes for blocks of 8x8 samples at distances of 4.
//
// The block (x, y) begins at the sample (4x, 4y) and has the cell (x + 1, y + 1) of its plane.
// Planes follow each other without padding. A cell with a block that is not entirely in the picture
// is 0.
#ifndef KERNELS_TELECINE_CELLS_H
#define KERNELS_TELECINE_CELLS_H

#define CELL_SIDE 4

// Size of the planes of cells.
#define CELL_PARAMS   \
  int columns;        \
  int rows;           \
  int chroma_columns; \
  int chroma_rows;

// Statistics of a field, as a record of the analysis: numbers of cells with motion, combs and large
// combs, of luma and of both chroma planes, and flags.
#define COUNTS_CHROMA 3
#define COUNTS_FLAGS 6
#define COUNTS_INTS 8
#define COUNTS_BOTTOM 1  // flag: the field has the bottom lines
#define COUNTS_FIRST 2   // flag: the first field of a run

// The first byte of a unit of cells: the parity of the field.
#define CELLS_HEADER 1

// Declares the part that a lane processes: cells of one row and one plane of a unit.
#define CELL_LANE                                                       \
  const int plane = GLOBAL_Z % p.planes;                                \
  const int entry = GLOBAL_Z / p.planes * p.row;                        \
  const int columns = plane == 0 ? p.columns : p.chroma_columns;        \
  const int rows = plane == 0 ? p.rows : p.chroma_rows;                 \
  const int y = GLOBAL_Y;                                               \
  const int x_begin = GLOBAL_X * p.run;                                 \
  const int x_end = y < rows ? min(x_begin + p.run, columns) : x_begin; \
  const int before = plane == 0 ? 0 : p.columns * p.rows + (plane - 1) * p.chroma_columns * p.chroma_rows

#endif  // KERNELS_TELECINE_CELLS_H
