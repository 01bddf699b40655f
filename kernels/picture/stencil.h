// SPDX-License-Identifier: Apache-2.0
// Defines the program of a stencil (stencil.kernel) in device memory: OPERATION_INTS numbers for
// each operation.
//
// Values are tiles of a plane, with 16 bits per sample. Samples are offset by minus half of the
// largest code value. Differences have the same offset, and are clamped to 16 bits.
#ifndef KERNELS_PICTURE_STENCIL_H
#define KERNELS_PICTURE_STENCIL_H

#define TILE_COLUMNS 64
// Unused samples before the first value and after the last one. Loads may touch them.
#define TILE_GUARD 64
#define MOST_TILE_VALUES 12
#define STENCIL_LANES 256
#define MOST_REACH 4  // columns that an operation reads on each side

#define OPERATION_INTS 16
#define OPERATION_CODE 0
#define OPERATION_RESULT 1   // offset of the value in the team's memory
#define OPERATION_A 2        // offset of operand a
#define OPERATION_MARGIN 7   // rows above and below in the tile that later operations do not need
#define OPERATION_BORDER 8   // extension of the value beyond the frame
#define OPERATION_NUMBER 9   // constants
#define OPERATION_PLANES 14  // bit mask of the processed planes; in others the result is operand a

#define BORDER_REPEATS 1  // repeats the nearest sample
#define BORDER_FIELDS 2   // repeats the nearest sample of the same row parity
#define BORDER_KEEPS 4    // keeps the outermost samples of operand a

#define STENCIL_LOAD 0    // loads the frame; number 0: index of the frame in a row
#define STENCIL_STORE 1   // stores an output; number 0: output
#define STENCIL_LOWEST 2  // minimum of rows at up to n1 steps of n0 rows
#define STENCIL_HIGHEST 3
#define STENCIL_MEDIAN 4    // median of three rows, n0 rows apart
#define STENCIL_SMOOTH 5    // 1 2 1 along both axes
#define STENCIL_SMOOTH_X 6  // 1 2 1 along rows
#define STENCIL_INFLATE 7   // a, raised to at least the mean of its neighbours
#define STENCIL_DEFLATE 8   // a, lowered to at most the mean of its neighbours
// a, clamped between the n-th smallest and the n-th largest of its eight neighbours, with n =
// number 0; rows are number 1 apart.
#define STENCIL_RANK 9
// a, clamped between the n-th smallest and the n-th largest of the nine samples of b. If number 2
// is 1, they are those of the eight neighbours, extended to the centre.
#define STENCIL_RANK_OF 10
#define STENCIL_COLUMN 11   // nine taps along columns: numbers 0 to 4, centre first, 14 bits
#define STENCIL_ROW 12      // nine taps along rows, as STENCIL_COLUMN
#define STENCIL_LINEAR 13   // (n0 a + n1 b + n2 c + n3) >> n4, for samples
#define STENCIL_DIFFER 14   // the same formula for differences
#define STENCIL_BETWEEN 15  // a, clamped between b and c; range extended by n0
#define STENCIL_TWEAK 16    // b, clamped within number 0 of a, moved towards c
#define STENCIL_RESTORE 17  // difference a, limited above by b and below by c
#define STENCIL_FIELDS 18   // a in rows of the kept field, b in other rows
#define STENCIL_NEARER 19   // a or b, the nearer to 0; 0 if their signs differ
#define STENCIL_FARTHER 20  // a if it is further from 0 than b, else 0
#define STENCIL_TOWARDS 21  // a, moved by number 0 code values towards b
// Binomial mean of a and its temporal neighbours b to e. Number 0 is the radius, number 1 the cut
// threshold.
#define STENCIL_BINOMIAL 22
#define STENCIL_LOWER 23  // minimum of a and b
#define STENCIL_HIGHER 24
#define STENCIL_LOWEST_X 25  // minimum of three columns
#define STENCIL_HIGHEST_X 26
#define STENCIL_CUBIC 27     // cubic of the rows at distances one and three
#define STENCIL_SMOOTH_Y 28  // 1 2 1 along columns
#define STENCIL_STRONGER 29  // a or b, the further from 0; b if they are equally far
#define STENCIL_GRAIN 30     // between a and b, by a hash of the position and of c

// The sum of the bytes of a hash is centred at 510 with a deviation of 148. It is scaled to 256ths
// of a range with a deviation of 42.4 (a variance of 1800).
#define GRAIN_MIDDLE 510
#define GRAIN_FACTOR 294  // factor in 1024ths

#endif  // KERNELS_PICTURE_STENCIL_H
