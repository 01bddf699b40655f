// SPDX-License-Identifier: Apache-2.0
// A BC7 block as it was made of parts, and its bits. Included between KERNEL_FILE and KERNEL_FILE_END.

#include "kernels/texture/bc7_fit.h"

struct Encoded {
  int error;
  int mode;
  int pattern;
  int rotation;
  int selector;
  uint end[6];
  uint low[3];  // of each part; bits of other parts' texels are 0
  uint high[3];
};

struct Block {
  uint v[4];
  int at;
};
FN void put(INOUT(Block) block, int value, int count) {
  const int word = block.at >> 5, shift = block.at & 31;
  block.v[word] |= uint(value) << shift;
  if (shift + count > 32) block.v[word + 1] |= uint(value) >> (32 - shift);
  block.at += count;
}

FN int index_in(uint low, uint high, int texel) {
  return int(((texel < 8 ? low : high) >> (4 * (texel & 7))) & 15u);
}

// The highest bit of an anchor's index is not stored: it becomes 0 by changing the ends for each other.
FN void turn_part(INOUT(Encoded) encoded, Part part, int number, int anchor) {
  const int last = (1 << part.index_bits) - 1;
  if (2 * index_in(encoded.low[number], encoded.high[number], anchor) <= last) return;
  const uint first = encoded.end[2 * number];
  encoded.end[2 * number] = encoded.end[2 * number + 1];
  encoded.end[2 * number + 1] = first;
  for (int i = 0; i < 16; i++) {
    if (((part.which >> i) & 1u) == 0u) continue;
    if (i < 8) encoded.low[number] ^= uint(last) << (4 * i);
    if (i >= 8) encoded.high[number] ^= uint(last) << (4 * (i - 8));
  }
}

FN void put_indices(INOUT(Block) block, uint low, uint high, int bits, int subsets, int pattern) {
  for (int i = 0; i < 16; i++) {
    int count = bits;
    for (int subset = 0; subset < subsets; subset++)
      if (anchor_of(subsets, pattern, subset) == i) count--;
    put(block, index_in(low, high, i), count);
  }
}

FN Block block_of(Encoded encoded) {
  const int mode = encoded.mode;
  const int subsets = kSubsets[mode];
  const bool is_planes = kSecondBits[mode] > 0;
  for (int number = 0; number < (is_planes ? 2 : subsets); number++)
    turn_part(encoded, part_of(mode, encoded.pattern, encoded.selector, number), number,
              is_planes ? 0 : anchor_of(subsets, encoded.pattern, number));
  Block block;
  for (int i = 0; i < 4; i++) block.v[i] = 0u;
  block.at = 0;
  put(block, 1 << mode, mode + 1);
  put(block, encoded.pattern, kPartitionBits[mode]);
  if (is_planes) put(block, encoded.rotation, 2);
  if (mode == 4) put(block, encoded.selector, 1);
  const int p_shift = kPBits[mode] == P_NONE ? 0 : 1;
  for (int c = 0; c < 4; c++) {
    const int bits = c == 3 ? kAlphaBits[mode] : kColourBits[mode];
    for (int end = 0; end < 2 * subsets; end++)
      put(block, byte_of(encoded.end[is_planes && c == 3 ? 2 + end : end], c) >> p_shift, bits);
  }
  if (kPBits[mode] == P_EACH)
    for (int end = 0; end < 2 * subsets; end++) put(block, int(encoded.end[end] & 1u), 1);
  if (kPBits[mode] == P_SHARED)
    for (int subset = 0; subset < subsets; subset++) put(block, int(encoded.end[2 * subset] & 1u), 1);
  if (!is_planes) {
    uint low = 0u, high = 0u;
    for (int subset = 0; subset < subsets; subset++) {
      low |= encoded.low[subset];
      high |= encoded.high[subset];
    }
    put_indices(block, low, high, kIndexBits[mode], subsets, encoded.pattern);
    return block;
  }
  const int primary = encoded.selector == 0 ? 0 : 1;  // the part whose indices come first
  put_indices(block, encoded.low[primary], encoded.high[primary], kIndexBits[mode], 1, 0);
  put_indices(block, encoded.low[1 - primary], encoded.high[1 - primary], kSecondBits[mode], 1, 0);
  return block;
}
