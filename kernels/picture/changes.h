// SPDX-License-Identifier: Apache-2.0
// Defines the record of changes.kernel. The sum over a plane of the largest frames exceeds 32 bits.
// So the low parts of the lanes' sums are added to one number, the high parts to the next one. The
// sum is the first number plus CHANGES_LOW times the second.
#ifndef KERNELS_PICTURE_CHANGES_H
#define KERNELS_PICTURE_CHANGES_H

#define CHANGES_LOW 256u
#define CHANGES_RUN 32        // samples of a row per lane
#define CHANGES_PLANE_INTS 4  // two numbers for the next frame, two for the second next one
#define CHANGES_INTS (3 * CHANGES_PLANE_INTS)

#endif  // KERNELS_PICTURE_CHANGES_H
