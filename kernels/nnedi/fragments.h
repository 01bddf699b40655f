// SPDX-License-Identifier: Apache-2.0
// Defines the layout of weights for tensor cores: that of B in mma.m16n8k16. A step has 16 inputs
// and 8 outputs, and two words of two halves for each lane of a warp. Word w of a lane has the
// weights of input 2 * (lane % 4) + 8 * w and of the next input, for output lane / 4.
#ifndef KERNELS_NNEDI_FRAGMENTS_H
#define KERNELS_NNEDI_FRAGMENTS_H

#define FRAGMENT_LANES 32
#define FRAGMENT_INPUTS 16
#define FRAGMENT_OUTPUTS 8
#define FRAGMENT_STEP (2 * FRAGMENT_LANES)  // words per step

#endif  // KERNELS_NNEDI_FRAGMENTS_H
