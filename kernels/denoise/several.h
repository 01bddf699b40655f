// SPDX-License-Identifier: Apache-2.0
// Defines `Several`, the numbers that a lane transforms at once: one on a GPU, eight on a CPU.
// Included between KERNEL_FILE and the body.
#if defined(WEFT_CPU_KERNEL)
#pragma GCC diagnostic ignored "-Wpsabi"  // everything is inlined: no call passes such a register
typedef float Several __attribute__((vector_size(32), aligned(4), may_alias));
#define SEVERAL_ZERO (Several{})
FN Several larger(Several a, Several b) { return a > b ? a : b; }

// Transposes eight numbers of each of eight blocks.
#define TRANSPOSE_PAIRS(a, b, lows, highs)                   \
  {                                                          \
    const Several low = __builtin_shufflevector(a, b, lows); \
    b = __builtin_shufflevector(a, b, highs);                \
    a = low;                                                 \
  }
#define LOW_HALVES 0, 1, 2, 3, 8, 9, 10, 11
#define HIGH_HALVES 4, 5, 6, 7, 12, 13, 14, 15
#define LOW_PAIRS 0, 1, 8, 9, 4, 5, 12, 13
#define HIGH_PAIRS 2, 3, 10, 11, 6, 7, 14, 15
#define LOW_SINGLES 0, 8, 2, 10, 4, 12, 6, 14
#define HIGH_SINGLES 1, 9, 3, 11, 5, 13, 7, 15
FN void transpose(Several* v) {
  UNROLL
  for (int i = 0; i < 4; i++) TRANSPOSE_PAIRS(v[i], v[i + 4], LOW_HALVES, HIGH_HALVES)
  UNROLL
  for (int i = 0; i < 8; i += 4)
    for (int j = i; j < i + 2; j++) TRANSPOSE_PAIRS(v[j], v[j + 2], LOW_PAIRS, HIGH_PAIRS)
  UNROLL
  for (int i = 0; i < 8; i += 2) TRANSPOSE_PAIRS(v[i], v[i + 1], LOW_SINGLES, HIGH_SINGLES)
}
#else
#define Several float
#define SEVERAL_ZERO 0.0f
FN Several larger(Several a, Several b) { return max(a, b); }
#endif
