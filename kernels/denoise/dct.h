// SPDX-License-Identifier: Apache-2.0
// Computes the discrete cosine transform of 8 points and its inverse in registers. With c(k) =
// sqrt(2) cos(k pi / 16):
//   X[0] = sum of x[n],  X[k] = sum over n of x[n] c((2n + 1) k)
//   x[n] = X[0] + sum over k of X[k] c((2n + 1) k), the inverse times 8
// Sums and differences of x[n] and x[7 - n] halve both transforms: 48 operations each. No product
// is fused with a sum, and the order of the operations is fixed, so that every device gets the same
// numbers. X[0] and X[4] of integers are exact integers.
//
// Requires kernels/denoise/several.h.
#define COSINE_1 1.38703984532214746182f
#define COSINE_2 1.30656296487637652786f
#define COSINE_3 1.17587560241935871697f
#define COSINE_5 0.78569495838710218128f
#define COSINE_6 0.54119610014619698440f
#define COSINE_7 0.27589937928294301234f

// The odd frequencies, of the differences; and the inverse, by the same symmetric matrix.
#define DCT_ODD_OF(a, b, c, d, r1, r3, r5, r7)                                            \
  PRECISE const Several r1 = a * COSINE_1 + b * COSINE_3 + (c * COSINE_5 + d * COSINE_7); \
  PRECISE const Several r3 = a * COSINE_3 - b * COSINE_7 - (c * COSINE_1 + d * COSINE_5); \
  PRECISE const Several r5 = a * COSINE_5 - b * COSINE_1 + (c * COSINE_7 + d * COSINE_3); \
  PRECISE const Several r7 = a * COSINE_7 - b * COSINE_5 + (c * COSINE_3 - d * COSINE_1);

#define DCT_8_OF(v)                                                           \
  {                                                                           \
    PRECISE const Several sum0 = v[0] + v[7], sum3 = v[3] + v[4];             \
    PRECISE const Several sum1 = v[1] + v[6], sum2 = v[2] + v[5];             \
    PRECISE const Several outer = sum0 + sum3, inner = sum1 + sum2;           \
    PRECISE const Several outer_rest = sum0 - sum3, inner_rest = sum1 - sum2; \
    PRECISE const Several rest0 = v[0] - v[7], rest1 = v[1] - v[6];           \
    PRECISE const Several rest2 = v[2] - v[5], rest3 = v[3] - v[4];           \
    DCT_ODD_OF(rest0, rest1, rest2, rest3, odd1, odd3, odd5, odd7)            \
    v[0] = outer + inner;                                                     \
    v[1] = odd1;                                                              \
    v[2] = outer_rest * COSINE_2 + inner_rest * COSINE_6;                     \
    v[3] = odd3;                                                              \
    v[4] = outer - inner;                                                     \
    v[5] = odd5;                                                              \
    v[6] = outer_rest * COSINE_6 - inner_rest * COSINE_2;                     \
    v[7] = odd7;                                                              \
  }

#define INVERSE_DCT_8_OF(v)                                           \
  {                                                                   \
    PRECISE const Several sum = v[0] + v[4], rest = v[0] - v[4];      \
    PRECISE const Several outer = v[2] * COSINE_2 + v[6] * COSINE_6;  \
    PRECISE const Several inner = v[2] * COSINE_6 - v[6] * COSINE_2;  \
    PRECISE const Several even0 = sum + outer, even3 = sum - outer;   \
    PRECISE const Several even1 = rest + inner, even2 = rest - inner; \
    DCT_ODD_OF(v[1], v[3], v[5], v[7], odd0, odd1, odd2, odd3)        \
    v[0] = even0 + odd0;                                              \
    v[1] = even1 + odd1;                                              \
    v[2] = even2 + odd2;                                              \
    v[3] = even3 + odd3;                                              \
    v[4] = even3 - odd3;                                              \
    v[5] = even2 - odd2;                                              \
    v[6] = even1 - odd1;                                              \
    v[7] = even0 - odd0;                                              \
  }
