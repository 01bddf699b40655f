// SPDX-License-Identifier: Apache-2.0
// Defines the GLSL built-ins that C++ lacks, for CUDA and the CPU: min, max, clamp, abs and the
// vectors.
#ifndef KERNELS_LANG_GLSL_WORDS_H
#define KERNELS_LANG_GLSL_WORDS_H

// clang-format off
WEFT_WORDS

// GLSL's definitions, which also determine the result for NaN: min(x, y) is y if y < x, else x.
FN int min(int x, int y) { return y < x ? y : x; }
FN uint min(uint x, uint y) { return y < x ? y : x; }
FN float min(float x, float y) { return y < x ? y : x; }
FN int max(int x, int y) { return x < y ? y : x; }
FN uint max(uint x, uint y) { return x < y ? y : x; }
FN float max(float x, float y) { return x < y ? y : x; }
FN int clamp(int x, int low, int high) { return min(max(x, low), high); }
FN uint clamp(uint x, uint low, uint high) { return min(max(x, low), high); }
FN float clamp(float x, float low, float high) { return min(max(x, low), high); }
FN int abs(int x) { return x < 0 ? -x : x; }
FN float abs(float x) { return x < 0.0f ? -x : x + 0.0f; }

#if defined(__CUDACC__)
#define WEFT_MEMBER __device__ __forceinline__
#else
#define WEFT_MEMBER WEFT_INLINE constexpr
#endif

// Vectors of two or four values, aligned to their size in buffers. The members are x, y, z, w;
// swizzles are not available.
#define WEFT_VECTOR_OPERATOR2(V, T, op) \
  FN V operator op(V a, V b) {          \
    return V(a.x op b.x, a.y op b.y);   \
  }                                     \
  FN V operator op(V a, T b) {          \
    return V(a.x op b, a.y op b);       \
  }                                     \
  FN V operator op(T a, V b) {          \
    return V(a op b.x, a op b.y);       \
  }
#define WEFT_VECTOR_OPERATOR4(V, T, op)                       \
  FN V operator op(V a, V b) {                                \
    return V(a.x op b.x, a.y op b.y, a.z op b.z, a.w op b.w); \
  }                                                           \
  FN V operator op(V a, T b) {                                \
    return V(a.x op b, a.y op b, a.z op b, a.w op b);         \
  }                                                           \
  FN V operator op(T a, V b) {                                \
    return V(a op b.x, a op b.y, a op b.z, a op b.w);         \
  }
#define WEFT_VECTOR2(V, T)                                          \
  struct alignas(2 * sizeof(T)) V {                                 \
    T x, y;                                                         \
    V() = default;                                                  \
    WEFT_MEMBER explicit V(T value) : x(value), y(value) {}         \
    WEFT_MEMBER V(T x_value, T y_value) : x(x_value), y(y_value) {} \
  };                                                                \
  WEFT_VECTOR_OPERATOR2(V, T, +)                                    \
  WEFT_VECTOR_OPERATOR2(V, T, -)                                    \
  WEFT_VECTOR_OPERATOR2(V, T, *)                                    \
  WEFT_VECTOR_OPERATOR2(V, T, /)
#define WEFT_VECTOR4(V, T)                                                      \
  struct alignas(4 * sizeof(T)) V {                                             \
    T x, y, z, w;                                                               \
    V() = default;                                                              \
    WEFT_MEMBER explicit V(T value) : x(value), y(value), z(value), w(value) {} \
    WEFT_MEMBER V(T x_value, T y_value, T z_value, T w_value)                   \
        : x(x_value), y(y_value), z(z_value), w(w_value) {}                     \
  };                                                                            \
  WEFT_VECTOR_OPERATOR4(V, T, +)                                                \
  WEFT_VECTOR_OPERATOR4(V, T, -)                                                \
  WEFT_VECTOR_OPERATOR4(V, T, *)                                                \
  WEFT_VECTOR_OPERATOR4(V, T, /)

WEFT_VECTOR2(vec2, float)
WEFT_VECTOR2(ivec2, int)
WEFT_VECTOR2(uvec2, uint)
WEFT_VECTOR4(vec4, float)
WEFT_VECTOR4(ivec4, int)
WEFT_VECTOR4(uvec4, uint)

WEFT_WORDS_END
// clang-format on

#endif  // KERNELS_LANG_GLSL_WORDS_H
