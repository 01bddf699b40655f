// SPDX-License-Identifier: Apache-2.0
// Defines words written in the language itself. They use the instruction of a target that has one.
#ifndef KERNELS_LANG_WORDS_H
#define KERNELS_LANG_WORDS_H

// clang-format off
WEFT_WORDS

// Packs four bytes into a word. Byte 0 is the lowest, and the first in memory.
FN uint pack4(int b0, int b1, int b2, int b3) {
  return (uint(b0) & 255u) | ((uint(b1) & 255u) << 8) | ((uint(b2) & 255u) << 16) | (uint(b3) << 24);
}
FN int byte_of(uint word, int index) {
  return int((word >> (8 * index)) & 255u);
}

// Packs two 16-bit values into a word. Value 0 is the lower half.
FN uint pack2(int h0, int h1) {
  return (uint(h0) & 65535u) | (uint(h1) << 16);
}
FN int half_of(uint word, int index) {
  return int((word >> (16 * index)) & 65535u);
}

// Returns c + |a0 - b0| + |a1 - b1| + |a2 - b2| + |a3 - b3| over the bytes of a and b.
FN uint sad4(uint a, uint b, uint c) {
#if defined(__CUDA_ARCH__)
  return c + __vsadu4(a, b);
#else
  uint sum = c;
  UNROLL for (int i = 0; i < 4; i++) sum += uint(abs(byte_of(a, i) - byte_of(b, i)));
  return sum;
#endif
}

// Returns c + a0 b0 + a1 b1 + a2 b2 + a3 b3 over the bytes of a and b.
FN uint dot4(uint a, uint b, uint c) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 610
  return __dp4a(a, b, c);
#else
  return c + uint(byte_of(a, 0) * byte_of(b, 0)) + uint(byte_of(a, 1) * byte_of(b, 1)) +
         uint(byte_of(a, 2) * byte_of(b, 2)) + uint(byte_of(a, 3) * byte_of(b, 3));
#endif
}

WEFT_WORDS_END
// clang-format on

#endif  // KERNELS_LANG_WORDS_H
