// SPDX-License-Identifier: Apache-2.0
// Defines the parts of a BC7 block (subsets or planes): their endpoints and indices. Included
// between KERNEL_FILE and KERNEL_FILE_END.

#include "kernels/texture/bc7.h"
#include "kernels/texture/fit.h"

// A subset or a plane of a block, and its storage format.
struct Part {
  uint which;     // mask of the part's texels
  uint channels;  // mask of the part's channels, a byte each
  int colour_bits;
  int alpha_bits;
  int p_kind;
  int index_bits;
};

// Gathers the even bits of a word.
FN uint every_second_bit(uint bits) {
  bits &= 0x55555555u;
  bits = (bits | (bits >> 1)) & 0x33333333u;
  bits = (bits | (bits >> 2)) & 0x0f0f0f0fu;
  bits = (bits | (bits >> 4)) & 0x00ff00ffu;
  return (bits | (bits >> 8)) & 0xffffu;
}

FN uint which_of(int subsets, int pattern, int subset) {
  if (subsets == 1) return 0xffffu;
  if (subsets == 2) return subset == 1 ? kTwoSubsets[pattern] : 0xffffu & ~kTwoSubsets[pattern];
  const uint three = kThreeSubsets[pattern];
  return every_second_bit(subset == 0 ? ~(three | (three >> 1)) : three >> (subset - 1));
}

FN Part part_of(int mode, int pattern, int selector, int number) {
  Part part;
  const bool is_planes = kSecondBits[mode] > 0;
  part.which = is_planes ? 0xffffu : which_of(kSubsets[mode], pattern, number);
  part.colour_bits = kColourBits[mode];
  part.alpha_bits = kAlphaBits[mode];
  part.p_kind = kPBits[mode];
  part.index_bits = kIndexBits[mode];
  part.channels = part.alpha_bits == 0 ? 0x00ffffffu : 0xffffffffu;
  if (is_planes) {
    part.index_bits = (number == 1) == (selector == 0) ? kSecondBits[mode] : kIndexBits[mode];
    part.channels = number == 0 ? 0x00ffffffu : 0xff000000u;
    if (number == 0) part.alpha_bits = 0;
    if (number == 1) part.colour_bits = 0;
  }
  return part;
}

// Returns the texels with alpha and a colour exchanged.
FN Texels rotated(Texels texels, int rotation) {
  if (rotation == 0) return texels;
  const int with = 8 * (rotation - 1);
  Texels result;
  for (int i = 0; i < 16; i++) {
    const uint changed = ((texels.v[i] >> with) ^ (texels.v[i] >> 24)) & 255u;
    result.v[i] = texels.v[i] ^ (changed << with) ^ (changed << 24);
  }
  return result;
}
