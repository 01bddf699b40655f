// SPDX-License-Identifier: Apache-2.0
// What kernels of motion share: where the planes of a frame's pyramid lie, and how its blocks do.
//
// A pyramid ("super") is a unit of bytes. Level 0 is the picture, each further level has half as many samples a side. Around each plane
// its border samples are repeated, as far as a block may be moved and a filter between samples looks. Level 0 may have further planes:
// the picture moved by halves or quarters of a sample.
//
// Blocks overlap. They are counted from 0 along x, then y, and cover the picture; the last ones may go beyond it.
//
// p.geometry: GEOMETRY_LEVELS numbers, then LEVEL_INTS for each level, the finest first, then windows.
#ifndef KERNELS_MOTION_MOTION_H
#define KERNELS_MOTION_MOTION_H

#define GEOMETRY_BLOCK 0          // luma samples a side
#define GEOMETRY_OVERLAP 1        // of neighbours
#define GEOMETRY_SUBSAMPLING_X 2  // log2
#define GEOMETRY_SUBSAMPLING_Y 3
#define GEOMETRY_PEL 4       // log2 of the steps between samples
#define GEOMETRY_REACH 5     // luma samples that a block may lie beyond the blocks' area
#define GEOMETRY_WINDOW 6    // where the windows begin of luma's blocks,
#define GEOMETRY_WINDOW_X 7  // of chroma's along x,
#define GEOMETRY_WINDOW_Y 8  // and along y
// Of the grid of larger blocks whose vectors are refined (search.kernel):
#define GEOMETRY_TOLD_BLOCK 9
#define GEOMETRY_TOLD_STEP 10  // from a block to the next
#define GEOMETRY_TOLD_BLOCKS_X 11
#define GEOMETRY_TOLD_BLOCKS_Y 12
#define GEOMETRY_LEVELS 16

#define LEVEL_INTS 16
#define LEVEL_WIDTH 0  // of luma
#define LEVEL_HEIGHT 1
#define LEVEL_CHROMA_WIDTH 2
#define LEVEL_CHROMA_HEIGHT 3
#define LEVEL_LUMA 4  // from the unit's begin to the picture's first sample, in samples
#define LEVEL_U 5
#define LEVEL_V 6
#define LEVEL_STRIDE 7
#define LEVEL_CHROMA_STRIDE 8
#define LEVEL_BETWEEN 9  // from a plane to the one that is moved by a step
#define LEVEL_CHROMA_BETWEEN 10
#define LEVEL_BLOCKS_X 11
#define LEVEL_BLOCKS_Y 12

#define GEOMETRY(number) p.geometry.v[number]
#define LEVEL(level, number) p.geometry.v[GEOMETRY_LEVELS + (level)*LEVEL_INTS + (number)]
// Of plane 0, 1 or 2.
#define LEVEL_PLANE(level, plane) LEVEL(level, LEVEL_LUMA + (plane))
#define LEVEL_PLANE_WIDTH(level, plane) LEVEL(level, (plane) == 0 ? LEVEL_WIDTH : LEVEL_CHROMA_WIDTH)
#define LEVEL_PLANE_HEIGHT(level, plane) LEVEL(level, (plane) == 0 ? LEVEL_HEIGHT : LEVEL_CHROMA_HEIGHT)
#define LEVEL_PLANE_STRIDE(level, plane) LEVEL(level, (plane) == 0 ? LEVEL_STRIDE : LEVEL_CHROMA_STRIDE)
#define LEVEL_PLANE_BETWEEN(level, plane) LEVEL(level, (plane) == 0 ? LEVEL_BETWEEN : LEVEL_CHROMA_BETWEEN)

#define LANE_SAMPLES 4  // that a lane works on, on GPUs; a row on CPUs

// Samples that the border of a plane is repeated for, beyond where a block may lie: what a filter of six taps looks at.
#define BORDER_TAPS 4

// Samples that a block is moved by at most, a side, at level 0; half of that at level 1.
#define MOST_MOVE 4095

// A block's vector: x and y in a word, in steps, and how well the block fits there, as of 8 bits.
#define VECTOR_INTS 2
#define VECTOR_PLACE 0
#define VECTOR_SAD 1
#define NO_REFERENCE 0x10000000  // the SAD where there is no other frame

#define MOTION_FUNCTIONS                                                           \
  FN int vector_x(int place) { return (half_of(uint(place), 0) ^ 32768) - 32768; } \
  FN int vector_y(int place) { return (half_of(uint(place), 1) ^ 32768) - 32768; } \
  FN int place_of(int x, int y) { return int(pack2(x, y)); }

// How far a block of a side's number may be moved along that side, in steps.
#define MOVE_FUNCTIONS                                                                 \
  FN int least_move(int block, int step, int reach, int most, int pel) {               \
    return max(-(block * step + reach), -most) * (1 << pel);                           \
  }                                                                                    \
  FN int largest_move(int block, int blocks, int step, int reach, int most, int pel) { \
    return min((blocks - 1 - block) * step + reach, most) * (1 << pel);                \
  }

// Fields of vectors of a unit: to the frame before, the one after, the second before ...
#define FIELD_OFFSET(field) (((field)&1) == 0 ? -((field) / 2 + 1) : (field) / 2 + 1)
#define NEARER_OFFSET(field) (((field)&1) == 0 ? -((field) / 2) : (field) / 2)

// Declares what a lane of a bordered plane works on: y, and x from x_begin to x_end, count from the border's first sample; the border goes on to
// the row's end. Lanes outside return.
#define BORDERED_PLANE(level)                                                                   \
  const int shift_x = plane == 0 ? 0 : GEOMETRY(GEOMETRY_SUBSAMPLING_X);                        \
  const int shift_y = plane == 0 ? 0 : GEOMETRY(GEOMETRY_SUBSAMPLING_Y);                        \
  const int border_x = (GEOMETRY(GEOMETRY_REACH) >> shift_x) + BORDER_TAPS;                     \
  const int border_y = (GEOMETRY(GEOMETRY_REACH) >> shift_y) + BORDER_TAPS;                     \
  const int overlap = GEOMETRY(GEOMETRY_OVERLAP), step = GEOMETRY(GEOMETRY_BLOCK) - overlap;    \
  const int rows = ((LEVEL(level, LEVEL_BLOCKS_Y) * step + overlap) >> shift_y) + 2 * border_y; \
  const int columns = LEVEL_PLANE_STRIDE(level, plane);                                         \
  const int y = GLOBAL_Y;                                                                       \
  const int x_begin = GLOBAL_X * p.run;                                                         \
  const int x_end = min(x_begin + p.run, columns);                                              \
  if (y >= rows || x_begin >= x_end) return;                                                    \
  const int target_stride = columns
// The same, of plane and unit, and the row that the lane writes.
#define BORDERED_LANE(level)                                                               \
  const int plane = GLOBAL_Z % p.planes;                                                   \
  const int entry = GLOBAL_Z / p.planes * p.row;                                           \
  BORDERED_PLANE(level);                                                                   \
  const int plane_begin = LEVEL_PLANE(level, plane) - border_y * target_stride - border_x; \
  Plane target = row_of(plane_at(p.arena, TARGET_PLACE(entry, 0), p.place, plane_begin), y, target_stride)

#endif  // KERNELS_MOTION_MOTION_H
