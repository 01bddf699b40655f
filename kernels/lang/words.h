// SPDX-License-Identifier: Apache-2.0
// Words written in the language itself, with the instruction where a target has one.
#ifndef KERNELS_LANG_WORDS_H
#define KERNELS_LANG_WORDS_H

// clang-format off
WEFT_WORDS

// Four bytes in a word; byte 0 is the lowest, the first in memory.
FN uint pack4(int b0, int b1, int b2, int b3) {
  return (uint(b0) & 255u) | ((uint(b1) & 255u) << 8) | ((uint(b2) & 255u) << 16) | (uint(b3) << 24);
}
FN int byte_of(uint word, int index) {
  return int((word >> (8 * index)) & 255u);
}

// Two 16-bit values in a word; half 0 is the lower.
FN uint pack2(int h0, int h1) {
  return (uint(h0) & 65535u) | (uint(h1) << 16);
}
FN int half_of(uint word, int index) {
  return int((word >> (16 * index)) & 65535u);
}

// c + |a0 - b0| + |a1 - b1| + |a2 - b2| + |a3 - b3| over the bytes of a and b.
FN uint sad4(uint a, uint b, uint c) {
#if defined(__CUDA_ARCH__)
  return c + __vsadu4(a, b);
#else
  uint sum = c;
  UNROLL for (int i = 0; i < 4; i++) sum += uint(abs(byte_of(a, i) - byte_of(b, i)));
  return sum;
#endif
}

// c + a0 b0 + a1 b1 + a2 b2 + a3 b3 of the bytes of a and b.
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
