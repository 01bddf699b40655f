// SPDX-License-Identifier: Apache-2.0
// Defines EACH() over a rectangle. A kernel includes this file instead of lang.h. On the CPU the
// compiler may vectorise the loop over x.
#ifndef KERNELS_LANG_EACH_AT_H
#define KERNELS_LANG_EACH_AT_H

#include "kernels/lang/lang.h"

#if defined(VULKAN) || defined(__CUDACC__)
#if defined(VULKAN)
#define WEFT_TEAM_LANES int(gl_WorkGroupSize.x)
#else
#define WEFT_TEAM_LANES weft_lanes
#endif
#define EACH_AT(x, y, columns, rows)                                                          \
  for (int weft_i = LOCAL_X, x, y;                                                            \
       weft_i < (columns) * (rows) && (x = weft_i % (columns), y = weft_i / (columns), true); \
       weft_i += WEFT_TEAM_LANES)
#else
#define EACH_AT(x, y, columns, rows) \
  for (int y = 0; y < (rows); y++) INDEPENDENT for (int x = 0; x < (columns); x++)
#endif

#endif  // KERNELS_LANG_EACH_AT_H
