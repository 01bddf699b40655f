// SPDX-License-Identifier: Apache-2.0
// Computes 1 / sqrt(value) of a normal value by the target's instruction, within 4 ulp.
#ifndef KERNELS_BENCH_INVERSE_ROOT_H
#define KERNELS_BENCH_INVERSE_ROOT_H

#include "kernels/lang/lang.h"

// clang-format off
WEFT_WORDS
#if defined(VULKAN)
float inverse_root(float value) { return inversesqrt(value); }
#elif defined(__CUDACC__)
FN float inverse_root(float value) {
  float root;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(value));
  return root;
}
#else
FN float inverse_root(float value) { return 1.0f / sqrt(value); }
#endif
WEFT_WORDS_END
// clang-format on

#endif  // KERNELS_BENCH_INVERSE_ROOT_H
