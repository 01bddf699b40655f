// SPDX-License-Identifier: Apache-2.0
// Samples in words. Included between BUFFER(Words, uint) and the body, in the kernel's namespace.
#ifndef KERNELS_MOTION_SAMPLE_WORDS_H
#define KERNELS_MOTION_SAMPLE_WORDS_H

#define BYTES_OF_uint8_t 1
#define BYTES_OF_uint16_t 2
#define BYTES_OF(T) BYTES_OF_EXPANDED(T)
#define BYTES_OF_EXPANDED(T) BYTES_OF_##T
#define WORD_LOG2 (3 - BYTES_OF(PIXEL))  // samples of a word

#if defined(VULKAN) || defined(__CUDACC__)

// The word that begins at sample `at`, which need not be a multiple of a word's samples. It looks one word further.
FN uint word_at(Words words, int at) {
  const int shift = (at & ((1 << WORD_LOG2) - 1)) << (5 - WORD_LOG2);
  const uint low = words.v[at >> WORD_LOG2], high = words.v[(at >> WORD_LOG2) + 1];
#if defined(__CUDA_ARCH__)
  return __funnelshift_r(low, high, shift);
#else
  return (low >> shift) | ((high << 1) << (31 - shift));
#endif
}

#endif
#endif  // KERNELS_MOTION_SAMPLE_WORDS_H
