// SPDX-License-Identifier: Apache-2.0
// Defines macros for both bodies of a layer for GPUs: the portable one, convolve.kernel, and
// convolve.cu for tensor cores.
#ifndef KERNELS_NNEDI_CONVOLVE_H
#define KERNELS_NNEDI_CONVOLVE_H

#define CONVOLVE_GROUP 16  // output channels per block
#define CONVOLVE_ROWS 4
// Weights for each input channel, tap and group of 4 output channels, then the biases.
#define CONVOLVE_GROUP_VECTORS ((CHANNELS * 9 + 1) * CONVOLVE_GROUP / 4)

#define CONVOLVE_PARAMS                                 \
  BUFFER(Table, int)                                    \
  BUFFER(Features, float)                               \
  BUFFER(Weights, vec4)                                 \
  BUFFER(Fragments, uint)                               \
  struct Params {                                       \
    Table maps;                                         \
    Table reach;                                        \
    Features from;                                      \
    Features to;                                        \
    Weights weights;                                    \
    Fragments fragments;                                \
    int halo;                                           \
    int adds;      /* 1: adds to `to`, as a residual */ \
    int rectifies; /* negative features become 0 */     \
  };

#define CONVOLVE_LANES 64  // one row of lanes for each half of a tile's rows, or two warps

// Sizes of the body for tensor cores. The features of a tile and its surroundings are in shared
// memory as halves; the channels of a sample are adjacent. p.fragments (kernels/nnedi/fragments.h)
// has a step for each tap, 16 input channels and 8 output channels.
#define TENSOR_X (TILE_X + 2)
#define TENSOR_Y (TILE_Y + 2)
// distance between samples in halves, without bank conflicts
#define TENSOR_PITCH(channels) ((channels) + 8)
#define TENSOR_BYTES(channels) (2 * TENSOR_PITCH(channels) * TENSOR_X * TENSOR_Y)

#endif  // KERNELS_NNEDI_CONVOLVE_H
