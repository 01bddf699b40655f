// SPDX-License-Identifier: Apache-2.0
// What the two bodies of the fast network in one pass share: the portable one, fused.kernel, and the one for tensor cores, fused.cu.
//
// A block makes a tile: it copies the field's rows, makes the missing ones by a cubic, finds which samples are hard (screen.kernel says what
// that means), and if any is works through the whole network without leaving the multiprocessor's memory.
#ifndef KERNELS_NNEDI_FUSED_H
#define KERNELS_NNEDI_FUSED_H

#define FUSED_LANES 128
#define FUSED_CHANNELS 16
#define FUSED_X 32  // missing samples of a tile
#define FUSED_Y 16
#define FUSED_TENSOR_BYTES 48592  // of shared memory, for the body on tensor cores

// p.weights, in floats: of each layer [output][input][tap], then the biases.
#define FUSED_HEAD 0
#define FUSED_HEAD_BIAS (FUSED_CHANNELS * WINDOW_TAPS)
#define FUSED_BODY (FUSED_HEAD_BIAS + FUSED_CHANNELS)
#define FUSED_BODY_BIAS (FUSED_BODY + FUSED_CHANNELS * FUSED_CHANNELS * 9)
#define FUSED_TAIL (FUSED_BODY_BIAS + FUSED_CHANNELS)
#define FUSED_TAIL_BIAS (FUSED_TAIL + FUSED_CHANNELS * 9)
#define FUSED_WEIGHTS (FUSED_TAIL_BIAS + 1)

// p.fragments (kernels/nnedi/fragments.h). The head's inputs are 4 rows of 8 samples, of which the last has no weight; the body's the 16
// channels of a tap; the tail's the 16 channels, and its outputs the nine taps.
#define FUSED_HEAD_STEPS 0
#define FUSED_BODY_STEPS 4
#define FUSED_TAIL_STEPS (FUSED_BODY_STEPS + 18)
#define FUSED_STEPS (FUSED_TAIL_STEPS + 2)

#define FUSED_PARAMS                                                                 \
  FRAME_BUFFERS                                                                      \
  BUFFER(Weights, float)                                                             \
  BUFFER(Fragments, uint)                                                            \
  struct Params {                                                                    \
    FRAME_PARAMS                                                                     \
    int targets; /* pictures of a unit */                                            \
    int parity;  /* where a unit of the parities' port lies in a row, or PARITY_* */ \
    int threshold;                                                                   \
    Weights weights;                                                                 \
    Fragments fragments;                                                             \
  };

// Declares the block's picture and tile. z is (unit * targets + target) * planes + plane. kept < 0: all rows are.
#define FUSED_TILE                                                                                   \
  const int plane = GROUP_Z % p.planes;                                                              \
  const int picture = GROUP_Z / p.planes;                                                            \
  const int entry = picture / p.targets * p.row;                                                     \
  const int wanted = picture % p.targets;                                                            \
  const int to = TARGET_PLACE(entry, wanted);                                                        \
  const int width = plane == 0 ? p.width : p.chroma_width;                                           \
  const int height = plane == 0 ? p.height : p.chroma_height;                                        \
  const int stride = plane == 0 ? p.stride : p.chroma_stride;                                        \
  const int plane_offset = plane == 0 ? 0 : plane == 1 ? p.plane_1 : p.plane_2;                      \
  const int rows = (height + 1) / 2;                                                                 \
  const int x_begin = GROUP_X * FUSED_X, y_begin = GROUP_Y * FUSED_Y;                                \
  if (to < 0 || x_begin >= width || y_begin >= rows) return;                                         \
  const int columns = min(FUSED_X, width - x_begin);                                                 \
  const int kept = height == 1 ? -1 : kept_rows(p.arena, p.table, p.place, entry, wanted, p.parity); \
  const int first = kept == 1 ? height & 1 : 0;                                                      \
  Plane source = plane_at(p.arena, FRAME_PLACE(entry, 0), p.place, plane_offset);                    \
  Plane target = plane_at(p.arena, to, p.place, plane_offset)

// Copies the tile's rows as they are: of a picture that has nothing to be made.
#define FUSED_COPY                                                   \
  for (int y = 0; y < min(2 * FUSED_Y, height - 2 * y_begin); y++) { \
    Plane from = row_of(source, 2 * y_begin + y, stride);            \
    Plane line = row_of(target, 2 * y_begin + y, stride);            \
    EACH(x, columns) { line.v[x_begin + x] = from.v[x_begin + x]; }  \
  }

#endif  // KERNELS_NNEDI_FUSED_H
