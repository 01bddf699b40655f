// SPDX-License-Identifier: Apache-2.0
// Defines the blocks of the frequency-domain denoiser, and their layout in memory until they are
// joined (blocks.kernel, join.kernel).
//
// A plane is covered by blocks of 16x16 samples, 8 samples apart, from 8 samples before its first
// sample on, so that each sample is in four blocks. A strip is eight adjacent blocks. In memory the
// blocks of a strip are consecutive, row by row.
#ifndef KERNELS_DENOISE_BLOCKS_H
#define KERNELS_DENOISE_BLOCKS_H

#define DFT_SIDE 16
#define BLOCK_STEP 8
#define STRIP_BLOCKS 8
#define STRIP_LANES 128  // DFT_SIDE lines of each block
#define BLOCK_FLOATS 256
#define STRIP_FLOATS 2048
// Row of a block in the team's memory: one place more than samples, to avoid bank conflicts of
// lanes that process columns.
#define ROW_PITCH 17
#define TEAM_FLOATS (2 * DFT_SIDE * ROW_PITCH + DFT_SIDE)

// Number of block rows of a plane, and of strips per row.
#define BLOCK_ROWS_OF(height) (((height) + BLOCK_STEP - 1) / BLOCK_STEP + 1)
#define STRIPS_OF(width) ((((width) + BLOCK_STEP - 1) / BLOCK_STEP + STRIP_BLOCKS) / STRIP_BLOCKS)

#endif  // KERNELS_DENOISE_BLOCKS_H
