// SPDX-License-Identifier: Apache-2.0
// Defines the layout of a frame's pyramid and of its blocks for the motion kernels.
//
// A pyramid ("super") is a unit of bytes. Level 0 is the frame; each further level has half its
// width and height. The border samples of each plane are repeated, as far as a displaced block and
// the interpolation filters reach. Level 0 may have further planes: the frame displaced by half or
// quarter samples.
//
// Blocks overlap. They are numbered from 0 along x, then y, and cover the frame. The last ones may
// extend beyond it.
//
// p.geometry has GEOMETRY_LEVELS numbers, then LEVEL_INTS numbers for each level, finest first,
// then windows.
#ifndef KERNELS_MOTION_MOTION_H
#define KERNELS_MOTION_MOTION_H

#define GEOMETRY_BLOCK 0          // luma samples per side
#define GEOMETRY_OVERLAP 1        // overlap of adjacent blocks
#define GEOMETRY_SUBSAMPLING_X 2  // log2
#define GEOMETRY_SUBSAMPLING_Y 3
#define GEOMETRY_PEL 4       // log2 of the vector steps per sample
#define GEOMETRY_REACH 5     // luma samples that a block may extend beyond the area of the blocks
#define GEOMETRY_WINDOW 6    // offset of the windows of luma blocks
#define GEOMETRY_WINDOW_X 7  // offset of the windows of chroma blocks along x
#define GEOMETRY_WINDOW_Y 8  // offset of the windows of chroma blocks along y
// The grid of the larger blocks, for the refinement of vectors (search.kernel):
#define GEOMETRY_PREDICTOR_BLOCK 9
#define GEOMETRY_PREDICTOR_STEP 10  // distance of adjacent blocks
#define GEOMETRY_PREDICTOR_BLOCKS_X 11
#define GEOMETRY_PREDICTOR_BLOCKS_Y 12
#define GEOMETRY_LEVELS 16

#define LEVEL_INTS 16
#define LEVEL_WIDTH 0  // width of luma
#define LEVEL_HEIGHT 1
#define LEVEL_CHROMA_WIDTH 2
#define LEVEL_CHROMA_HEIGHT 3
#define LEVEL_LUMA 4  // offset of the first sample in the unit, in samples
#define LEVEL_U 5
#define LEVEL_V 6
#define LEVEL_STRIDE 7
#define LEVEL_CHROMA_STRIDE 8
#define LEVEL_BETWEEN 9  // distance between displaced planes in samples
#define LEVEL_CHROMA_BETWEEN 10
#define LEVEL_BLOCKS_X 11
#define LEVEL_BLOCKS_Y 12

#define GEOMETRY(number) p.geometry.v[number]
#define LEVEL(level, number) p.geometry.v[GEOMETRY_LEVELS + (level)*LEVEL_INTS + (number)]
// These macros accept plane 0, 1 or 2.
#define LEVEL_PLANE(level, plane) LEVEL(level, LEVEL_LUMA + (plane))
#define LEVEL_PLANE_WIDTH(level, plane) LEVEL(level, (plane) == 0 ? LEVEL_WIDTH : LEVEL_CHROMA_WIDTH)
#define LEVEL_PLANE_HEIGHT(level, plane) LEVEL(level, (plane) == 0 ? LEVEL_HEIGHT : LEVEL_CHROMA_HEIGHT)
#define LEVEL_PLANE_STRIDE(level, plane) LEVEL(level, (plane) == 0 ? LEVEL_STRIDE : LEVEL_CHROMA_STRIDE)
#define LEVEL_PLANE_BETWEEN(level, plane) LEVEL(level, (plane) == 0 ? LEVEL_BETWEEN : LEVEL_CHROMA_BETWEEN)

#define LANE_SAMPLES 4  // samples per lane on GPUs; CPUs process a row

// Border of a plane beyond the reach of blocks, in samples: the reach of a six-tap filter.
#define BORDER_TAPS 4

// Maximum displacement of a block along each axis in samples, at level 0; half of that at level 1.
#define MOST_MOVE 4095

// A block's vector, x and y in one word and in steps, and its SAD on an 8-bit scale.
#define VECTOR_INTS 2
#define VECTOR_XY 0
#define VECTOR_SAD 1
#define NO_REFERENCE 0x10000000  // SAD of a block without a reference frame

#define MOTION_FUNCTIONS                                                             \
  FN int vector_x(int vector) { return (half_of(uint(vector), 0) ^ 32768) - 32768; } \
  FN int vector_y(int vector) { return (half_of(uint(vector), 1) ^ 32768) - 32768; } \
  FN int pack_vector(int x, int y) { return int(pack2(x, y)); }

// Return the limits of a block's displacement along an axis in steps.
#define MOVE_FUNCTIONS                                                                 \
  FN int least_move(int block, int step, int reach, int most, int pel) {               \
    return max(-(block * step + reach), -most) * (1 << pel);                           \
  }                                                                                    \
  FN int largest_move(int block, int blocks, int step, int reach, int most, int pel) { \
    return min((blocks - 1 - block) * step + reach, most) * (1 << pel);                \
  }

// The vector fields of a unit lead to the previous frame, the next frame, the second previous frame
// and so on.
#define FIELD_OFFSET(field) (((field)&1) == 0 ? -((field) / 2 + 1) : (field) / 2 + 1)
#define NEARER_OFFSET(field) (((field)&1) == 0 ? -((field) / 2) : (field) / 2)

// Declares the part of a bordered plane that a lane processes: row y, and x from x_begin to x_end,
// counted from the first border sample. The border extends to the row's end. Lanes outside return.
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
// Declares the same, and the plane, the unit and the output row of the lane.
#define BORDERED_LANE(level)                                                               \
  const int plane = GLOBAL_Z % p.planes;                                                   \
  const int entry = GLOBAL_Z / p.planes * p.row;                                           \
  BORDERED_PLANE(level);                                                                   \
  const int plane_begin = LEVEL_PLANE(level, plane) - border_y * target_stride - border_x; \
  Plane target =                                                                           \
      row_of(plane_at(p.arena, TARGET_SLOT(entry, 0), p.slot_samples, plane_begin), y, target_stride)

#endif  // KERNELS_MOTION_MOTION_H
