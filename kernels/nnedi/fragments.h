// SPDX-License-Identifier: Apache-2.0
// How weights lie for tensor cores: as mma.m16n8k16 takes its B, two words of two halves for each lane of a warp, for one step of 16 inputs and 8
// outputs after the other. Word w of a lane has the weights of inputs 2 * (lane % 4) + 8 * w and the next, and of output lane / 4.
#ifndef KERNELS_NNEDI_FRAGMENTS_H
#define KERNELS_NNEDI_FRAGMENTS_H

#define FRAGMENT_LANES 32
#define FRAGMENT_INPUTS 16
#define FRAGMENT_OUTPUTS 8
#define FRAGMENT_STEP (2 * FRAGMENT_LANES)  // words

#endif  // KERNELS_NNEDI_FRAGMENTS_H
