// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms of 2 to 16 points in registers, and the words of a pass of a longer one. Included between
// KERNEL_FILE and KERNEL_FILE_END after PLANES is defined.
//
// A POINT is two complex numbers that are transformed alike, (x, y) and (z, w), or one where PLANES is 1. All transforms
// are forward, X[k] = sum over n of x[n] e^(-2 pi i n k / N); an inverse is one of conjugates. Lengths are products of
// the radices. Decimation in frequency goes from natural to digit-reversed order, decimation in time back (Cooley and
// Tukey 1965; Gentleman and Sande 1966): with L the length of the blocks that a pass of radix R works on, and t < L/R,
//   in frequency: DFT of the points t + q L/R of a block, then point q times w(L)^(q t); blocks get shorter
//   in time:      point q times w(L)^(q t), then the DFT; blocks get longer
// where w(L) = e^(-2 pi i / L). A lane reads and writes the same points, so a line stays in place. 6 and 10 points are
// done by the prime factor map (Good 1958), 8, 9 and 16 by the formula above.

FN vec2 times(vec2 a, vec2 w) { return vec2(mad(a.x, w.x, -(a.y * w.y)), mad(a.x, w.y, a.y * w.x)); }

#if PLANES == 2
#define VECTOR vec4
#else
#define VECTOR vec2
#endif

// A kernel's body for the CPU works on four lines at once (wide_*.h). Its rows leave whole complex transforms, and its
// columns take their mirrors with them: it goes with none of the others.
#if defined(WEFT_CPU_KERNEL) && PLANES == 2 && !defined(RADIX_0) && !defined(NARROW_POINTS)
#define IS_WIDE
#include "kernels/bloom/wide.h"
#else
#define as_point(v) (v)
#define as_vector(v) (v)
#if PLANES == 2
#define POINT vec4
FN POINT turned(POINT a) { return vec4(a.y, -a.x, a.w, -a.z); }  // times -i
FN POINT conjugate(POINT a) { return vec4(a.x, -a.y, a.z, -a.w); }
FN POINT times(POINT a, vec2 w) {
  return vec4(mad(a.x, w.x, -(a.y * w.y)), mad(a.x, w.y, a.y * w.x), mad(a.z, w.x, -(a.w * w.y)),
              mad(a.z, w.y, a.w * w.x));
}
FN POINT plus_scaled(POINT a, float s, POINT b) {
  return vec4(mad(b.x, s, a.x), mad(b.y, s, a.y), mad(b.z, s, a.z), mad(b.w, s, a.w));
}
FN POINT product(POINT a, POINT b) {
  return vec4(mad(a.x, b.x, -(a.y * b.y)), mad(a.x, b.y, a.y * b.x), mad(a.z, b.z, -(a.w * b.w)),
              mad(a.z, b.w, a.w * b.z));
}
#else
#define POINT vec2
FN POINT turned(POINT a) { return vec2(a.y, -a.x); }
FN POINT conjugate(POINT a) { return vec2(a.x, -a.y); }
FN POINT plus_scaled(POINT a, float s, POINT b) { return vec2(mad(b.x, s, a.x), mad(b.y, s, a.y)); }
FN POINT product(POINT a, POINT b) { return times(a, b); }
#endif

#endif

FN void swap_points(INOUT(POINT) a, INOUT(POINT) b) {
  const POINT kept = a;
  a = b;
  b = kept;
}
FN POINT eighth(POINT a) { return (a + turned(a)) * 0.70710678118654752f; }         // times w(8)
FN POINT three_eighths(POINT a) { return (turned(a) - a) * 0.70710678118654752f; }  // times w(8)^3

FN void dft2(INOUT(POINT) a, INOUT(POINT) b) {
  const POINT sum = a + b;
  b = a - b;
  a = sum;
}

FN void dft3(INOUT(POINT) a, INOUT(POINT) b, INOUT(POINT) c) {
  const POINT sum = b + c;
  const POINT rest = turned(b - c);
  const POINT middle = plus_scaled(a, -0.5f, sum);
  a = a + sum;
  b = plus_scaled(middle, 0.86602540378443865f, rest);
  c = plus_scaled(middle, -0.86602540378443865f, rest);
}

FN void dft4(INOUT(POINT) a, INOUT(POINT) b, INOUT(POINT) c, INOUT(POINT) d) {
  const POINT even = a + c, even_rest = a - c;
  const POINT odd = b + d, odd_rest = turned(b - d);
  a = even + odd;
  b = even_rest + odd_rest;
  c = even - odd;
  d = even_rest - odd_rest;
}

FN void dft5(INOUT(POINT) a, INOUT(POINT) b, INOUT(POINT) c, INOUT(POINT) d, INOUT(POINT) e) {
  const float c1 = 0.30901699437494742f, c2 = -0.80901699437494742f;
  const float s1 = 0.95105651629515357f, s2 = 0.58778525229247313f;
  const POINT sum1 = b + e, sum2 = c + d;
  const POINT rest1 = turned(b - e), rest2 = turned(c - d);
  const POINT even1 = plus_scaled(plus_scaled(a, c1, sum1), c2, sum2);
  const POINT even2 = plus_scaled(plus_scaled(a, c2, sum1), c1, sum2);
  const POINT odd1 = plus_scaled(rest1 * s1, s2, rest2);
  const POINT odd2 = plus_scaled(rest1 * s2, -s1, rest2);
  a = a + sum1 + sum2;
  b = even1 + odd1;
  e = even1 - odd1;
  c = even2 + odd2;
  d = even2 - odd2;
}

#define DFT_2(v) dft2(v[0], v[1]);
#define DFT_3(v) dft3(v[0], v[1], v[2]);
#define DFT_4(v) dft4(v[0], v[1], v[2], v[3]);
#define DFT_5(v) dft5(v[0], v[1], v[2], v[3], v[4]);

#define DFT_6(v)             \
  dft3(v[0], v[2], v[4]);    \
  dft3(v[3], v[5], v[1]);    \
  dft2(v[0], v[3]);          \
  dft2(v[2], v[5]);          \
  dft2(v[4], v[1]);          \
  {                          \
    const POINT kept = v[1]; \
    v[1] = v[5];             \
    v[5] = kept;             \
  }                          \
  swap_points(v[2], v[4]);

#define DFT_7(v)                                                                                       \
  {                                                                                                    \
    const float c1 = 0.62348980185873353f, c2 = -0.22252093395631440f, c3 = -0.90096886790241913f;     \
    const float s1 = 0.78183148246802981f, s2 = 0.97492791218182361f, s3 = 0.43388373911755812f;       \
    const POINT sum1 = v[1] + v[6], sum2 = v[2] + v[5], sum3 = v[3] + v[4];                            \
    const POINT rest1 = turned(v[1] - v[6]), rest2 = turned(v[2] - v[5]), rest3 = turned(v[3] - v[4]); \
    const POINT even1 = plus_scaled(plus_scaled(plus_scaled(v[0], c1, sum1), c2, sum2), c3, sum3);     \
    const POINT even2 = plus_scaled(plus_scaled(plus_scaled(v[0], c2, sum1), c3, sum2), c1, sum3);     \
    const POINT even3 = plus_scaled(plus_scaled(plus_scaled(v[0], c3, sum1), c1, sum2), c2, sum3);     \
    const POINT odd1 = plus_scaled(plus_scaled(rest1 * s1, s2, rest2), s3, rest3);                     \
    const POINT odd2 = plus_scaled(plus_scaled(rest1 * s2, -s3, rest2), -s1, rest3);                   \
    const POINT odd3 = plus_scaled(plus_scaled(rest1 * s3, -s1, rest2), s2, rest3);                    \
    v[0] = v[0] + sum1 + sum2 + sum3;                                                                  \
    v[1] = even1 + odd1;                                                                               \
    v[6] = even1 - odd1;                                                                               \
    v[2] = even2 + odd2;                                                                               \
    v[5] = even2 - odd2;                                                                               \
    v[3] = even3 + odd3;                                                                               \
    v[4] = even3 - odd3;                                                                               \
  }

#define DFT_8(v)                \
  dft4(v[0], v[2], v[4], v[6]); \
  dft4(v[1], v[3], v[5], v[7]); \
  v[3] = eighth(v[3]);          \
  v[5] = turned(v[5]);          \
  v[7] = three_eighths(v[7]);   \
  dft2(v[0], v[1]);             \
  dft2(v[2], v[3]);             \
  dft2(v[4], v[5]);             \
  dft2(v[6], v[7]);             \
  {                             \
    const POINT kept1 = v[1];   \
    const POINT kept3 = v[3];   \
    v[1] = v[2];                \
    v[2] = v[4];                \
    v[3] = v[6];                \
    v[4] = kept1;               \
    v[6] = v[5];                \
    v[5] = kept3;               \
  }

#define DFT_9(v)                                                          \
  dft3(v[0], v[3], v[6]);                                                 \
  dft3(v[1], v[4], v[7]);                                                 \
  dft3(v[2], v[5], v[8]);                                                 \
  v[4] = times(v[4], vec2(0.76604444311897804f, -0.64278760968653933f));  \
  v[7] = times(v[7], vec2(0.17364817766693035f, -0.98480775301220806f));  \
  v[5] = times(v[5], vec2(0.17364817766693035f, -0.98480775301220806f));  \
  v[8] = times(v[8], vec2(-0.93969262078590838f, -0.34202014332566873f)); \
  dft3(v[0], v[1], v[2]);                                                 \
  dft3(v[3], v[4], v[5]);                                                 \
  dft3(v[6], v[7], v[8]);                                                 \
  swap_points(v[1], v[3]);                                                \
  swap_points(v[2], v[6]);                                                \
  swap_points(v[5], v[7]);

#define DFT_10(v)                     \
  dft5(v[0], v[2], v[4], v[6], v[8]); \
  dft5(v[5], v[7], v[9], v[1], v[3]); \
  dft2(v[0], v[5]);                   \
  dft2(v[2], v[7]);                   \
  dft2(v[4], v[9]);                   \
  dft2(v[6], v[1]);                   \
  dft2(v[8], v[3]);                   \
  {                                   \
    const POINT kept2 = v[2];         \
    const POINT kept1 = v[1];         \
    v[2] = v[4];                      \
    v[4] = v[8];                      \
    v[8] = v[6];                      \
    v[6] = kept2;                     \
    v[1] = v[7];                      \
    v[7] = v[9];                      \
    v[9] = v[3];                      \
    v[3] = kept1;                     \
  }

#define DFT_16(v)                                                          \
  dft4(v[0], v[4], v[8], v[12]);                                           \
  dft4(v[1], v[5], v[9], v[13]);                                           \
  dft4(v[2], v[6], v[10], v[14]);                                          \
  dft4(v[3], v[7], v[11], v[15]);                                          \
  v[5] = times(v[5], vec2(0.92387953251128676f, -0.38268343236508977f));   \
  v[9] = eighth(v[9]);                                                     \
  v[13] = times(v[13], vec2(0.38268343236508977f, -0.92387953251128676f)); \
  v[6] = eighth(v[6]);                                                     \
  v[10] = turned(v[10]);                                                   \
  v[14] = three_eighths(v[14]);                                            \
  v[7] = times(v[7], vec2(0.38268343236508977f, -0.92387953251128676f));   \
  v[11] = three_eighths(v[11]);                                            \
  v[15] = times(v[15], vec2(-0.92387953251128676f, 0.38268343236508977f)); \
  dft4(v[0], v[1], v[2], v[3]);                                            \
  dft4(v[4], v[5], v[6], v[7]);                                            \
  dft4(v[8], v[9], v[10], v[11]);                                          \
  dft4(v[12], v[13], v[14], v[15]);                                        \
  swap_points(v[1], v[4]);                                                 \
  swap_points(v[2], v[8]);                                                 \
  swap_points(v[3], v[12]);                                                \
  swap_points(v[6], v[9]);                                                 \
  swap_points(v[7], v[13]);                                                \
  swap_points(v[11], v[14]);

// a / b for 0 <= a < 2^18, with 1.0f / float(b).
FN int quotient(int a, float reciprocal) { return int((float(a) + 0.5f) * reciprocal); }

// Point q of v times w(L)^(q t), q = 1 ... R - 1, which a pass has from `table` on as [q - 1][t].
#define TWIDDLE(v, R, t)                                                                          \
  {                                                                                               \
    PASS_UNROLL                                                                                   \
    for (int q = 1; q < R; q++) v[q] = times(v[q], p.twiddles.v[table + (t) + stride * (q - 1)]); \
  }

// A variant with RADIX_0, RADIX_1 and RADIX_2 is for lines of their product alone: what a pass needs is known to the
// compiler. Else it comes from the parameters. SKEWED(i) is where point i of a line lies in shared memory, so that lanes
// meet in few banks.
#if defined(RADIX_0)
#define IS_FIXED_LINE 1
#define IS_COMPLEX false
#define LINE_POINTS (RADIX_0 * RADIX_1 * RADIX_2 * RADIX_3)
#define SKEWED(i) ((i) + ((i) >> SKEW_0) + ((i) >> SKEW_1))
// Place `base + step` for the multiples of a pass' stride: where all lengths are powers of 2 the step adds no carry.
#define IS_POWER_OF_2 ((LINE_POINTS & (LINE_POINTS - 1)) == 0)
#define SKEWED_SUM(base, step) (IS_POWER_OF_2 ? SKEWED(base) + SKEWED(step) : SKEWED((base) + (step)))
#define DIVIDED(a, by) ((a) / (by))
#define STRIDE_0 (RADIX_1 * RADIX_2 * RADIX_3)
#define STRIDE_1 (RADIX_2 * RADIX_3)
#define TABLE_1 (STRIDE_0 * (RADIX_0 - 1))  // where the second pass' factors lie
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
// Every pass but the last, the last, and back.
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
#define IS_COMPLEX (p.is_complex != 0)
#define LINE_POINTS p.points
#define SKEWED(i) ((i) + ((i) >> (p.skews & 31)) + ((i) >> (p.skews >> 5)))
#define SKEWED_SUM(base, step) SKEWED((base) + (step))
#define DIVIDED(a, by) quotient(a, per_##by)
#endif

// Radix of a pass: four bits each hold it less one, the first pass lowest.
FN int radix_of(uint radices, int pass) { return int((radices >> (4 * pass)) & 15u) + 1; }

// PASS(R, SIZE, DFT) for the radix that it is, with DFT(v) the transform of R of the SIZE points of v. For Vulkan it is
// fewer radices, and one pass for all of them that loops over a transform's points: drivers' compilers would take minutes.
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
