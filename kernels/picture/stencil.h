// SPDX-License-Identifier: Apache-2.0
// The program of a stencil (stencil.kernel), as it lies in device memory: OPERATION_INTS numbers for each operation.
//
// Values are tiles of a plane, 16 bits a sample. Samples of pictures lie around 0: half of the largest code is taken off them. So do
// differences, which are clamped to 16 bits.
#ifndef KERNELS_PICTURE_STENCIL_H
#define KERNELS_PICTURE_STENCIL_H

#define TILE_COLUMNS 64
#define TILE_GUARD 64  // samples before the first value and after the last one, that are read for nothing
#define MOST_TILE_VALUES 12
#define STENCIL_LANES 256
#define MOST_REACH 4  // columns that an operation looks at, to each side

#define OPERATION_INTS 16
#define OPERATION_CODE 0
#define OPERATION_RESULT 1   // where the value begins in the team's memory
#define OPERATION_A 2        // operands, likewise
#define OPERATION_MARGIN 7   // rows of the tile, above and below, that are not needed of it
#define OPERATION_BORDER 8   // how it goes on beyond the picture
#define OPERATION_NUMBER 9   // constants
#define OPERATION_PLANES 14  // bit of each plane where it is done; elsewhere the result is operand a

#define BORDER_REPEATS 1  // the nearest sample
#define BORDER_FIELDS 2   // the nearest sample of the same parity of rows
#define BORDER_KEEPS 4    // and the picture's outermost samples are those of operand a

#define STENCIL_LOAD 0    // number 0: the frame's place in a row
#define STENCIL_STORE 1   // number 0: which output
#define STENCIL_LOWEST 2  // of rows up to number 1 steps of number 0 rows away
#define STENCIL_HIGHEST 3
#define STENCIL_MEDIAN 4    // of three rows, number 0 rows apart
#define STENCIL_SMOOTH 5    // 1 2 1 both ways
#define STENCIL_SMOOTH_X 6  // 1 2 1 along rows
#define STENCIL_INFLATE 7   // not below the mean of the eight neighbours
#define STENCIL_DEFLATE 8   // not above it
#define STENCIL_RANK \
  9  // a between the n-th smallest and largest of the eight around it, n = number 0; rows are number 1 apart
#define STENCIL_RANK_OF \
  10  // a between those of the nine of b; number 2 is 1: of the eight around it, or its middle where it lies further out
#define STENCIL_COLUMN 11   // nine taps: numbers 0 to 4, the middle first, 14 bits
#define STENCIL_ROW 12      // likewise
#define STENCIL_LINEAR 13   // (n0 a + n1 b + n2 c + n3) >> n4, a sample
#define STENCIL_DIFFER 14   // the same, a difference
#define STENCIL_BETWEEN 15  // a between b and c, number 0 further
#define STENCIL_TWEAK 16    // a, b within number 0 of a, and of that towards c
#define STENCIL_RESTORE 17  // of a difference a what b (above) and c (below) leave
#define STENCIL_FIELDS 18   // a in rows of the field that is kept, b in others
#define STENCIL_NEARER 19   // of a and b the one nearer to 0; 0 where their signs differ
#define STENCIL_FARTHER 20  // a where it is further from 0 than b, else 0
#define STENCIL_TOWARDS 21  // a, number 0 codes towards b
#define STENCIL_BINOMIAL \
  22  // a and what was before and after, b to e, as binomial coefficients weigh them; number 0: radius, 1: cut threshold
#define STENCIL_LOWER 23  // of a and b
#define STENCIL_HIGHER 24
#define STENCIL_LOWEST_X 25  // of three columns
#define STENCIL_HIGHEST_X 26
#define STENCIL_CUBIC 27     // of the rows one and three away
#define STENCIL_SMOOTH_Y 28  // 1 2 1 along columns
#define STENCIL_STRONGER 29  // of a and b the one further from 0; b where they are as far
#define STENCIL_GRAIN 30     // between a and b, by a hash of the place and of c

// The bytes of a hash, summed up, around 510 with a deviation of 148; in 256ths of a range around its middle, with one of 42.4 (a variance of 1800).
#define GRAIN_MIDDLE 510
#define GRAIN_FACTOR 294  // 1024ths

#endif  // KERNELS_PICTURE_STENCIL_H
