// SPDX-License-Identifier: Apache-2.0
// Parts of a BC7 block, subsets or planes: their ends and indices. Included between KERNEL_FILE and KERNEL_FILE_END.

#include "kernels/texture/bc7.h"
#include "kernels/texture/fit.h"

// A subset of a block, or a plane of it, and how it is stored.
struct Part {
  uint which;     // its texels
  uint channels;  // a mask of bytes
  int colour_bits;
  int alpha_bits;
  int p_kind;
  int index_bits;
};

// A part encoded. Ends have 8 bits a channel, with their P-bits as the lowest of those that the mode stores.
struct Fit {
  uint first;
  uint second;
  uint low;   // indices of texels 0 to 7, 4 bits each
  uint high;  // 8 to 15
  int error;
};

FN int bits_of(Part part, int channel) { return channel == 3 ? part.alpha_bits : part.colour_bits; }

// A value of 0 to 255 as one that the mode stores, with that P-bit below.
FN int stored_value(float value, int bits, int p_kind, int p_bit) {
  const int all = p_kind == P_NONE ? bits : bits + 1;
  PRECISE float scaled = value * (float((1 << all) - 1) * (1.0f / 255.0f));
  if (p_kind == P_NONE) {
    scaled = scaled + 0.5f;
    return int(scaled);
  }
  scaled = scaled - float(p_bit);
  scaled = scaled * 0.5f;
  scaled = scaled + 0.5f;
  return 2 * clamp(int(max(scaled, 0.0f)), 0, (1 << bits) - 1) + p_bit;
}

FN int decoded_value(uint end, Part part, int channel) {
  const int bits = bits_of(part, channel);
  if (bits == 0) return 0;
  return widen(byte_of(end, channel), part.p_kind == P_NONE ? bits : bits + 1);
}

FN uint stored_end(Part part, float r, float g, float b, float a, int p_bit) {
  return pack4(part.colour_bits == 0 ? 0 : stored_value(r, part.colour_bits, part.p_kind, p_bit),
               part.colour_bits == 0 ? 0 : stored_value(g, part.colour_bits, part.p_kind, p_bit),
               part.colour_bits == 0 ? 0 : stored_value(b, part.colour_bits, part.p_kind, p_bit),
               part.alpha_bits == 0 ? 0 : stored_value(a, part.alpha_bits, part.p_kind, p_bit));
}

FN float end_error(Part part, uint end, float r, float g, float b, float a) {
  PRECISE float error = 0.0f;
  for (int c = 0; c < 4; c++) {
    if (bits_of(part, c) == 0) continue;
    PRECISE float off = float(decoded_value(end, part, c)) - (c == 0 ? r : c == 1 ? g : c == 2 ? b : a);
    PRECISE float square = off * off;
    error = error + square;
  }
  return error;
}

// The ends with the P-bits that come nearest to them; or with given ones, two bits.
FN void store_ends(Part part, Ends ends, int p_bits, INOUT(uint) first, INOUT(uint) second) {
  uint stored[4];
  float error[4];
  for (int p_bit = 0; p_bit < (part.p_kind == P_NONE ? 1 : 2); p_bit++) {
    stored[p_bit] = stored_end(part, ends.first[0], ends.first[1], ends.first[2], ends.first[3], p_bit);
    stored[2 + p_bit] =
        stored_end(part, ends.second[0], ends.second[1], ends.second[2], ends.second[3], p_bit);
    error[p_bit] = end_error(part, stored[p_bit], ends.first[0], ends.first[1], ends.first[2], ends.first[3]);
    error[2 + p_bit] =
        end_error(part, stored[2 + p_bit], ends.second[0], ends.second[1], ends.second[2], ends.second[3]);
  }
  first = stored[0];
  second = stored[2];
  if (part.p_kind == P_NONE) return;
  if (p_bits >= 0) {
    first = stored[p_bits & 1];
    second = stored[2 + (p_bits >> 1)];
    return;
  }
  if (part.p_kind == P_SHARED) {
    PRECISE float zeros = error[0] + error[2];
    PRECISE float ones = error[1] + error[3];
    if (ones < zeros) {
      first = stored[1];
      second = stored[3];
    }
    return;
  }
  if (error[1] < error[0]) first = stored[1];
  if (error[3] < error[2]) second = stored[3];
}

// Gives each texel its index between the ends, and sums up for the next ones.
FN Fit index_texels(Texels texels, Part part, uint first, uint second, INOUT(LeastSquares) squares) {
  Fit fit;
  fit.first = first;
  fit.second = second;
  fit.low = 0u;
  fit.high = 0u;
  fit.error = 0;
  int from[4];
  int step[4];
  int length = 0;
  for (int c = 0; c < 4; c++) {
    from[c] = decoded_value(first, part, c);
    step[c] = decoded_value(second, part, c) - from[c];
    length += step[c] * step[c];
  }
  const int last = (1 << part.index_bits) - 1;
  const float scale = length == 0 ? 0.0f : float(last) * reciprocal(float(length));
  squares = no_squares();
  for (int i = 0; i < 16; i++) {
    if (((part.which >> i) & 1u) == 0u) continue;
    const uint texel = texels.v[i] & part.channels;
    int along = 0;
    for (int c = 0; c < 4; c++) along += (byte_of(texel, c) - from[c]) * step[c];
    PRECISE float place = float(max(along, 0)) * scale;
    place = place + 0.5f;
    const int index = min(int(place), last);
    const int weight = weight_of(part.index_bits, index);
    for (int c = 0; c < 4; c++) {
      const int off = ((64 * from[c] + weight * step[c] + 32) >> 6) - byte_of(texel, c);
      fit.error += off * off;
    }
    add_square(squares, texel, weight);
    if (i < 8) fit.low |= uint(index) << (4 * i);
    if (i >= 8) fit.high |= uint(index) << (4 * (i - 8));
  }
  return fit;
}

// Bits 0, 2, 4 ... of a word.
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

// Alpha and a colour changed for each other.
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
