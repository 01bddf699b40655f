// SPDX-License-Identifier: Apache-2.0
// Computes the passes of a Fourier transform with a length that is a product of radices. Included
// between KERNEL_FILE and KERNEL_FILE_END after PLANES is defined.
//
// Decimation in frequency maps natural to digit-reversed order, decimation in time maps it back
// (Cooley and Tukey 1965; Gentleman and Sande 1966). With L the block length of a pass of radix R,
// and t < L/R, a pass computes
//   in frequency: DFT of the points t + q L/R of a block, then point q times w(L)^(q t); blocks get
//                 shorter
//   in time:      point q times w(L)^(q t), then the DFT; blocks get longer
// where w(L) = e^(-2 pi i / L). A lane reads and writes the same points, so a line is transformed
// in place.

#include "kernels/bloom/dft.h"

// Returns floor(a / b) for 0 <= a < 2^18. `reciprocal` is 1.0f / float(b).
FN int quotient(int a, float reciprocal) { return int((float(a) + 0.5f) * reciprocal); }

// Multiplies point q of v by w(L)^(q t), q = 1 ... R - 1, from `table` + [q - 1][t].
#define TWIDDLE(v, R, t)                                                                          \
  {                                                                                               \
    PASS_UNROLL                                                                                   \
    for (int q = 1; q < R; q++) v[q] = times(v[q], p.twiddles.v[table + (t) + stride * (q - 1)]); \
  }

// A variant with RADIX_0, RADIX_1 and RADIX_2 processes only lines of the length of their product,
// so that all parameters of a pass are compile-time constants. In other variants the parameters
// come from Params. SKEWED(i) is the position of point i of a line in shared memory, which avoids
// bank conflicts. A line is transformed in place.
#if defined(RADIX_0)
#define IS_FIXED_LINE 1
#define LINE_POINTS (RADIX_0 * RADIX_1 * RADIX_2 * RADIX_3)
// Position `base + step` for multiples of a pass' stride. If all lengths are powers of 2, the sum
// has no carry.
#define IS_POWER_OF_2 ((LINE_POINTS & (LINE_POINTS - 1)) == 0)
#if SKEW_0 >= 32
// Permutes points within a group that shared memory serves at once, without padding: for small
// blocks.
#if (LINE_POINTS & (LINE_POINTS - 1)) != 0
#error "Points are permuted in lines of powers of 2."
#endif
#define SERVED (PLANES == 1 ? 15 : 7)
#define SKEWED(i) ((i) ^ (((i) >> (SKEW_0 - 32)) & SERVED) ^ (((i) >> (SKEW_1 - 32)) & SERVED))
#define SKEWED_SUM(base, step) (SKEWED(base) ^ SKEWED(step))
#else
#define SKEWED(i) ((i) + ((i) >> SKEW_0) + ((i) >> SKEW_1))
#define SKEWED_SUM(base, step) (IS_POWER_OF_2 ? SKEWED(base) + SKEWED(step) : SKEWED((base) + (step)))
#endif
#define DIVIDED(a, by) ((a) / (by))
#define STRIDE_0 (RADIX_1 * RADIX_2 * RADIX_3)
#define STRIDE_1 (RADIX_2 * RADIX_3)
#define TABLE_1 (STRIDE_0 * (RADIX_0 - 1))  // index of the first factor of the second pass
#define TABLE_2 (TABLE_1 + STRIDE_1 * (RADIX_1 - 1))
#define FIXED_PASS(PASS, number, R, shorter, first_factor)               \
  {                                                                      \
    const int pass = number, stride = shorter, length = (R) * (shorter); \
    const int items = LINE_POINTS / (R), table = first_factor;           \
    PASS_OF(PASS, R)                                                     \
    TEAM_BARRIER();                                                      \
  }
#define FIXED_END_PASS(PASS, R)          \
  {                                      \
    const int items = LINE_POINTS / (R); \
    PASS_OF(PASS, R)                     \
    TEAM_BARRIER();                      \
  }
// FIXED_PASSES runs all passes but the last, then the last one; FIXED_PASSES_BACK runs the inverse
// passes.
#if RADIX_3 > 1
#define FIXED_PASSES(PASS, END)                   \
  FIXED_PASS(PASS, 0, RADIX_0, STRIDE_0, 0)       \
  FIXED_PASS(PASS, 1, RADIX_1, STRIDE_1, TABLE_1) \
  FIXED_PASS(PASS, 2, RADIX_2, RADIX_3, TABLE_2)  \
  FIXED_END_PASS(END, RADIX_3)
#define FIXED_PASSES_BACK(PASS)                   \
  FIXED_PASS(PASS, 2, RADIX_2, RADIX_3, TABLE_2)  \
  FIXED_PASS(PASS, 1, RADIX_1, STRIDE_1, TABLE_1) \
  FIXED_PASS(PASS, 0, RADIX_0, STRIDE_0, 0)
#define FIXED_LAST_RADIX RADIX_3
#else
#define FIXED_PASSES(PASS, END)                   \
  FIXED_PASS(PASS, 0, RADIX_0, STRIDE_0, 0)       \
  FIXED_PASS(PASS, 1, RADIX_1, STRIDE_1, TABLE_1) \
  FIXED_END_PASS(END, RADIX_2)
#define FIXED_PASSES_BACK(PASS)                   \
  FIXED_PASS(PASS, 1, RADIX_1, STRIDE_1, TABLE_1) \
  FIXED_PASS(PASS, 0, RADIX_0, STRIDE_0, 0)
#define FIXED_LAST_RADIX RADIX_2
#endif
#define PASS_OF(PASS, R) WEFT_PASS_OF(PASS, R)
#define WEFT_PASS_OF(PASS, R) PASS(R, R, DFT_##R)
#else
#define LINE_POINTS p.points
#define SKEWED_SUM(base, step) SKEWED((base) + (step))
#define DIVIDED(a, by) quotient(a, per_##by)
#if !defined(SKEWED)
#define SKEWED(i) ((i) + ((i) >> (p.skews & 31)) + ((i) >> ((p.skews >> 5) & 31)))
#endif
#endif

// Returns the radix of a pass. `radices` has four bits per pass, each with the radix minus one, the
// first pass in the lowest bits.
FN int radix_of(uint radices, int pass) { return int((radices >> (4 * pass)) & 15u) + 1; }

// Runs PASS(R, SIZE, DFT) with the radix R of the pass, where DFT(v) transforms the first R of the
// SIZE points of v. Vulkan has fewer radices, and one pass for all of them that loops over the
// points of a transform, because compilers of drivers would otherwise take minutes.
#if defined(VULKAN)
#define PASS_UNROLL
#define DFT_CASES_2_TO_5(v) \
  case 2: {                 \
    DFT_2(v)                \
  } break;                  \
  case 3: {                 \
    DFT_3(v)                \
  } break;                  \
  case 4: {                 \
    DFT_4(v)                \
  } break;                  \
  case 5: {                 \
    DFT_5(v)                \
  } break;
#define DFT_ANY(v)      \
  switch (radix) {      \
    DFT_CASES_2_TO_5(v) \
    case 7: {           \
      DFT_7(v)          \
    } break;            \
    case 8: {           \
      DFT_8(v)          \
    } break;            \
    default: {          \
      DFT_9(v)          \
    } break;            \
  }
#define DFT_END(v)      \
  switch (radix) {      \
    DFT_CASES_2_TO_5(v) \
    default: {          \
      DFT_7(v)          \
    } break;            \
  }
#define DFT_TWICE(z, w, R, DFT)                          \
  for (int side = 0; side < 2; side++) {                 \
    DFT(z);                                              \
    for (int q = 0; q < R; q++) swap_points(z[q], w[q]); \
  }
#define EVERY_RADIX(radix, PASS) PASS(radix, 9, DFT_ANY)
#define EVERY_END_RADIX(radix, PASS) PASS(radix, 7, DFT_END)
#else
#define PASS_UNROLL UNROLL
#define DFT_TWICE(z, w, R, DFT) \
  DFT(z);                       \
  DFT(w);
#define RADICES_2_TO_8(PASS) \
  case 2: {                  \
    PASS(2, 2, DFT_2)        \
  } break;                   \
  case 3: {                  \
    PASS(3, 3, DFT_3)        \
  } break;                   \
  case 4: {                  \
    PASS(4, 4, DFT_4)        \
  } break;                   \
  case 5: {                  \
    PASS(5, 5, DFT_5)        \
  } break;                   \
  case 6: {                  \
    PASS(6, 6, DFT_6)        \
  } break;                   \
  case 7: {                  \
    PASS(7, 7, DFT_7)        \
  } break;                   \
  case 8: {                  \
    PASS(8, 8, DFT_8)        \
  } break;
#define EVERY_RADIX(radix, PASS) \
  switch (radix) {               \
    RADICES_2_TO_8(PASS)         \
    case 9: {                    \
      PASS(9, 9, DFT_9)          \
    } break;                     \
    case 10: {                   \
      PASS(10, 10, DFT_10)       \
    } break;                     \
    default: {                   \
      PASS(16, 16, DFT_16)       \
    } break;                     \
  }
#define EVERY_END_RADIX(radix, PASS) \
  switch (radix) {                   \
    RADICES_2_TO_8(PASS)             \
    default: {                       \
      PASS(9, 9, DFT_9)              \
    } break;                         \
  }
#endif
