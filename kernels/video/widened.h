// SPDX-License-Identifier: Apache-2.0
// Computes the spatial check of yadif and bwdif.
#ifndef KERNELS_VIDEO_WIDENED_H
#define KERNELS_VIDEO_WIDENED_H

#include "kernels/lang/lang.h"

WEFT_WORDS
// Returns the maximum distance of the result from d: `reach`, or more if d is outside the range of
// the lines above (c) and below (e) by more than their neighbours in the other field (`above`,
// `below`). The code avoids unary minus, because NVIDIA's compiler for sm_90 (ptxas 13.0, Vulkan
// driver 580) drops the sign when it merges max(a, max(b, -c)) into one instruction.
FN int widened(int reach, int d, int c, int e, int above, int below) {
  const int lowest = min(min(d - c, d - e), max(above - c, below - e));
  const int fall = min(min(c - d, e - d), max(c - above, e - below));
  return max(reach, max(lowest, fall));
}
WEFT_WORDS_END

#endif  // KERNELS_VIDEO_WIDENED_H
