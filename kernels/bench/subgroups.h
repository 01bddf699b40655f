// SPDX-License-Identifier: Apache-2.0
// Computes sums over lanes in order, for benchmark kernels. Lanes are ordered by subgroup, then by
// lane in the subgroup; this order may differ from LOCAL_INDEX. The functions use a target's
// instruction for the bits of a subgroup if it has one.
#ifndef KERNELS_BENCH_SUBGROUPS_H
#define KERNELS_BENCH_SUBGROUPS_H

#include "kernels/lang/lang.h"

// The index of the lane's subgroup in its block, and the lane's position in the order.
#if defined(VULKAN)
#define SUBGROUP_INDEX int(gl_SubgroupID)
#elif defined(__CUDACC__)
#define SUBGROUP_INDEX (LOCAL_INDEX >> 5)
#else
#define SUBGROUP_INDEX LOCAL_INDEX
#endif
#define ORDERED_INDEX (SUBGROUP_INDEX * SUBGROUP_LANES + SUBGROUP_LANE)

// clang-format off
WEFT_WORDS

// Return, for the subgroup's lanes before this one, the sum of their values and the number of set
// flags. All lanes must reach the call.
#if defined(VULKAN)
uint sum_before(uint value) { return subgroupExclusiveAdd(value); }
uint flags_before(bool flag) { return subgroupExclusiveAdd(flag ? 1u : 0u); }
#elif defined(__CUDACC__)
FN uint sum_before(uint value) {
  uint sum = value;
  UNROLL
  for (int step = 1; step < 32; step <<= 1) {
    const uint other = __shfl_up_sync(0xffffffffu, sum, step);
    if (SUBGROUP_LANE >= step) sum += other;
  }
  return sum - value;
}
FN uint flags_before(bool flag) {
  return uint(__popc(__ballot_sync(0xffffffffu, flag) & ((1u << SUBGROUP_LANE) - 1u)));
}
// Returns the sum over the subgroup by shuffles only, for targets where subgroup_sum() uses an
// instruction.
FN uint tree_sum(uint value) {
  UNROLL
  for (int step = 16; step > 0; step >>= 1) value += __shfl_xor_sync(0xffffffffu, value, step);
  return value;
}
#else
FN uint sum_before(uint) { return 0u; }
FN uint flags_before(bool) { return 0u; }
#endif

#if !defined(__CUDACC__)
FN uint tree_sum(uint value) { return subgroup_sum(value); }
#endif

WEFT_WORDS_END
// clang-format on

// Sets `before` to the sum of `value` over the lanes before this one, and `total` to the sum over
// all lanes, in a BLOCK_KERNEL of `lanes` lanes with a shared array `parts` of lanes + 1 words. One
// lane adds the few sums of subgroups. A barrier is needed before the next call.
#define BLOCK_SUM_BEFORE(parts, lanes, value, before, total)                         \
  before = sum_before(value);                                                        \
  if (SUBGROUP_LANE == SUBGROUP_LANES - 1) parts[SUBGROUP_INDEX] = before + (value); \
  BARRIER();                                                                         \
  if (LOCAL_INDEX == 0) {                                                            \
    uint weft_sum = 0u;                                                              \
    for (int weft_part = 0; weft_part < (lanes) / SUBGROUP_LANES; weft_part++) {     \
      const uint weft_kept = parts[weft_part];                                       \
      parts[weft_part] = weft_sum;                                                   \
      weft_sum += weft_kept;                                                         \
    }                                                                                \
    parts[(lanes) / SUBGROUP_LANES] = weft_sum;                                      \
  }                                                                                  \
  BARRIER();                                                                         \
  before = before + parts[SUBGROUP_INDEX];                                           \
  total = parts[(lanes) / SUBGROUP_LANES];

// Sets `total` to the sum over all lanes, in lane 0 only.
#define BLOCK_SUM(parts, lanes, value, total)                                                               \
  {                                                                                                         \
    const uint weft_sum = subgroup_sum(value);                                                              \
    if (SUBGROUP_LANE == 0) parts[SUBGROUP_INDEX] = weft_sum;                                               \
    BARRIER();                                                                                              \
    total = 0u;                                                                                             \
    if (LOCAL_INDEX == 0)                                                                                   \
      for (int weft_part = 0; weft_part < (lanes) / SUBGROUP_LANES; weft_part++) total += parts[weft_part]; \
  }

#endif  // KERNELS_BENCH_SUBGROUPS_H
