// SPDX-License-Identifier: Apache-2.0
// What the two bodies of a layer for GPUs share: the portable one, convolve.kernel, and the one for tensor cores, convolve.cu.
#ifndef KERNELS_NNEDI_CONVOLVE_H
#define KERNELS_NNEDI_CONVOLVE_H

#define CONVOLVE_GROUP 16  // channels that a block makes
#define CONVOLVE_ROWS 4
// For each channel that goes in, tap and 4 of those that come out; then the biases.
#define CONVOLVE_GROUP_VECTORS ((CHANNELS * 9 + 1) * CONVOLVE_GROUP / 4)

#define CONVOLVE_PARAMS                                        \
  BUFFER(Table, int)                                           \
  BUFFER(Features, float)                                      \
  BUFFER(Weights, vec4)                                        \
  BUFFER(Fragments, uint)                                      \
  struct Params {                                              \
    Table maps;                                                \
    Table reach;                                               \
    Features from;                                             \
    Features to;                                               \
    Weights weights;                                           \
    Fragments fragments;                                       \
    int halo;                                                  \
    int adds;      /* what was in `to` is added: a residual */ \
    int rectifies; /* negative features become 0 */            \
  };

#define CONVOLVE_LANES 64  // for each half of a tile's rows a row of lanes; or two warps

// Of the body for tensor cores. A tile's features and those around it lie in shared memory as halves, a sample's channels side by side. Of
// p.fragments (kernels/nnedi/fragments.h) there is a step for each tap, 16 channels that go in and 8 that come out.
#define TENSOR_X (TILE_X + 2)
#define TENSOR_Y (TILE_Y + 2)
#define TENSOR_PITCH(channels) \
  ((channels) + 8)  // halves from a sample to the next: without conflicts of banks
#define TENSOR_BYTES(channels) (2 * TENSOR_PITCH(channels) * TENSOR_X * TENSOR_Y)

#endif  // KERNELS_NNEDI_CONVOLVE_H
