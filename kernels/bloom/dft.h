// SPDX-License-Identifier: Apache-2.0
// Computes discrete Fourier transforms of 2 to 16 points in registers. Included by fft.h.
//
// A POINT is two independent complex numbers, (x, y) and (z, w), or one if PLANES is 1. All
// transforms are forward, X[k] = sum over n of x[n] e^(-2 pi i n k / N). An inverse is a forward
// transform of conjugates, or of points with real and imaginary parts exchanged, which costs
// nothing. 6 and 10 points use the prime factor map (Good 1958), 8, 9 and 16 points the passes of
// fft.h.
//
// A product with a constant x - iy is x (1 - i y/x), or y (x/y - i). The bracket is one fused
// multiply-add per part, and the factor is fused into the subsequent sums (Linzer and Feig 1993).
// The functions *_of_scaled take such brackets as arguments.

FN vec2 times(vec2 a, vec2 w) { return vec2(mad(a.x, w.x, -(a.y * w.y)), mad(a.x, w.y, a.y * w.x)); }

#if PLANES == 2
#define VECTOR vec4
#else
#define VECTOR vec2
#endif

// The kernel's CPU body processes four lines at once (wide_*.h). Its rows keep whole complex
// transforms, and its columns include their mirrors. It cannot be mixed with the other bodies.
#if defined(WEFT_CPU_KERNEL) && PLANES == 2 && !defined(RADIX_0) && !defined(NARROW_POINTS) && \
    !defined(RGB_POINTS)
#define IS_WIDE
#include "kernels/bloom/wide.h"
#else
#define as_point(v) (v)
#define as_vector(v) (v)
#if PLANES == 2
#define POINT vec4
FN POINT turned(POINT a) { return vec4(a.y, -a.x, a.w, -a.z); }  // multiplies by -i
FN POINT conjugate(POINT a) { return vec4(a.x, -a.y, a.z, -a.w); }
FN POINT exchanged(POINT a) { return vec4(a.y, a.x, a.w, a.z); }
FN POINT times(POINT a, vec2 w) {
  return vec4(mad(a.x, w.x, -(a.y * w.y)), mad(a.x, w.y, a.y * w.x), mad(a.z, w.x, -(a.w * w.y)),
              mad(a.z, w.y, a.w * w.x));
}
FN POINT plus_scaled(POINT a, float s, POINT b) {
  return vec4(mad(b.x, s, a.x), mad(b.y, s, a.y), mad(b.z, s, a.z), mad(b.w, s, a.w));
}
FN POINT minus_scaled(POINT a, float s, POINT b) {
  return vec4(mad(-b.x, s, a.x), mad(-b.y, s, a.y), mad(-b.z, s, a.z), mad(-b.w, s, a.w));
}
FN POINT product(POINT a, POINT b) {
  return vec4(mad(a.x, b.x, -(a.y * b.y)), mad(a.x, b.y, a.y * b.x), mad(a.z, b.z, -(a.w * b.w)),
              mad(a.z, b.w, a.w * b.z));
}
#else
#define POINT vec2
FN POINT turned(POINT a) { return vec2(a.y, -a.x); }
FN POINT conjugate(POINT a) { return vec2(a.x, -a.y); }
FN POINT exchanged(POINT a) { return vec2(a.y, a.x); }
FN POINT plus_scaled(POINT a, float s, POINT b) { return vec2(mad(b.x, s, a.x), mad(b.y, s, a.y)); }
FN POINT minus_scaled(POINT a, float s, POINT b) { return vec2(mad(-b.x, s, a.x), mad(-b.y, s, a.y)); }
FN POINT product(POINT a, POINT b) { return times(a, b); }
#endif

#endif

FN void swap_points(INOUT(POINT) a, INOUT(POINT) b) {
  const POINT kept = a;
  a = b;
  b = kept;
}

FN void dft2(INOUT(POINT) a, INOUT(POINT) b) {
  const POINT sum = a + b;
  b = a - b;
  a = sum;
}

// Transforms the two points a and s * b. On the CPU, which adds while it multiplies,
// sum and difference are separate.
FN void dft2_of_scaled(INOUT(POINT) a, INOUT(POINT) b, float s) {
#if defined(IS_WIDE)
  b = b * s;
  dft2(a, b);
#else
  const POINT sum = plus_scaled(a, s, b);
  b = minus_scaled(a, s, b);
  a = sum;
#endif
}

FN void dft3(INOUT(POINT) a, INOUT(POINT) b, INOUT(POINT) c) {
  const POINT sum = b + c;
  const POINT rest = turned(b - c);
  const POINT middle = minus_scaled(a, 0.5f, sum);
  a = a + sum;
  b = plus_scaled(middle, 0.86602540378443865f, rest);
  c = minus_scaled(middle, 0.86602540378443865f, rest);
}

// Transforms the three points a, s * b and s * r * c.
FN void dft3_of_scaled(INOUT(POINT) a, INOUT(POINT) b, INOUT(POINT) c, float s, float r) {
  const POINT sum = plus_scaled(b, r, c);
  const POINT rest = turned(minus_scaled(b, r, c));
  const POINT middle = minus_scaled(a, 0.5f * s, sum);
  a = plus_scaled(a, s, sum);
  b = plus_scaled(middle, 0.86602540378443865f * s, rest);
  c = minus_scaled(middle, 0.86602540378443865f * s, rest);
}

FN void dft4(INOUT(POINT) a, INOUT(POINT) b, INOUT(POINT) c, INOUT(POINT) d) {
  const POINT even = a + c, even_rest = a - c;
  const POINT odd = b + d, odd_rest = turned(b - d);
  a = even + odd;
  b = even_rest + odd_rest;
  c = even - odd;
  d = even_rest - odd_rest;
}

// Transforms the four points a, s * b, r * c and s * d.
FN void dft4_of_scaled(INOUT(POINT) a, INOUT(POINT) b, INOUT(POINT) c, INOUT(POINT) d, float s, float r) {
#if defined(IS_WIDE)
  b = b * s;
  c = c * r;
  d = d * s;
  dft4(a, b, c, d);
#else
  const POINT even = plus_scaled(a, r, c), even_rest = minus_scaled(a, r, c);
  const POINT odd = b + d, odd_rest = turned(b - d);
  a = plus_scaled(even, s, odd);
  b = plus_scaled(even_rest, s, odd_rest);
  c = minus_scaled(even, s, odd);
  d = minus_scaled(even_rest, s, odd_rest);
#endif
}

FN void dft5(INOUT(POINT) a, INOUT(POINT) b, INOUT(POINT) c, INOUT(POINT) d, INOUT(POINT) e) {
  const float c1 = 0.30901699437494742f, c2 = -0.80901699437494742f;
  const float s1 = 0.95105651629515357f, s2_over_s1 = 0.61803398874989485f;
  const POINT sum1 = b + e, sum2 = c + d;
  const POINT rest1 = turned(b - e), rest2 = turned(c - d);
  const POINT even1 = plus_scaled(plus_scaled(a, c1, sum1), c2, sum2);
  const POINT even2 = plus_scaled(plus_scaled(a, c2, sum1), c1, sum2);
  const POINT odd1 = plus_scaled(rest1, s2_over_s1, rest2);
  const POINT odd2 = minus_scaled(rest2, s2_over_s1, rest1);
  a = a + sum1 + sum2;
  b = plus_scaled(even1, s1, odd1);
  e = minus_scaled(even1, s1, odd1);
  c = minus_scaled(even2, s1, odd2);
  d = plus_scaled(even2, s1, odd2);
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
    const POINT odd1 = plus_scaled(plus_scaled(rest1, s2 / s1, rest2), s3 / s1, rest3);                \
    const POINT odd2 = plus_scaled(plus_scaled(rest1, -s3 / s2, rest2), -s1 / s2, rest3);              \
    const POINT odd3 = plus_scaled(plus_scaled(rest1, -s1 / s3, rest2), s2 / s3, rest3);               \
    v[0] = v[0] + sum1 + sum2 + sum3;                                                                  \
    v[1] = plus_scaled(even1, s1, odd1);                                                               \
    v[6] = minus_scaled(even1, s1, odd1);                                                              \
    v[2] = plus_scaled(even2, s2, odd2);                                                               \
    v[5] = minus_scaled(even2, s2, odd2);                                                              \
    v[3] = plus_scaled(even3, s3, odd3);                                                               \
    v[4] = minus_scaled(even3, s3, odd3);                                                              \
  }

#define DFT_8(v)                                    \
  dft4(v[0], v[2], v[4], v[6]);                     \
  dft4(v[1], v[3], v[5], v[7]);                     \
  v[3] = v[3] + turned(v[3]);                       \
  v[5] = turned(v[5]);                              \
  v[7] = turned(v[7]) - v[7];                       \
  dft2(v[0], v[1]);                                 \
  dft2_of_scaled(v[2], v[3], 0.70710678118654752f); \
  dft2(v[4], v[5]);                                 \
  dft2_of_scaled(v[6], v[7], 0.70710678118654752f); \
  {                                                 \
    const POINT kept1 = v[1];                       \
    const POINT kept3 = v[3];                       \
    v[1] = v[2];                                    \
    v[2] = v[4];                                    \
    v[3] = v[6];                                    \
    v[4] = kept1;                                   \
    v[6] = v[5];                                    \
    v[5] = kept3;                                   \
  }

// The constants are for the angles 40, 80 and 160 degrees, multiples of 2 pi / 9: first the smaller
// of cosine and sine over the larger, then the larger ones, then the ratio of the second to the
// first.
#define DFT_9(v)                                                                 \
  dft3(v[0], v[3], v[6]);                                                        \
  dft3(v[1], v[4], v[7]);                                                        \
  dft3(v[2], v[5], v[8]);                                                        \
  v[4] = plus_scaled(v[4], 0.83909963117727993f, turned(v[4]));                  \
  v[5] = plus_scaled(turned(v[5]), 0.17632698070846506f, v[5]);                  \
  v[7] = plus_scaled(turned(v[7]), 0.17632698070846506f, v[7]);                  \
  v[8] = minus_scaled(v[8], 0.36397023426620256f, turned(v[8]));                 \
  dft3(v[0], v[1], v[2]);                                                        \
  dft3_of_scaled(v[3], v[4], v[5], 0.76604444311897801f, 1.28557521937307873f);  \
  dft3_of_scaled(v[6], v[7], v[8], 0.98480775301220802f, -0.95418889413867114f); \
  swap_points(v[1], v[3]);                                                       \
  swap_points(v[2], v[6]);                                                       \
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

// The constants are tan(pi / 8) and then cos(pi / 8).
#define DFT_16(v)                                                                         \
  dft4(v[0], v[4], v[8], v[12]);                                                          \
  dft4(v[1], v[5], v[9], v[13]);                                                          \
  dft4(v[2], v[6], v[10], v[14]);                                                         \
  dft4(v[3], v[7], v[11], v[15]);                                                         \
  v[5] = plus_scaled(v[5], 0.41421356237309509f, turned(v[5]));                           \
  v[6] = v[6] + turned(v[6]);                                                             \
  v[7] = plus_scaled(turned(v[7]), 0.41421356237309509f, v[7]);                           \
  v[9] = v[9] + turned(v[9]);                                                             \
  v[10] = turned(v[10]);                                                                  \
  v[11] = turned(v[11]) - v[11];                                                          \
  v[13] = plus_scaled(turned(v[13]), 0.41421356237309509f, v[13]);                        \
  v[14] = turned(v[14]) - v[14];                                                          \
  v[15] = minus_scaled(turned(turned(v[15])), 0.41421356237309509f, turned(v[15]));       \
  dft4(v[0], v[1], v[2], v[3]);                                                           \
  dft4_of_scaled(v[4], v[5], v[6], v[7], 0.92387953251128674f, 0.70710678118654752f);     \
  dft4_of_scaled(v[8], v[9], v[10], v[11], 0.70710678118654752f, 1.0f);                   \
  dft4_of_scaled(v[12], v[13], v[14], v[15], 0.92387953251128674f, 0.70710678118654752f); \
  swap_points(v[1], v[4]);                                                                \
  swap_points(v[2], v[8]);                                                                \
  swap_points(v[3], v[12]);                                                               \
  swap_points(v[6], v[9]);                                                                \
  swap_points(v[7], v[13]);                                                               \
  swap_points(v[11], v[14]);
