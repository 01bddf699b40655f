// SPDX-License-Identifier: Apache-2.0
// Defines the transform over the number of lines that a line is split into. Included between
// KERNEL_FILE and KERNEL_FILE_END after fft.h.

#define DFT_1(v)
#define DFT_OF(R) WEFT_DFT_OF(R)
#define WEFT_DFT_OF(R) DFT_##R
