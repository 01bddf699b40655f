// SPDX-License-Identifier: Apache-2.0
// Defines the pictures of noise and the record of noise measures of KFM.
//
// The noise of a field is a byte for each sample: 128 for none. A field's planes follow each other
// without padding, without NOISE_CROP luma samples on each side.
#ifndef KERNELS_TELECINE_NOISE_H
#define KERNELS_TELECINE_NOISE_H

#define NOISE_CROP 4

// The record of a field: the noise, the difference from the noise of the next field, and the comb
// of the pair of fields, each for luma and for chroma, each in two numbers: the sum is the first
// one plus SUM_LOW times the second one.
#define SUM_LOW 256u
#define SUM_NOISE 0
#define SUM_CHANGE 1
#define SUM_COMB 2
#define SUM_CHROMA 3  // the measures of chroma follow those of luma
#define SUM_INTS 12
#define SUM_RUN 32  // samples of a row per lane

#endif  // KERNELS_TELECINE_NOISE_H
