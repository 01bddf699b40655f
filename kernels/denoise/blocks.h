// SPDX-License-Identifier: Apache-2.0
// Blocks whose frequencies are worked on, and how they lie in memory until they are joined (blocks.kernel, join.kernel).
//
// A plane is covered by blocks of 16x16 samples that begin 8 samples before its first one and lie 8 apart, so that each sample lies in four. A strip is
// eight blocks next to each other. In memory a strip's blocks follow one another, row by row.
#ifndef KERNELS_DENOISE_BLOCKS_H
#define KERNELS_DENOISE_BLOCKS_H

#define DFT_SIDE 16
#define BLOCK_STEP 8
#define STRIP_BLOCKS 8
#define STRIP_LANES 128  // DFT_SIDE lines of each block
#define BLOCK_FLOATS 256
#define STRIP_FLOATS 2048
// A row of a strip's blocks in the team's memory: a place more than samples, so that lanes that go along columns do not meet in a bank.
#define ROW_PLACES 17
#define TEAM_PLACES (2 * DFT_SIDE * ROW_PLACES + DFT_SIDE)

// Of a plane: rows of blocks, strips in one of them.
#define BLOCK_ROWS_OF(height) (((height) + BLOCK_STEP - 1) / BLOCK_STEP + 1)
#define STRIPS_OF(width) ((((width) + BLOCK_STEP - 1) / BLOCK_STEP + STRIP_BLOCKS) / STRIP_BLOCKS)

#endif  // KERNELS_DENOISE_BLOCKS_H
