// SPDX-License-Identifier: Apache-2.0
// The record of changes.kernel. The sum over a plane of the largest pictures has more than 32 bits: of each lane's sum, its low part is added
// up in one number and the rest in the next; together they are CHANGES_LOW times the second, and the first.
#ifndef KERNELS_PICTURE_CHANGES_H
#define KERNELS_PICTURE_CHANGES_H

#define CHANGES_LOW 256u
#define CHANGES_RUN 32        // samples of a row that a lane sums up
#define CHANGES_PLANE_INTS 4  // to the next picture, to the second
#define CHANGES_INTS (3 * CHANGES_PLANE_INTS)

#endif  // KERNELS_PICTURE_CHANGES_H
