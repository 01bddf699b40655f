// SPDX-License-Identifier: Apache-2.0
// What kernels of pictures share: where their frames lie, and which of them a lane works on.
//
// A launch handles a batch of units, all planes at once: z is unit * planes + plane, y a row, and x a run of p.run samples of
// that row. kernels/lang/units.h states where units lie.
#ifndef KERNELS_VIDEO_FRAMES_H
#define KERNELS_VIDEO_FRAMES_H

#include "kernels/lang/units.h"

// Of deinterlacers: the first picture keeps the lines of the field that is first in time, the second those of the other field.
#define FLAG_BOTTOM_FIRST 1    // the bottom field (lines 1, 3, 5 ...) is first in time
#define FLAG_COPY 2            // the frame passes unchanged
#define FLAG_SPATIAL_FIRST 4   // the first picture is made from its own field alone
#define FLAG_SPATIAL_SECOND 8  // so is the second

#define FRAME_BUFFERS  \
  BUFFER(Plane, PIXEL) \
  BUFFER(Table, int)

// Where the frames of a launch lie.
#define PLACE_PARAMS                                                 \
  Plane arena;                                                       \
  Table table;                                                       \
  int row;    /* ints of a unit in the table */                      \
  int source; /* the unit's own frame of the first input in a row */ \
  int place;  /* samples that a place counts */                      \
  int run;    /* samples of a row that a lane works on */

// Of kernels whose frames are all of one format. Offsets and strides are counted in samples.
#define FRAME_PARAMS                              \
  PLACE_PARAMS                                    \
  int plane_1; /* from plane 0 to plane 1 */      \
  int plane_2;                                    \
  int stride;        /* from a row to the next */ \
  int chroma_stride; /* of planes 1 and 2 */      \
  int width;         /* of plane 0 */             \
  int height;                                     \
  int chroma_width; /* of planes 1 and 2 */       \
  int chroma_height;                              \
  int planes;  /* 1 or 3 */                       \
  int maximum; /* the largest sample, 255 for 8 bits */

// Of kernels whose frames are of several formats: p.layouts holds LAYOUT_INTS ints for each port, inputs first. A plane has
// four: its offset in the frame, its stride (both in samples of that port), its width and its height.
#define PLANE_OFFSET(port, plane) p.layouts.v[(port)*LAYOUT_INTS + (plane)*4]
#define PLANE_STRIDE(port, plane) p.layouts.v[(port)*LAYOUT_INTS + (plane)*4 + 1]
#define PLANE_WIDTH(port, plane) p.layouts.v[(port)*LAYOUT_INTS + (plane)*4 + 2]
#define PLANE_HEIGHT(port, plane) p.layouts.v[(port)*LAYOUT_INTS + (plane)*4 + 3]
#define PORT_PLANES(port) p.layouts.v[(port)*LAYOUT_INTS + 12]
#define PORT_MAXIMUM(port) p.layouts.v[(port)*LAYOUT_INTS + 13]

// The place of the first input's frame `offset` frames from the unit's own, of the unit whose row begins at `entry`; of another
// input, whose own frame is number `centre` in a row.
#define FRAME_PLACE(entry, offset) p.table.v[(entry) + p.source + (offset)]
#define FRAME_PLACE_OF(centre, entry, offset) p.table.v[(entry) + (centre) + (offset)]
#define TARGET_PLACE(entry, number) p.table.v[(entry) + ROW_TARGET + (number)]

// Declares what a lane works on: plane, y, x_begin, x_end and the unit's own plane `current`. Lanes outside the plane return:
// chroma planes are smaller than the grid.
#define PLANE_LANE                                                              \
  const int plane = GLOBAL_Z % p.planes;                                        \
  const int entry = GLOBAL_Z / p.planes * p.row;                                \
  const int width = plane == 0 ? p.width : p.chroma_width;                      \
  const int height = plane == 0 ? p.height : p.chroma_height;                   \
  const int y = GLOBAL_Y;                                                       \
  const int x_begin = GLOBAL_X * p.run;                                         \
  const int x_end = min(x_begin + p.run, width);                                \
  if (y >= height || x_begin >= width) return;                                  \
  const int stride = plane == 0 ? p.stride : p.chroma_stride;                   \
  const int plane_offset = plane == 0 ? 0 : plane == 1 ? p.plane_1 : p.plane_2; \
  Plane current = plane_at(p.arena, FRAME_PLACE(entry, 0), p.place, plane_offset)
// The same, and the flags.
#define FRAME_LANE \
  PLANE_LANE;      \
  const int flags = p.table.v[entry + ROW_FLAGS]

// The row of a picture that the lane writes.
#define TARGET_ROW(place_of_picture) \
  row_of(plane_at(p.arena, place_of_picture, p.place, plane_offset), y, stride)

#define PLANE_FUNCTIONS                                                                                      \
  FN Plane plane_at(Plane arena, int place, int samples_of_place, int plane_offset) {                        \
    return ADVANCE(Plane, PIXEL, arena, int64_t(place) * int64_t(samples_of_place) + int64_t(plane_offset)); \
  }                                                                                                          \
  FN Plane row_of(Plane plane, int y, int stride) {                                                          \
    return ADVANCE(Plane, PIXEL, plane, int64_t(y) * int64_t(stride));                                       \
  }
#define FRAME_FUNCTIONS                                                          \
  PLANE_FUNCTIONS                                                                \
  FN void copy_run(Plane target, Plane source, int x_begin, int x_end) {         \
    INDEPENDENT for (int x = x_begin; x < x_end; x++) target.v[x] = source.v[x]; \
  }

#endif  // KERNELS_VIDEO_FRAMES_H
