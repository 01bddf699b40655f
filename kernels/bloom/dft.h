// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms of 2 to 16 points in registers. Included by fft.h.
//
// A POINT is two complex numbers that are transformed alike, (x, y) and (z, w), or one where PLANES is 1. All transforms
// are forward, X[k] = sum over n of x[n] e^(-2 pi i n k / N); an inverse is one of conjugates. 6 and 10 points are done by
// the prime factor map (Good 1958), 8, 9 and 16 as fft.h's passes are.

FN vec2 times(vec2 a, vec2 w) { return vec2(mad(a.x, w.x, -(a.y * w.y)), mad(a.x, w.y, a.y * w.x)); }

#if PLANES == 2
#define VECTOR vec4
#else
#define VECTOR vec2
#endif

// A kernel's body for the CPU works on four lines at once (wide_*.h). Its rows leave whole complex transforms, and its
// columns take their mirrors with them: it goes with none of the others.
#if defined(WEFT_CPU_KERNEL) && PLANES == 2 && !defined(RADIX_0) && !defined(NARROW_POINTS) && \
    !defined(COMPARED_LINES)
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
