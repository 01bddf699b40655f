// SPDX-License-Identifier: Apache-2.0
// Defines the storage between the passes. A row's transforms are stored as points of fp32 or, with
// HALF_POINTS, of halves with half the size. Arithmetic is in fp32 in either case. Included between
// KERNEL_FILE and KERNEL_FILE_END after fft.h and, with HALF_POINTS, pixels.h.

#if PLANES == 2
#define POINTS Points2
#define POINT_PARTS 1  // elements of 16 bytes per point
#else
#define POINTS Points
#define POINT_PARTS 2
#endif

#if !defined(HALF_POINTS)
#define STORED_POINTS POINTS
#define STORED VECTOR
#define STORED_PAIRS Points2  // with PLANES = 1, pairs of adjacent points
#define STORED_PAIR vec4
#define STORED_ONES Points  // separate complex numbers
#define STORED_ONE vec2
#define one_from_stored(v) (v)
#define one_to_stored(v) (v)
#define from_stored(v) as_point(v)
#define to_stored(v) as_vector(v)
#define pair_of(a, b) vec4((a).x, (a).y, (b).x, (b).y)
#define first_of(pair) vec2((pair).x, (pair).y)
#define second_of(pair) vec2((pair).z, (pair).w)
#define fitted(v, scale) (v)
#else
// `scale` is a power of 2 that keeps all numbers within the range of halves (convolution.h).
#define fitted(v, scale) ((v) * (scale))
#define STORED_ONES Words
#define STORED_ONE uint
FN vec2 one_from_stored(uint word) { return vec2_of_halves(word); }
FN uint one_to_stored(vec2 v) { return half2_bits(half2_of(v.x, v.y)); }
#if PLANES == 2
#define STORED_POINTS Halves
#define STORED uvec2
#if !defined(IS_WIDE)
FN POINT from_stored(uvec2 words) { return as_point(vec4_of_halves(words)); }
FN uvec2 to_stored(POINT point) {
  const vec4 v = as_vector(point);
  return uvec2(one_to_stored(vec2(v.x, v.y)), one_to_stored(vec2(v.z, v.w)));
}
#endif
#else
#define STORED_POINTS Words
#define STORED uint
#define STORED_PAIRS Halves
#define STORED_PAIR uvec2
#define pair_of(a, b) uvec2(a, b)
#define first_of(pair) (pair).x
#define second_of(pair) (pair).y
FN POINT from_stored(uint word) { return as_point(one_from_stored(word)); }
FN uint to_stored(POINT point) { return one_to_stored(as_vector(point)); }
#endif
#endif
