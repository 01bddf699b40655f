// SPDX-License-Identifier: Apache-2.0
// The spatial check that yadif and bwdif share.
#ifndef KERNELS_VIDEO_WIDENED_H
#define KERNELS_VIDEO_WIDENED_H

#include "kernels/lang/lang.h"

WEFT_WORDS
// How far the result may lie from d: `reach`, or more where d lies outside the lines above (c) and below (e) by more than
// their neighbours in the other field do (`above`, `below`).
// There is no unary minus on purpose: NVIDIA's compiler for sm_90 (ptxas 13.0, Vulkan driver 580) drops the sign when
// it makes one instruction of max(a, max(b, -c)).
FN int widened(int reach, int d, int c, int e, int above, int below) {
  const int lowest = min(min(d - c, d - e), max(above - c, below - e));
  const int fall = min(min(c - d, e - d), max(c - above, e - below));
  return max(reach, max(lowest, fall));
}
WEFT_WORDS_END

#endif  // KERNELS_VIDEO_WIDENED_H
