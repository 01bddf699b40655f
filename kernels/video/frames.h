// SPDX-License-Identifier: Apache-2.0
// What the kernels of video/ share: how pictures lie in memory, and which pictures each lane works on.
//
// Frames lie in rings: slot s begins s * frame samples into the ring. A launch handles a batch of source frames, all
// planes at once: z is source frame * planes + plane, y a row, and x a run of p.run samples of that row. The host
// writes a table of eight ints a source frame (server/filters/frame_table.h has the same layout):
//   0 1 2  slots in the source ring of the frame before, the frame itself and the frame after
//   3 4    slots in the target ring of the first and second picture that come out; -1: none
//   5      flags, see below
//   6 7    0
// The first picture keeps the lines of the field that is first in time, the second those of the other field.
#ifndef KERNELS_VIDEO_FRAMES_H
#define KERNELS_VIDEO_FRAMES_H

#define TABLE_INTS 8
#define FLAG_BOTTOM_FIRST 1    // the bottom field (lines 1, 3, 5 ...) is first in time
#define FLAG_COPY 2            // the frame passes unchanged
#define FLAG_SPATIAL_FIRST 4   // the first picture is made from its own field alone
#define FLAG_SPATIAL_SECOND 8  // so is the second

#define FRAME_BUFFERS  \
  BUFFER(Plane, PIXEL) \
  BUFFER(Table, int)

// Offsets, strides and frames are counted in samples.
#define FRAME_PARAMS                                              \
  Plane source; /* ring; plane 0 of slot 0 */                     \
  Plane target; /* ring; plane 0 of slot 0 */                     \
  Table table;                                                    \
  int source_frame; /* from a slot to the next */                 \
  int target_frame;                                               \
  int source_plane_1; /* from plane 0 to plane 1 */               \
  int source_plane_2;                                             \
  int target_plane_1;                                             \
  int target_plane_2;                                             \
  int source_stride;        /* from a row to the next, plane 0 */ \
  int source_chroma_stride; /* planes 1 and 2 */                  \
  int target_stride;                                              \
  int target_chroma_stride;                                       \
  int width; /* plane 0 */                                        \
  int height;                                                     \
  int chroma_width; /* planes 1 and 2 */                          \
  int chroma_height;                                              \
  int planes;  /* 1 or 3 */                                       \
  int maximum; /* the largest sample, 255 for 8 bits */           \
  int run;     /* samples of a row that a lane works on */

// Declares what a lane works on: plane, y, x_begin, x_end, the three frames' planes and the flags. Lanes outside the
// plane return: chroma planes are smaller than the grid.
#define FRAME_LANE                                                                            \
  const int plane = GLOBAL_Z % p.planes;                                                      \
  const int entry = GLOBAL_Z / p.planes * TABLE_INTS;                                         \
  const int width = plane == 0 ? p.width : p.chroma_width;                                    \
  const int height = plane == 0 ? p.height : p.chroma_height;                                 \
  const int y = GLOBAL_Y;                                                                     \
  const int x_begin = GLOBAL_X * p.run;                                                       \
  const int x_end = min(x_begin + p.run, width);                                              \
  if (y >= height || x_begin >= width) return;                                                \
  const int flags = p.table.v[entry + 5];                                                     \
  const int stride = plane == 0 ? p.source_stride : p.source_chroma_stride;                   \
  const int target_stride = plane == 0 ? p.target_stride : p.target_chroma_stride;            \
  const int source_plane = plane == 0 ? 0 : plane == 1 ? p.source_plane_1 : p.source_plane_2; \
  const int target_plane = plane == 0 ? 0 : plane == 1 ? p.target_plane_1 : p.target_plane_2; \
  Plane current = slot_plane(p.source, p.table.v[entry + 1], p.source_frame, source_plane)

// The row of picture `k` (0 first, 1 second) that the lane writes. Use when slot >= 0.
#define TARGET_ROW(slot) row_of(slot_plane(p.target, slot, p.target_frame, target_plane), y, target_stride)

#define FRAME_FUNCTIONS                                                                         \
  FN Plane slot_plane(Plane ring, int slot, int frame, int plane_offset) {                      \
    return ADVANCE(Plane, PIXEL, ring, int64_t(slot) * int64_t(frame) + int64_t(plane_offset)); \
  }                                                                                             \
  FN Plane row_of(Plane plane, int y, int stride) {                                             \
    return ADVANCE(Plane, PIXEL, plane, int64_t(y) * int64_t(stride));                          \
  }                                                                                             \
  FN void copy_run(Plane target, Plane source, int x_begin, int x_end) {                        \
    INDEPENDENT for (int x = x_begin; x < x_end; x++) target.v[x] = source.v[x];                \
  }

#endif  // KERNELS_VIDEO_FRAMES_H
