// SPDX-License-Identifier: Apache-2.0
// Accesses samples packed in words. Included between BUFFER(Words, uint) and the body, in the
// kernel's namespace.
#ifndef KERNELS_MOTION_SAMPLE_WORDS_H
#define KERNELS_MOTION_SAMPLE_WORDS_H

#define BYTES_OF_uint8_t 1
#define BYTES_OF_uint16_t 2
#define BYTES_OF(T) BYTES_OF_EXPANDED(T)
#define BYTES_OF_EXPANDED(T) BYTES_OF_##T
#define WORD_LOG2 (3 - BYTES_OF(PIXEL))  // log2 of the samples per word

#if defined(VULKAN) || defined(__CUDACC__)

// Bit offset of sample `at` in its word.
#define WORD_SHIFT(at) (((at) & ((1 << WORD_LOG2) - 1)) << (5 - WORD_LOG2))

// Returns the 32 bits from bit `shift` of word `index` on. It always reads the next word as well.
FN uint shifted_word_at(Words words, int index, int shift) {
  const uint low = words.v[index], high = words.v[index + 1];
#if defined(__CUDA_ARCH__)
  return __funnelshift_r(low, high, shift);
#else
  return (low >> shift) | ((high << 1) << (31 - shift));
#endif
}

// Returns the word of samples from `at` on, at any alignment.
FN uint word_at(Words words, int at) { return shifted_word_at(words, at >> WORD_LOG2, WORD_SHIFT(at)); }

// Stores four samples from `at` on. `at` must be a multiple of the samples per word.
FN void put_samples(Words words, int at, ivec4 values) {
  if (WORD_LOG2 == 2) {
    words.v[at >> WORD_LOG2] = pack4(values.x, values.y, values.z, values.w);
  } else {
    words.v[at >> WORD_LOG2] = pack2(values.x, values.y);
    words.v[(at >> WORD_LOG2) + 1] = pack2(values.z, values.w);
  }
}
FN ivec4 whole_samples_at(Words words, int at) {
  const uint low = words.v[at >> WORD_LOG2];
  if (WORD_LOG2 == 2) return ivec4(byte_of(low, 0), byte_of(low, 1), byte_of(low, 2), byte_of(low, 3));
  const uint high = words.v[(at >> WORD_LOG2) + 1];
  return ivec4(half_of(low, 0), half_of(low, 1), half_of(high, 0), half_of(high, 1));
}
// Returns four samples from any `at` on.
FN ivec4 samples_at(Words words, int at) {
  const uint low = word_at(words, at);
  if (WORD_LOG2 == 2) return ivec4(byte_of(low, 0), byte_of(low, 1), byte_of(low, 2), byte_of(low, 3));
  const uint high = word_at(words, at + 2);
  return ivec4(half_of(low, 0), half_of(low, 1), half_of(high, 0), half_of(high, 1));
}

#endif
#endif  // KERNELS_MOTION_SAMPLE_WORDS_H
