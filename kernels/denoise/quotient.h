// SPDX-License-Identifier: Apache-2.0
// A weighted mean as a sample. Inside KERNEL_FILE.
#ifndef KERNELS_DENOISE_QUOTIENT_H
#define KERNELS_DENOISE_QUOTIENT_H

// sum / weight to the nearest whole number, the same on every device: their divisions differ in the last bits, products do not.
#define QUOTIENT_FUNCTION                                          \
  FN int nearest_quotient(float sum, float weight, int maximum) {  \
    int quotient = int(sum / weight + 0.5f);                       \
    PRECISE const float above = (float(quotient) + 0.5f) * weight; \
    PRECISE const float below = (float(quotient) - 0.5f) * weight; \
    if (sum >= above)                                              \
      quotient += 1;                                               \
    else if (sum < below)                                          \
      quotient -= 1;                                               \
    return clamp(quotient, 0, maximum);                            \
  }

#endif  // KERNELS_DENOISE_QUOTIENT_H
