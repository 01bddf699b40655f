// SPDX-License-Identifier: Apache-2.0
// Implements gemm_blocked.kernel for CUDA. It loads four aligned numbers at once from shared
// memory, with few enough registers for two blocks per multiprocessor.
#include "kernels/lang/lang.h"

#undef SHARED
#define SHARED(T, name, n) static __shared__ __align__(16) T name[n]
#undef BLOCK_KERNEL
#define BLOCK_KERNEL(x, y) DENSE_KERNEL(x, y, 2)
#define FOUR_AT(array, i) (*reinterpret_cast<const vec4*>(array + (i)))
#define PUT_FOUR(array, i, four) *reinterpret_cast<vec4*>(array + (i)) = four

#include "kernels/bench/gemm_blocked.kernel"
