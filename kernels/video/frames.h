// SPDX-License-Identifier: Apache-2.0
// Defines the frames of video kernels: their addresses, and the part that a lane processes.
//
// A launch processes a batch of units, all planes at once. z is unit * planes + plane, y a row, and
// x a run of p.run samples of that row. kernels/lang/units.h defines the addresses of units.
#ifndef KERNELS_VIDEO_FRAMES_H
#define KERNELS_VIDEO_FRAMES_H

#include "kernels/lang/units.h"

// Flags of deinterlacers. The first output frame keeps the lines of the field that is first in
// time, the second output frame those of the other field.
#define FLAG_BOTTOM_FIRST 1    // the bottom field (lines 1, 3, 5 ...) is first in time
#define FLAG_COPY 2            // the frame is copied unchanged
#define FLAG_SPATIAL_FIRST 4   // the first output frame is interpolated from one field
#define FLAG_SPATIAL_SECOND 8  // the second output frame is interpolated from one field

#define FRAME_BUFFERS  \
  BUFFER(Plane, PIXEL) \
  BUFFER(Table, int)

// Addresses of the frames of a launch.
#define SLOT_PARAMS                                                        \
  Plane arena;                                                             \
  Table table;                                                             \
  int row;          /* ints of a unit in the table */                      \
  int source;       /* the unit's own frame of the first input in a row */ \
  int slot_samples; /* samples in a unit of slot offsets */                \
  int run;          /* samples of a row that a lane works on */

// Parameters of kernels with frames of one format. Offsets and strides are in samples.
#define FRAME_PARAMS                              \
  SLOT_PARAMS                                     \
  int plane_1; /* from plane 0 to plane 1 */      \
  int plane_2;                                    \
  int stride;        /* from a row to the next */ \
  int chroma_stride; /* for planes 1 and 2 */     \
  int width;         /* of plane 0 */             \
  int height;                                     \
  int chroma_width; /* for planes 1 and 2 */      \
  int chroma_height;                              \
  int planes;  /* 1 or 3 */                       \
  int maximum; /* the largest sample, 255 for 8 bits */

// For kernels with frames of several formats, p.layouts holds LAYOUT_INTS ints for each port,
// inputs first. Each plane has four of them: its offset in the frame and its stride (in samples of
// that port), its width and its height.
#define PLANE_OFFSET(port, plane) p.layouts.v[(port)*LAYOUT_INTS + (plane)*4]
#define PLANE_STRIDE(port, plane) p.layouts.v[(port)*LAYOUT_INTS + (plane)*4 + 1]
#define PLANE_WIDTH(port, plane) p.layouts.v[(port)*LAYOUT_INTS + (plane)*4 + 2]
#define PLANE_HEIGHT(port, plane) p.layouts.v[(port)*LAYOUT_INTS + (plane)*4 + 3]
#define PORT_PLANES(port) p.layouts.v[(port)*LAYOUT_INTS + 12]
#define PORT_MAXIMUM(port) p.layouts.v[(port)*LAYOUT_INTS + 13]

// FRAME_SLOT is the slot of the first input's frame at `offset` from the unit's frame, for the unit
// with a row at `entry`. FRAME_SLOT_OF is the same for an input with the unit's frame at `centre`
// in the row.
#define FRAME_SLOT(entry, offset) p.table.v[(entry) + p.source + (offset)]
#define FRAME_SLOT_OF(centre, entry, offset) p.table.v[(entry) + (centre) + (offset)]
#define TARGET_SLOT(entry, number) p.table.v[(entry) + ROW_TARGET + (number)]

// Declares the part that a lane processes: plane, y, x_begin and x_end. Lanes outside the plane
// return, because chroma planes are smaller than the grid.
#define PLANE_PART                                            \
  const int plane = GLOBAL_Z % p.planes;                      \
  const int entry = GLOBAL_Z / p.planes * p.row;              \
  const int width = plane == 0 ? p.width : p.chroma_width;    \
  const int height = plane == 0 ? p.height : p.chroma_height; \
  const int y = GLOBAL_Y;                                     \
  const int x_begin = GLOBAL_X * p.run;                       \
  const int x_end = min(x_begin + p.run, width);              \
  if (y >= height || x_begin >= width) return;                \
  const int stride = plane == 0 ? p.stride : p.chroma_stride; \
  const int plane_offset = plane == 0 ? 0 : plane == 1 ? p.plane_1 : p.plane_2
// Declares the same and the plane `current` of the unit.
#define PLANE_LANE \
  PLANE_PART;      \
  Plane current = plane_at(p.arena, FRAME_SLOT(entry, 0), p.slot_samples, plane_offset)
// Declares the same and the flags.
#define FRAME_LANE \
  PLANE_LANE;      \
  const int flags = p.table.v[entry + ROW_FLAGS]

// The output row of the lane.
#define TARGET_ROW(picture_slot) \
  row_of(plane_at(p.arena, picture_slot, p.slot_samples, plane_offset), y, stride)

#define PLANE_FUNCTIONS                                                                                     \
  FN Plane plane_at(Plane arena, int slot, int samples_per_unit, int plane_offset) {                        \
    return ADVANCE(Plane, PIXEL, arena, int64_t(slot) * int64_t(samples_per_unit) + int64_t(plane_offset)); \
  }                                                                                                         \
  FN Plane row_of(Plane plane, int y, int stride) {                                                         \
    return ADVANCE(Plane, PIXEL, plane, int64_t(y) * int64_t(stride));                                      \
  }
#define FRAME_FUNCTIONS                                                          \
  PLANE_FUNCTIONS                                                                \
  FN void copy_run(Plane target, Plane source, int x_begin, int x_end) {         \
    INDEPENDENT for (int x = x_begin; x < x_end; x++) target.v[x] = source.v[x]; \
  }

#endif  // KERNELS_VIDEO_FRAMES_H
