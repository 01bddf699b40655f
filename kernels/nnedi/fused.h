// SPDX-License-Identifier: Apache-2.0
// Defines macros for both bodies of the fast network in one pass: the portable one, fused.kernel,
// and fused.cu for tensor cores.
//
// A block has a tile. It copies the field's rows, interpolates the missing ones by a cubic, and
// finds the hard samples (screen.kernel). If the tile has hard samples, the block computes the
// whole network within the multiprocessor's memory.
#ifndef KERNELS_NNEDI_FUSED_H
#define KERNELS_NNEDI_FUSED_H

#define FUSED_LANES 128
#define FUSED_CHANNELS 16
#define FUSED_X 32  // missing samples per tile
#define FUSED_Y 16
#define FUSED_TENSOR_BYTES 48592  // bytes of shared memory of the body for tensor cores

// The layout of p.weights in floats: [output][input][tap] for each layer, then the biases.
#define FUSED_HEAD 0
#define FUSED_HEAD_BIAS (FUSED_CHANNELS * WINDOW_TAPS)
#define FUSED_BODY (FUSED_HEAD_BIAS + FUSED_CHANNELS)
#define FUSED_BODY_BIAS (FUSED_BODY + FUSED_CHANNELS * FUSED_CHANNELS * 9)
#define FUSED_TAIL (FUSED_BODY_BIAS + FUSED_CHANNELS)
#define FUSED_TAIL_BIAS (FUSED_TAIL + FUSED_CHANNELS * 9)
#define FUSED_WEIGHTS (FUSED_TAIL_BIAS + 1)

// The layout of p.fragments (kernels/nnedi/fragments.h). The head's inputs are 4 rows of 8 samples;
// the last sample of each row has no weight. The body's inputs are the 16 channels of a tap, the
// tail's inputs the 16 channels. The tail's outputs are the nine taps.
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

// Declares the block's frame and tile. z is (unit * targets + target) * planes + plane. kept < 0
// means that all rows are kept.
#define FUSED_TILE                                                                                          \
  const int plane = GROUP_Z % p.planes;                                                                     \
  const int picture = GROUP_Z / p.planes;                                                                   \
  const int entry = picture / p.targets * p.row;                                                            \
  const int wanted = picture % p.targets;                                                                   \
  const int to = TARGET_SLOT(entry, wanted);                                                                \
  const int width = plane == 0 ? p.width : p.chroma_width;                                                  \
  const int height = plane == 0 ? p.height : p.chroma_height;                                               \
  const int stride = plane == 0 ? p.stride : p.chroma_stride;                                               \
  const int plane_offset = plane == 0 ? 0 : plane == 1 ? p.plane_1 : p.plane_2;                             \
  const int rows = (height + 1) / 2;                                                                        \
  const int x_begin = GROUP_X * FUSED_X, y_begin = GROUP_Y * FUSED_Y;                                       \
  if (to < 0 || x_begin >= width || y_begin >= rows) return;                                                \
  const int columns = min(FUSED_X, width - x_begin);                                                        \
  const int kept = height == 1 ? -1 : kept_rows(p.arena, p.table, p.slot_samples, entry, wanted, p.parity); \
  const int first = kept == 1 ? height & 1 : 0;                                                             \
  Plane source = plane_at(p.arena, FRAME_SLOT(entry, 0), p.slot_samples, plane_offset);                     \
  Plane target = plane_at(p.arena, to, p.slot_samples, plane_offset)

// Copies the tile's rows unchanged, for a frame without missing rows.
#define FUSED_COPY                                                   \
  for (int y = 0; y < min(2 * FUSED_Y, height - 2 * y_begin); y++) { \
    Plane from = row_of(source, 2 * y_begin + y, stride);            \
    Plane line = row_of(target, 2 * y_begin + y, stride);            \
    EACH(x, columns) { line.v[x_begin + x] = from.v[x_begin + x]; }  \
  }

#endif  // KERNELS_NNEDI_FUSED_H
