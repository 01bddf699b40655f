// SPDX-License-Identifier: Apache-2.0
// Computes a weighted mean as a sample. Included inside KERNEL_FILE.
#ifndef KERNELS_DENOISE_QUOTIENT_H
#define KERNELS_DENOISE_QUOTIENT_H

// Returns sum / weight, rounded to nearest, the same on every device. Divisions of devices differ
// in the last bits, products do not.
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
