// SPDX-License-Identifier: Apache-2.0
// Defines the tiles of the deblocking filter, and the quantisers and thresholds in its constants.
#ifndef KERNELS_DENOISE_DEBLOCK_H
#define KERNELS_DENOISE_DEBLOCK_H

#define DCT_SIDE_8 8

// A team makes the samples of a tile. It transforms the blocks that overlap the tile, of one offset
// at a time: such blocks are disjoint, so that their samples are added without atomics. A larger
// tile has a smaller share of blocks that overlap its border; on a GPU the tile and the blocks'
// coefficients fit into 32 KiB.
#define GPU_TILE_COLUMNS 64
#define GPU_TILE_ROWS 32
#define CPU_TILE_COLUMNS 128
#define CPU_TILE_ROWS 64
#define DEBLOCK_LANES 192
#define CELLS_OF(samples) ((samples) / DCT_SIDE_8 + 1)
// Sums of a tile, with the parts of blocks that lie outside it.
#define SUMS_OF(columns, rows) (((columns) + 16) * ((rows) + 16))
// Coefficients of a block in a team's memory: rows of 9 numbers, so that lanes with columns and
// lanes with rows both access different banks.
#define BLOCK_PITCH 9
#define BLOCK_PLACES 72
#define GPU_TEAM_INTS                         \
  (SUMS_OF(GPU_TILE_COLUMNS, GPU_TILE_ROWS) + \
   CELLS_OF(GPU_TILE_COLUMNS) * CELLS_OF(GPU_TILE_ROWS) * BLOCK_PLACES)
#define CPU_TEAM_INTS SUMS_OF(CPU_TILE_COLUMNS, CPU_TILE_ROWS)

// The constants: a threshold for each quantiser, the quantiser of each coded value, and the
// coefficient of sharpening of each quantiser, in 255ths.
#define MOST_QUANTISERS 512
#define CODED_VALUES 256
#define QUANTISERS_AT MOST_QUANTISERS
#define SHARPENING_AT (MOST_QUANTISERS + CODED_VALUES)
#define DEBLOCK_CONSTANTS (2 * MOST_QUANTISERS + CODED_VALUES)

#define QUANTISER_PARAMS                                                          \
  Floats constants;                                                               \
  int quantisers; /* position of the quantisers in a row of the table */          \
  int mb_columns; /* macroblocks */                                               \
  int mb_rows;                                                                    \
  int only;           /* quantiser of all blocks; 0: those of the unit */         \
  int chroma_shift_x; /* binary logarithm of the luma columns of chroma sample */ \
  int chroma_shift_y;                                                             \
  float share; /* weight of the picture's own quantisers, 0 to 1 */

#define QUANTISER_FUNCTIONS                                                                       \
  FN int coded_value(Table table, int at, int number) {                                           \
    return byte_of(uint(table.v[at + (number >> 2)]), number & 3);                                \
  }                                                                                               \
  FN int mixed_quantiser(int own, int reference, float share) {                                   \
    PRECISE const float rest = 1.0f - share;                                                      \
    PRECISE const float sum = float(own) * share + float(reference) * rest;                       \
    return max(int(sum + 0.5f), 1);                                                               \
  }                                                                                               \
  /* `at` is the position of the own table, `number` that of the macroblock */                    \
  FN int quantiser_of(Table table, Floats constants, int at, int ints, int number, float share) { \
    const int own = coded_value(table, at, number);                                               \
    const int reference = coded_value(table, at + ints, number);                                  \
    return mixed_quantiser(int(constants.v[QUANTISERS_AT + own]),                                 \
                           int(constants.v[QUANTISERS_AT + reference]), share);                   \
  }

// Whether the unit has quantisers, and the quantiser at a luma sample.
#define HAS_QUANTISERS(entry) (p.only > 0 || p.table.v[(entry) + p.quantisers] != 0)
#define MACROBLOCK_AT(x, y) \
  (clamp((y) >> 4, 0, p.mb_rows - 1) * p.mb_columns + clamp((x) >> 4, 0, p.mb_columns - 1))
#define QUANTISER_AT(entry, x, y)                                              \
  (p.only > 0 ? p.only                                                         \
              : quantiser_of(p.table, p.constants, (entry) + p.quantisers + 1, \
                             (p.mb_columns * p.mb_rows + 3) >> 2, MACROBLOCK_AT(x, y), p.share))

#endif  // KERNELS_DENOISE_DEBLOCK_H
