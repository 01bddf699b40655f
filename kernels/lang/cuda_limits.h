// SPDX-License-Identifier: Apache-2.0
// Defines limits of a multiprocessor for CUDA: the least ones of the generations that are built
// from one PTX (cmake/CudaTargets.cmake). CUDA C++ Programming Guide, "Technical Specifications per
// Compute Capability".
#ifndef KERNELS_LANG_CUDA_LIMITS_H
#define KERNELS_LANG_CUDA_LIMITS_H

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 900
#define WEFT_RESIDENT_BLOCKS 32
#define WEFT_RESIDENT_LANES 2048
#elif __CUDA_ARCH__ >= 1000
#define WEFT_RESIDENT_BLOCKS 24
#define WEFT_RESIDENT_LANES 1536
#elif __CUDA_ARCH__ >= 800
#define WEFT_RESIDENT_BLOCKS 16
#define WEFT_RESIDENT_LANES 1536
#else
#define WEFT_RESIDENT_BLOCKS 16
#define WEFT_RESIDENT_LANES 1024
#endif

// Returns the number of blocks that a kernel wants on a multiprocessor, or the largest possible
// one. The compiler refuses more.
constexpr int weft_resident(int lanes, int blocks) {
  const int by_lanes = WEFT_RESIDENT_LANES / lanes;
  const int possible = by_lanes < WEFT_RESIDENT_BLOCKS ? by_lanes : WEFT_RESIDENT_BLOCKS;
  return blocks < possible ? blocks : possible;
}

#endif  // KERNELS_LANG_CUDA_LIMITS_H
