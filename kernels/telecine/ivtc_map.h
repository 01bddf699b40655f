// SPDX-License-Identifier: Apache-2.0
// Defines the marks of ivtc_map.kernel, and the differences that cause them, on an 8-bit scale.
#ifndef KERNELS_TELECINE_IVTC_MAP_H
#define KERNELS_TELECINE_IVTC_MAP_H

#define MAP_NEAR 1  // the fields differ here
#define MAP_FAR 2   // the fields differ much here, above and below
#define MAP_EDGE 4  // the fields differ much here, above or below

#define LEAST_NEAR 3  // differences above it count
#define LEAST_FAR 19

#endif  // KERNELS_TELECINE_IVTC_MAP_H
