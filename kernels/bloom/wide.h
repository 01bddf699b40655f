// SPDX-License-Identifier: Apache-2.0
// Defines points of the CPU. A point has four lines at once, two complex numbers each, with real
// and imaginary parts in separate registers, so that transforms need no shuffles. Plain C++,
// included by fft.h for the CPU only.

#pragma GCC diagnostic ignored "-Wpsabi"  // everything is inlined: no call passes such a register

typedef float Wide __attribute__((vector_size(32)));
typedef float Four __attribute__((vector_size(16)));
typedef float FourAnywhere __attribute__((vector_size(16), aligned(4), may_alias));
struct WidePoint {
  Wide re, im;  // lines 0, 0, 2, 2, 1, 1, 3, 3, two numbers each
};
#define POINT WidePoint

FN Wide wide_of(float v) { return Wide{v, v, v, v, v, v, v, v}; }
FN Wide wide_mad(Wide a, Wide b, Wide c) {
#if defined(__FMA__)
  return __builtin_ia32_vfmaddps256(a, b, c);
#else
  return a * b + c;
#endif
}
FN POINT operator+(POINT a, POINT b) { return {a.re + b.re, a.im + b.im}; }
FN POINT operator-(POINT a, POINT b) { return {a.re - b.re, a.im - b.im}; }
FN POINT operator*(POINT a, float s) { return {a.re * s, a.im * s}; }
FN POINT turned(POINT a) { return {a.im, -a.re}; }
FN POINT conjugate(POINT a) { return {a.re, -a.im}; }
FN POINT product(POINT a, POINT b) {
  return {wide_mad(a.re, b.re, -(a.im * b.im)), wide_mad(a.re, b.im, a.im * b.re)};
}
FN POINT times(POINT a, vec2 w) { return product(a, POINT{wide_of(w.x), wide_of(w.y)}); }
FN POINT plus_scaled(POINT a, float s, POINT b) {
  return {wide_mad(b.re, wide_of(s), a.re), wide_mad(b.im, wide_of(s), a.im)};
}
// Computed without plus_scaled(), so that s is one constant of a transform, not two.
FN POINT minus_scaled(POINT a, float s, POINT b) {
  return {wide_mad(-b.re, wide_of(s), a.re), wide_mad(-b.im, wide_of(s), a.im)};
}

// Load and store two complex numbers of one line in their stored form.
FN Four four_at(const void* index) { return *static_cast<const FourAnywhere*>(index); }
FN void put_four(void* index, Four v) { *static_cast<FourAnywhere*>(index) = v; }

FN POINT point_of(Four a, Four b, Four c, Four d) {
  const Wide ab = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
  const Wide cd = __builtin_shufflevector(c, d, 0, 1, 2, 3, 4, 5, 6, 7);
  return {__builtin_shufflevector(ab, cd, 0, 2, 8, 10, 4, 6, 12, 14),
          __builtin_shufflevector(ab, cd, 1, 3, 9, 11, 5, 7, 13, 15)};
}
struct FourLines {
  Four line[4];
};
FN FourLines lines_of(POINT v) {
  const Wide ab = __builtin_shufflevector(v.re, v.im, 0, 8, 1, 9, 4, 12, 5, 13);
  const Wide cd = __builtin_shufflevector(v.re, v.im, 2, 10, 3, 11, 6, 14, 7, 15);
  return {{__builtin_shufflevector(ab, ab, 0, 1, 2, 3), __builtin_shufflevector(ab, ab, 4, 5, 6, 7),
           __builtin_shufflevector(cd, cd, 0, 1, 2, 3), __builtin_shufflevector(cd, cd, 4, 5, 6, 7)}};
}
FN POINT zero_point() { return {wide_of(0.0f), wide_of(0.0f)}; }
