// SPDX-License-Identifier: Apache-2.0
// Operations on pairs of halves (IEEE binary16), which GPUs compute at the cost of one. Included
// instead of lang.h.
//
//   half2               + - * of two, each rounded once, to even
//   half2_of(lo, hi)    from both values;  half2_both(v): the same value twice
//   half2_within(lo, hi) as half2_of, clamped to the largest half (65504), infinity included; NaN
//                       stays NaN or becomes 65504, depending on the device
//   half2_bits(h), bits_half2(w)     as a word; the lower half in the lower 16 bits
//   low_float(h), high_float(h)      one of the two values
//   fma2 min2 max2 abs2              fma2 may round twice on some devices: for exact products
//   greater2(a, b, low, high)        a > b, for each half
//   word_bytes_even(w, k)            bytes 0 and 2 of a word, or-ed with bytes 1 and 3 of k: for
//                                    0x64006400 halves 1024 + byte. word_bytes_odd: bytes 1 and 3
//   pack_even_odd(e, o)              inverse: the low bytes of e at 0 and 2, those of o at 1 and 3
//   middle_bytes(a, b)               bits 8 to 23 of a in the low half, those of b in the high half
//
// Whole numbers up to 2048 are exact in a half.
#ifndef KERNELS_LANG_HALF2_H
#define KERNELS_LANG_HALF2_H

#include "kernels/lang/lang.h"

#if defined(VULKAN)  // ---- glslc

#define half2 f16vec2
half2 half2_of(float lo, float hi) { return half2(float16_t(lo), float16_t(hi)); }
half2 half2_both(float v) { return half2(float16_t(v)); }
half2 half2_within(float lo, float hi) {
  return half2_of(clamp(lo, -65504.0f, 65504.0f), clamp(hi, -65504.0f, 65504.0f));
}
uint half2_bits(half2 h) { return packFloat2x16(h); }
half2 bits_half2(uint w) { return unpackFloat2x16(w); }
float low_float(half2 h) { return float(h.x); }
float high_float(half2 h) { return float(h.y); }
half2 fma2(half2 a, half2 b, half2 c) { return fma(a, b, c); }
half2 min2(half2 a, half2 b) { return min(a, b); }
half2 max2(half2 a, half2 b) { return max(a, b); }
half2 abs2(half2 a) { return abs(a); }
void greater2(half2 a, half2 b, inout bool low, inout bool high) {
  low = a.x > b.x;
  high = a.y > b.y;
}

#elif defined(__CUDACC__)  // ---- nvcc -x cu

WEFT_WORDS
struct half2 {
  uint bits;
};
FN uint half2_bits(half2 h) { return h.bits; }
FN half2 bits_half2(uint w) { return half2{w}; }
// Code for compute capability 7.5 lacks conversions to pairs, and the least and greatest of pairs.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
FN half2 half2_of(float lo, float hi) {
  half2 h;
  asm("{.reg .b16 l, h; cvt.rn.f16.f32 l, %1; cvt.rn.f16.f32 h, %2; mov.b32 %0, {l, h};}"
      : "=r"(h.bits)
      : "f"(lo), "f"(hi));
  return h;
}
FN half2 half2_within(float lo, float hi) {
  return half2_of(fminf(fmaxf(lo, -65504.0f), 65504.0f), fminf(fmaxf(hi, -65504.0f), 65504.0f));
}
#define WEFT_HALF2_SELECT(name, comparison)                                      \
  FN half2 name(half2 a, half2 b) {                                              \
    half2 h;                                                                     \
    asm("{.reg .pred p, q; .reg .b16 al, ah, bl, bh; setp." comparison           \
        ".f16x2 p|q, %1, %2; mov.b32 {al, ah}, %1; mov.b32 {bl, bh}, %2;"        \
        "selp.b16 al, al, bl, p; selp.b16 ah, ah, bh, q; mov.b32 %0, {al, ah};}" \
        : "=r"(h.bits)                                                           \
        : "r"(a.bits), "r"(b.bits));                                             \
    return h;                                                                    \
  }
WEFT_HALF2_SELECT(min2, "lt")
WEFT_HALF2_SELECT(max2, "gt")
#else
FN half2 half2_of(float lo, float hi) {
  half2 h;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(h.bits) : "f"(hi), "f"(lo));
  return h;
}
FN half2 half2_within(float lo, float hi) {
  half2 h;
  asm("cvt.rn.satfinite.f16x2.f32 %0, %1, %2;" : "=r"(h.bits) : "f"(hi), "f"(lo));
  return h;
}
#endif
FN half2 half2_both(float v) { return half2_of(v, v); }
FN float low_float(half2 h) {
  float v;
  asm("{.reg .b16 l, h; mov.b32 {l, h}, %1; cvt.f32.f16 %0, l;}" : "=f"(v) : "r"(h.bits));
  return v;
}
FN float high_float(half2 h) {
  float v;
  asm("{.reg .b16 l, h; mov.b32 {l, h}, %1; cvt.f32.f16 %0, h;}" : "=f"(v) : "r"(h.bits));
  return v;
}
#define WEFT_HALF2_BINARY(name, instruction)                                   \
  FN half2 name(half2 a, half2 b) {                                            \
    half2 h;                                                                   \
    asm(instruction " %0, %1, %2;" : "=r"(h.bits) : "r"(a.bits), "r"(b.bits)); \
    return h;                                                                  \
  }
WEFT_HALF2_BINARY(operator+, "add.rn.f16x2")
WEFT_HALF2_BINARY(operator-, "sub.rn.f16x2")
WEFT_HALF2_BINARY(operator*, "mul.rn.f16x2")
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
WEFT_HALF2_BINARY(min2, "min.f16x2")
WEFT_HALF2_BINARY(max2, "max.f16x2")
#endif
FN half2 fma2(half2 a, half2 b, half2 c) {
  half2 h;
  asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(h.bits) : "r"(a.bits), "r"(b.bits), "r"(c.bits));
  return h;
}
FN half2 abs2(half2 a) {
  half2 h;
  asm("abs.f16x2 %0, %1;" : "=r"(h.bits) : "r"(a.bits));
  return h;
}
FN half2 operator-(half2 a) {
  half2 h;
  asm("neg.f16x2 %0, %1;" : "=r"(h.bits) : "r"(a.bits));
  return h;
}
FN void greater2(half2 a, half2 b, bool& low, bool& high) {
  uint l, h;
  asm("{.reg .pred p, q; setp.gt.f16x2 p|q, %2, %3; selp.u32 %0, 1, 0, p; selp.u32 %1, 1, 0, q;}"
      : "=r"(l), "=r"(h)
      : "r"(a.bits), "r"(b.bits));
  low = l != 0;
  high = h != 0;
}
WEFT_WORDS_END

#else  // ---- g++

WEFT_WORDS
// Halves are stored as floats and rounded after each operation. This is slow and serves checks
// only. The functions are not inlined, to shorten the compile time.
#define WEFT_CALLED [[maybe_unused]] __attribute__((noinline)) static
WEFT_CALLED float weft_to_half(float v) {
  const uint bits = __builtin_bit_cast(uint, v);
  const uint exponent = (bits >> 23) & 255u;
  if (exponent >= 143u) return exponent == 255u ? v : v < 0.0f ? -__builtin_inff() : __builtin_inff();
  // Adding and subtracting a number with an ulp equal to the half's rounds to even.
  const uint exponent_of_unit = (exponent > 112u ? exponent : 113u) + 13u;
  const float large = __builtin_bit_cast(float, exponent_of_unit << 23);
  const float magnitude = v < 0.0f ? -v : v;
  const float rounded = (magnitude + large) - large;
  const float bounded = rounded > 65504.0f ? __builtin_inff() : rounded;
  return v < 0.0f ? -bounded : bounded;
}
struct half2 {
  float x, y;
};
WEFT_CALLED half2 half2_of(float lo, float hi) { return {weft_to_half(lo), weft_to_half(hi)}; }
WEFT_CALLED half2 half2_both(float v) { return half2_of(v, v); }
WEFT_CALLED half2 half2_within(float lo, float hi) {
  return half2_of(clamp(lo, -65504.0f, 65504.0f), clamp(hi, -65504.0f, 65504.0f));
}
WEFT_CALLED uint weft_half_bits(float v) {
  const uint bits = __builtin_bit_cast(uint, v);
  const uint sign = (bits >> 16) & 0x8000u;
  const float magnitude = v < 0.0f ? -v : v;
  if (magnitude < 6.103515625e-05f) return sign | uint(magnitude * 16777216.0f);
  return sign | (((bits & 0x7fffffffu) - (112u << 23)) >> 13);
}
WEFT_CALLED float weft_half_value(uint bits) {
  const uint exponent = (bits >> 10) & 31u;
  const float magnitude = exponent == 0u ? float(bits & 1023u) / 16777216.0f
                                         : __builtin_bit_cast(float, ((bits & 0x7fffu) << 13) + (112u << 23));
  return (bits & 0x8000u) != 0u ? -magnitude : magnitude;
}
WEFT_CALLED uint half2_bits(half2 h) { return weft_half_bits(h.x) | (weft_half_bits(h.y) << 16); }
WEFT_CALLED half2 bits_half2(uint w) { return {weft_half_value(w & 0xffffu), weft_half_value(w >> 16)}; }
WEFT_CALLED float low_float(half2 h) { return h.x; }
WEFT_CALLED float high_float(half2 h) { return h.y; }
WEFT_CALLED half2 operator+(half2 a, half2 b) { return half2_of(a.x + b.x, a.y + b.y); }
WEFT_CALLED half2 operator-(half2 a, half2 b) { return half2_of(a.x - b.x, a.y - b.y); }
WEFT_CALLED half2 operator*(half2 a, half2 b) { return half2_of(a.x * b.x, a.y * b.y); }
WEFT_CALLED half2 operator-(half2 a) { return {-a.x, -a.y}; }
WEFT_CALLED half2 fma2(half2 a, half2 b, half2 c) { return half2_of(a.x * b.x + c.x, a.y * b.y + c.y); }
WEFT_CALLED half2 min2(half2 a, half2 b) { return {min(a.x, b.x), min(a.y, b.y)}; }
WEFT_CALLED half2 max2(half2 a, half2 b) { return {max(a.x, b.x), max(a.y, b.y)}; }
WEFT_CALLED half2 abs2(half2 a) { return {abs(a.x), abs(a.y)}; }
WEFT_CALLED void greater2(half2 a, half2 b, bool& low, bool& high) {
  low = a.x > b.x;
  high = a.y > b.y;
}
WEFT_WORDS_END

#endif  // ---- all targets

WEFT_WORDS
#if defined(__CUDA_ARCH__)
FN uint word_bytes_even(uint w, uint k) { return __byte_perm(w, k, 0x7250); }
FN uint word_bytes_odd(uint w, uint k) { return __byte_perm(w, k, 0x7351); }
FN uint pack_even_odd(uint e, uint o) { return __byte_perm(e, o, 0x6240); }
FN uint middle_bytes(uint a, uint b) { return __byte_perm(a, b, 0x6521); }
#else
FN uint word_bytes_even(uint w, uint k) { return (w & 0x00ff00ffu) | k; }
FN uint word_bytes_odd(uint w, uint k) { return ((w >> 8) & 0x00ff00ffu) | k; }
FN uint pack_even_odd(uint e, uint o) { return (e & 0x00ff00ffu) | ((o & 0x00ff00ffu) << 8); }
FN uint middle_bytes(uint a, uint b) { return ((a >> 8) & 0xffffu) | ((b << 8) & 0xffff0000u); }
#endif
WEFT_WORDS_END

#endif  // KERNELS_LANG_HALF2_H
