// SPDX-License-Identifier: Apache-2.0
// Defines the record that the decimation of a cycle keeps of each picture: 64-bit numbers.
#ifndef KERNELS_TELECINE_CYCLE_H
#define KERNELS_TELECINE_CYCLE_H

#define CYCLE_BLOCK 0    // largest difference of a block from the previous picture; -1: no block
#define CYCLE_REPEATS 1  // 1: that difference is below the threshold of a duplicate
#define CYCLE_SCENE 2    // 1: the difference of the whole picture is above that of a scene change
#define CYCLE_NUMBERS 3

#define CYCLE_SUMS 2  // by row of quarters: the largest difference of a block, and the sum of all

#endif  // KERNELS_TELECINE_CYCLE_H
