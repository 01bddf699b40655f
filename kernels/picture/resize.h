// SPDX-License-Identifier: Apache-2.0
// Defines the two passes of resizing. Included between KERNEL_FILE and KERNEL_FILE_END, after
// FRAME_BUFFERS.
//
// p.weights holds FILTER_INTS ints for each plane. Then each output row or column has its first
// source sample, and its weights in units of 2^-WEIGHT_BITS, with a sum of exactly 1.
#ifndef KERNELS_PICTURE_RESIZE_H
#define KERNELS_PICTURE_RESIZE_H

#define FILTER_INTS 8
#define FILTER_TAPS(plane) p.weights.v[(plane)*FILTER_INTS]
// Offset of the first samples in the table.
#define FILTER_FIRST(plane) p.weights.v[(plane)*FILTER_INTS + 1]
#define FILTER_WEIGHTS(plane) p.weights.v[(plane)*FILTER_INTS + 2]  // offset of the weights
#define FILTER_SIDE(plane) p.weights.v[(plane)*FILTER_INTS + 3]     // output rows or columns
#define FILTER_OFFSET(plane) \
  p.weights.v[(plane)*FILTER_INTS + 4]  // begin of a plane of 32-bit samples between the passes
#define FILTER_STRIDE(plane) p.weights.v[(plane)*FILTER_INTS + 5]

// The samples between the passes are the difference from half of the largest sample, with a
// fraction. They are frames of 14 bits if these are exact enough, else 32-bit samples without gaps.
#if defined(WIDE)
#define MIDDLE int
#define SUM int64_t
#define WEIGHT_BITS 26
#define MIDDLE_SLOT_SAMPLES 64
#define MIDDLE_ZERO 0
#define MIDDLE_OFFSET(port, plane) FILTER_OFFSET(plane)
#define MIDDLE_STRIDE(port, plane) FILTER_STRIDE(plane)
#else
#define MIDDLE uint16_t
#define SUM int
#define WEIGHT_BITS 16
#define MIDDLE_SLOT_SAMPLES 128
#define MIDDLE_ZERO 8192
#define MIDDLE_OFFSET(port, plane) PLANE_OFFSET(port, plane)
#define MIDDLE_STRIDE(port, plane) PLANE_STRIDE(port, plane)
#endif

// Number of samples to sum side by side. On a CPU the loops over them vectorise.
#if defined(WEFT_CPU_KERNEL)
#define STRIP 64
#else
#define STRIP 1
#endif

#define RESIZE_PARAMS                                        \
  SLOT_PARAMS                                                \
  Table layouts;                                             \
  Table weights;                                             \
  int half_code; /* half of the largest sample and a half */ \
  int fraction;  /* bits of it between the passes */         \
  int maximum;

#define RESIZE_FUNCTIONS                                                                                \
  PLANE_FUNCTIONS                                                                                       \
  FN Middle middle_row(Plane arena, int slot, int offset, int y, int stride) {                          \
    Middle whole = VIEW(Middle, MIDDLE, arena);                                                         \
    return ADVANCE(                                                                                     \
        Middle, MIDDLE, whole,                                                                          \
        int64_t(slot) * int64_t(MIDDLE_SLOT_SAMPLES) + int64_t(offset) + int64_t(y) * int64_t(stride)); \
  }

#endif  // KERNELS_PICTURE_RESIZE_H
