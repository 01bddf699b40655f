// SPDX-License-Identifier: Apache-2.0
// Assembles a BC7 block from parts, and writes its bits. Included between KERNEL_FILE and
// KERNEL_FILE_END.

#include "kernels/texture/bc7_fit.h"

struct Encoded {
  int error;
  int mode;
  int pattern;
  int rotation;
  int selector;
  uint end[6];
  uint low[3];  // one word per part; bits of texels of other parts are 0
  uint high[3];
};

struct Block {
  uint v[4];
  int at;
};
// Appends `count` bits, at most 31, to the block. They are shifted in at the top, so that the first
// bit is the lowest when the block is complete.
FN void put(INOUT(Block) block, uint value, int count) {
  if (count == 0) return;
  for (int i = 0; i < 3; i++) block.v[i] = (block.v[i] >> count) | (block.v[i + 1] << (32 - count));
  block.v[3] = (block.v[3] >> count) | (value << (32 - count));
  block.at += count;
}

// Anchors, with an index of one bit less: the first texel and those of two more subsets, in order;
// -1 for no anchor.
struct Anchors {
  int texel[3];
};

FN int index_in(uint low, uint high, int texel) {
  return int(((texel < 8 ? low : high) >> (4 * (texel & 7))) & 15u);
}

// Returns one bit of each of eight texels as the lowest of four bits.
FN uint nibbles_of(uint bits) {
  uint spread = bits & 255u;
  spread = (spread | (spread << 12)) & 0x000f000fu;
  spread = (spread | (spread << 6)) & 0x03030303u;
  return (spread | (spread << 3)) & 0x11111111u;
}

// Exchanges the endpoints if the highest bit of an anchor's index is 1. That bit is not stored, and
// the exchange makes it 0.
FN void turn_part(INOUT(Encoded) encoded, Part part, int number, int anchor) {
  const int last = (1 << part.index_bits) - 1;
  const bool turns = 2 * index_in(encoded.low[number], encoded.high[number], anchor) > last;
  const uint first = encoded.end[2 * number], second = encoded.end[2 * number + 1];
  encoded.end[2 * number] = turns ? second : first;
  encoded.end[2 * number + 1] = turns ? first : second;
  encoded.low[number] ^= turns ? uint(last) * nibbles_of(part.which) : 0u;
  encoded.high[number] ^= turns ? uint(last) * nibbles_of(part.which >> 8) : 0u;
}

// Packs the indices of eight texels from four bits each to `bits` each.
FN uint packed_indices(uint indices, int bits) {
  if (bits == 4) return indices;
  const uint pairs = (indices & 0x0f0f0f0fu) | ((indices & 0xf0f0f0f0u) >> (4 - bits));
  const uint fours = (pairs & 0x00ff00ffu) | ((pairs & 0xff00ff00u) >> (8 - 2 * bits));
  return (fours & 0xffffu) | ((fours >> 16) << (4 * bits));
}

// Writes the indices of 16 texels. The index of an anchor lacks the highest bit, which is 0.
FN void put_indices(INOUT(Block) block, uint low, uint high, int bits, Anchors anchors) {
  for (int half_block = 0; half_block < 2; half_block++) {
    uint packed = packed_indices(half_block == 0 ? low : high, bits);
    int count = 8 * bits;
    // The last anchor is first, so that earlier positions remain valid.
    for (int i = 2; i >= 0; i--) {
      const int texel = anchors.texel[i] - 8 * half_block;
      if (texel < 0 || texel >= 8) continue;
      const uint below = (1u << (bits * texel + bits - 1)) - 1u;
      packed = (packed & below) | ((packed >> 1) & ~below);
      count--;
    }
    // Writes half of the 32 bits at a time.
    put(block, packed & 0xffffu, min(count, 16));
    put(block, packed >> 16, max(count - 16, 0));
  }
}

FN Block block_of(Encoded encoded) {
  const int mode = encoded.mode;
  const int subsets = kSubsets[mode];
  const bool is_planes = kSecondBits[mode] > 0;
  const int parts = is_planes ? 2 : subsets;
  Anchors anchors;
  for (int number = 0; number < 3; number++) {
    anchors.texel[number] = -1;
    if (number >= parts) continue;
    const int anchor = is_planes ? 0 : anchor_of(subsets, encoded.pattern, number);
    if (!is_planes || number == 0) anchors.texel[number] = anchor;
    turn_part(encoded, part_of(mode, encoded.pattern, encoded.selector, number), number, anchor);
  }
  // Sorts the two anchors by their positions.
  const int first = min(anchors.texel[1], anchors.texel[2]), last = max(anchors.texel[1], anchors.texel[2]);
  anchors.texel[1] = first;
  anchors.texel[2] = last;
  Block block;
  for (int i = 0; i < 3; i++) block.v[i] = 0u;
  // The mode is stored as zeros, then a one.
  block.v[3] = 0x80000000u;
  block.at = mode + 1;
  put(block, uint(encoded.pattern), kPartitionBits[mode]);
  if (is_planes) put(block, uint(encoded.rotation), 2);
  if (mode == 4) put(block, uint(encoded.selector), 1);
  const int p_shift = kPBits[mode] == P_NONE ? 0 : 1;
  for (int c = 0; c < 4; c++) {
    const int bits = c == 3 ? kAlphaBits[mode] : kColourBits[mode];
    const bool is_second_plane = is_planes && c == 3;
    uint codes = 0u;
    for (int end = 0; end < 6; end++)
      if (end < 2 * subsets)
        codes |=
            uint(byte_of(is_second_plane ? encoded.end[min(2 + end, 5)] : encoded.end[end], c) >> p_shift)
            << (bits * end);
    put(block, codes, 2 * subsets * bits);
  }
  uint p_bits = 0u;
  int p_count = 0;
  for (int end = 0; end < 6; end++)
    if (end < 2 * subsets && (kPBits[mode] == P_EACH || (kPBits[mode] == P_SHARED && (end & 1) == 0))) {
      p_bits |= (encoded.end[end] & 1u) << p_count;
      p_count++;
    }
  put(block, p_bits, p_count);
  if (!is_planes) {
    put_indices(block,
                encoded.low[0] | (subsets > 1 ? encoded.low[1] : 0u) | (subsets > 2 ? encoded.low[2] : 0u),
                encoded.high[0] | (subsets > 1 ? encoded.high[1] : 0u) | (subsets > 2 ? encoded.high[2] : 0u),
                kIndexBits[mode], anchors);
    return block;
  }
  const bool is_turned = encoded.selector != 0;  // the indices of the other part are stored first
  for (int turn = 0; turn < 2; turn++) {
    const bool is_first = (turn == 1) == is_turned;
    put_indices(block, is_first ? encoded.low[0] : encoded.low[1],
                is_first ? encoded.high[0] : encoded.high[1],
                turn == 0 ? kIndexBits[mode] : kSecondBits[mode], anchors);
  }
  return block;
}
