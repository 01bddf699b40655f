// SPDX-License-Identifier: Apache-2.0
// What the two passes of resizing share. Between KERNEL_FILE and KERNEL_FILE_END, after FRAME_BUFFERS.
//
// p.weights holds FILTER_INTS ints for each plane, then for each row or column that comes out the first sample that it is made
// of, then the weights in units of 2^-WEIGHT_BITS: they sum up to 1 exactly.
#ifndef KERNELS_PICTURE_RESIZE_H
#define KERNELS_PICTURE_RESIZE_H

#define FILTER_INTS 8
#define FILTER_TAPS(plane) p.weights.v[(plane)*FILTER_INTS]
#define FILTER_FIRST(plane) \
  p.weights.v[(plane)*FILTER_INTS + 1]  // where in the table the first samples begin
#define FILTER_WEIGHTS(plane) p.weights.v[(plane)*FILTER_INTS + 2]  // where the weights begin
#define FILTER_SIDE(plane) p.weights.v[(plane)*FILTER_INTS + 3]     // rows or columns that come out
#define FILTER_OFFSET(plane) \
  p.weights.v[(plane)*FILTER_INTS + 4]  // of a plane between the passes, where that is wide
#define FILTER_STRIDE(plane) p.weights.v[(plane)*FILTER_INTS + 5]

// Samples between the passes are the difference from half of the largest sample, with a fraction: pictures of 14 bits, where that
// is exact enough, or wide ones, 32 bits each and without gaps.
#if defined(WIDE)
#define MIDDLE int
#define SUM int64_t
#define WEIGHT_BITS 26
#define MIDDLE_OF_PLACE 64
#define MIDDLE_ZERO 0
#define MIDDLE_OFFSET(port, plane) FILTER_OFFSET(plane)
#define MIDDLE_STRIDE(port, plane) FILTER_STRIDE(plane)
#else
#define MIDDLE uint16_t
#define SUM int
#define WEIGHT_BITS 16
#define MIDDLE_OF_PLACE 128
#define MIDDLE_ZERO 8192
#define MIDDLE_OFFSET(port, plane) PLANE_OFFSET(port, plane)
#define MIDDLE_STRIDE(port, plane) PLANE_STRIDE(port, plane)
#endif

// Samples that are summed up side by side: on a CPU the loops over them vectorise.
#if defined(WEFT_CPU_KERNEL)
#define STRIP 64
#else
#define STRIP 1
#endif

#define RESIZE_PARAMS                                        \
  PLACE_PARAMS                                               \
  Table layouts;                                             \
  Table weights;                                             \
  int half_code; /* half of the largest sample and a half */ \
  int fraction;  /* bits of it between the passes */         \
  int maximum;

#define RESIZE_FUNCTIONS                                                                             \
  PLANE_FUNCTIONS                                                                                    \
  FN Middle middle_row(Plane arena, int place, int offset, int y, int stride) {                      \
    Middle whole = VIEW(Middle, MIDDLE, arena);                                                      \
    return ADVANCE(                                                                                  \
        Middle, MIDDLE, whole,                                                                       \
        int64_t(place) * int64_t(MIDDLE_OF_PLACE) + int64_t(offset) + int64_t(y) * int64_t(stride)); \
  }

#endif  // KERNELS_PICTURE_RESIZE_H
