// SPDX-License-Identifier: Apache-2.0
// Computes the discrete Fourier transform of 16 points in registers: four transforms of 4 points,
// twiddle factors, and four more transforms (Cooley and Tukey 1965). X[k] = sum over n of x[n]
// e^(-2 pi i n k / 16). With real and imaginary parts exchanged before and after, the result is the
// inverse times 16.
#include "kernels/denoise/several.h"

FN void dft2(INOUT(Several) a, INOUT(Several) b) {
  const Several sum = a + b;
  b = a - b;
  a = sum;
}

// Multiplies by cos - i sin.
FN void turn(INOUT(Several) re, INOUT(Several) im, float cosine, float sine) {
  const Several turned = re * cosine + im * sine;
  im = im * cosine - re * sine;
  re = turned;
}

#define DFT_SWAP(v, a, b)      \
  {                            \
    const Several kept = v[a]; \
    v[a] = v[b];               \
    v[b] = kept;               \
  }
#define DFT_2_OF(re, im, a, b) \
  dft2(re[a], re[b]);          \
  dft2(im[a], im[b]);
// The third difference is multiplied by -i.
#define DFT_4_OF(re, im, a, b, c, d) \
  DFT_2_OF(re, im, a, c)             \
  DFT_2_OF(re, im, b, d) {           \
    const Several kept = re[d];      \
    re[d] = im[d];                   \
    im[d] = -kept;                   \
  }                                  \
  DFT_2_OF(re, im, a, b)             \
  DFT_2_OF(re, im, c, d)             \
  DFT_SWAP(re, b, c)                 \
  DFT_SWAP(im, b, c)
#define DFT_TURN(re, im, at, cosine, sine) turn(re[at], im[at], cosine, sine);
#define DFT_16_OF(re, im)                                            \
  DFT_4_OF(re, im, 0, 4, 8, 12)                                      \
  DFT_4_OF(re, im, 1, 5, 9, 13)                                      \
  DFT_4_OF(re, im, 2, 6, 10, 14)                                     \
  DFT_4_OF(re, im, 3, 7, 11, 15)                                     \
  DFT_TURN(re, im, 5, 0.92387953251128674f, 0.38268343236508977f)    \
  DFT_TURN(re, im, 9, 0.70710678118654752f, 0.70710678118654752f)    \
  DFT_TURN(re, im, 13, 0.38268343236508977f, 0.92387953251128674f)   \
  DFT_TURN(re, im, 6, 0.70710678118654752f, 0.70710678118654752f)    \
  DFT_TURN(re, im, 10, 0.0f, 1.0f)                                   \
  DFT_TURN(re, im, 14, -0.70710678118654752f, 0.70710678118654752f)  \
  DFT_TURN(re, im, 7, 0.38268343236508977f, 0.92387953251128674f)    \
  DFT_TURN(re, im, 11, -0.70710678118654752f, 0.70710678118654752f)  \
  DFT_TURN(re, im, 15, -0.92387953251128674f, -0.38268343236508977f) \
  DFT_4_OF(re, im, 0, 1, 2, 3)                                       \
  DFT_4_OF(re, im, 4, 5, 6, 7)                                       \
  DFT_4_OF(re, im, 8, 9, 10, 11)                                     \
  DFT_4_OF(re, im, 12, 13, 14, 15)                                   \
  DFT_SWAP(re, 1, 4)                                                 \
  DFT_SWAP(re, 2, 8)                                                 \
  DFT_SWAP(re, 3, 12)                                                \
  DFT_SWAP(re, 6, 9)                                                 \
  DFT_SWAP(re, 7, 13)                                                \
  DFT_SWAP(re, 11, 14)                                               \
  DFT_SWAP(im, 1, 4)                                                 \
  DFT_SWAP(im, 2, 8)                                                 \
  DFT_SWAP(im, 3, 12)                                                \
  DFT_SWAP(im, 6, 9)                                                 \
  DFT_SWAP(im, 7, 13)                                                \
  DFT_SWAP(im, 11, 14)
