// SPDX-License-Identifier: Apache-2.0
// From what a network says of a block to its bits. Included between KERNEL_FILE and KERNEL_FILE_END, behind small.h.

#include "kernels/texture/bc7_block.h"

#define WIDE_MOST 65535  // ends are quantised to this, once
#define PLACE_ONE 16384  // so are places along a line
#define ENDS_UNIT 16.0f  // codes, of a network's output
#define VECTOR_LONGER (1.0f + 1.5f / 127.5f)

#include "kernels/texture/bc1_block.h"

// Of a network; see training/texture/submodes.py for their order.
struct Outputs {
  float v[SMALL_OUTPUTS];
};

// Where the filter has the block's texels, in values, and whether they are unit vectors.
struct Base {
  int v[48];  // three of each texel
  bool is_vector;
};

// A component of a unit vector, in values.
FN int unit_value(int component, int length) {
  if (length == 0) return 128 * VALUE_ONE;
  return clamp((255 * VALUE_ONE * (length + component) + length) / (2 * length), 0, 255 * VALUE_ONE);
}

FN Base base_of(Params p, int x, int y) {
  Base base;
  base.is_vector = p.is_normal != 0;
  for (int k = 0; k < 4; k++) {
    const int column = x + (k & 1), row = y + (k >> 1);
    const uint texel = small_texel(p.texels, p.width, p.height, p.border, column, row);
    const bool is_one = p.is_normal != 0 && is_unit(byte_of(texel, 0), byte_of(texel, 1), byte_of(texel, 2));
    base.is_vector = base.is_vector && is_one;
    Four four[3];
    for (int c = 0; c < 3; c++) {
      four[c] = enlarge_channel(p.values, column, row, c, p.width, p.height, p.border);
      Four nothing;
      for (int i = 0; i < 4; i++) nothing.v[i] = 0;
      four[c] = with_added(four[c], nothing, byte_of(texel, c), true);
    }
    for (int i = 0; i < 4; i++) {
      int component[3];
      uint square = 0u;
      for (int c = 0; c < 3; c++) {
        component[c] = 2 * four[c].v[i] - 255 * VALUE_ONE;
        square += uint(component[c] * component[c]);
      }
      const int length = int(root_of(square));
      const int place = (2 * (k >> 1) + (i >> 1)) * 4 + 2 * (k & 1) + (i & 1);
      for (int c = 0; c < 3; c++)
        base.v[3 * place + c] = is_one ? unit_value(component[c], length) : four[c].v[i];
    }
  }
  return base;
}

// 16 bits to fewer.
FN int requantised(int wide, int bits) { return int((uint((1 << bits) - 1) * uint(wide) + 32768u) >> 16); }

// A value with this P-bit that is nearest to 16 bits.
FN int with_p_bit(int wide, int bits, int p_bit) {
  return 2 * clamp((requantised(wide, bits + 1) - p_bit + 1) >> 1, 0, (1 << bits) - 1) + p_bit;
}

// A part's two ends, in three channels of which it has some: 16 bits, then as they are stored.
struct PartEnds {
  int wide[6];
  int stored[6];
  int decoded[6];
};

// The base's texels, rounded: of vectors that are not a unit long a value may lie beyond the codes.
FN Texels texels_of(Base base) {
  Texels texels;
  for (int i = 0; i < 16; i++) {
    uint texel = 0xff000000u;
    for (int c = 0; c < 3; c++) {
      const int value = clamp(base.v[3 * i + c], 0, 255 * VALUE_ONE);
      texel |= uint((value + VALUE_ONE / 2) / VALUE_ONE) << (8 * c);
    }
    texels.v[i] = texel;
  }
  return texels;
}

// The ends that an encoder finds for the texels: along their axis, then one pass of least squares.
FN Ends fitted_ends(Texels texels, Part part) {
  const Moments moments = moments_of(texels, part.which, part.channels);
  Ends ends = ends_of(texels, part.which, part.channels, moments, axis_of(moments, 6));
  uint first = 0u, second = 0u;
  store_ends(part, ends, -1, first, second);
  LeastSquares squares;
  index_texels(texels, part, first, second, squares);
  solve(squares, ends);
  return ends;
}

// A part's two ends in codes, three channels each.
struct SixCodes {
  float v[6];
};

FN void longer_ends(INOUT(SixCodes) codes) {
  for (int e = 0; e < 2; e++) {
    float square = 0.0f;
    for (int c = 0; c < 3; c++) {
      const float component = codes.v[3 * e + c] * (1.0f / 127.5f) - 1.0f;
      square += component * component;
    }
    const float scale = max(VECTOR_LONGER / max(sqrt(square), 0.001f), 1.0f);
    for (int c = 0; c < 3; c++)
      codes.v[3 * e + c] = ((codes.v[3 * e + c] * (1.0f / 127.5f) - 1.0f) * scale + 1.0f) * 127.5f;
  }
}

FN PartEnds wide_ends(SixCodes codes) {
  PartEnds ends;
  for (int i = 0; i < 6; i++) {
    ends.wide[i] = int(floor(clamp(codes.v[i], 0.0f, 255.0f) * (float(WIDE_MOST) / 255.0f) + 0.5f));
    ends.stored[i] = ends.decoded[i] = 0;
  }
  return ends;
}

// P-bits: those that come nearest. Alpha, where it has the same one (mode 6), must be 255.
FN void store_part(Part part, int bits, int channels, bool is_opaque, INOUT(PartEnds) ends) {
  int errors[4];
  for (int i = 0; i < 4; i++) errors[i] = 0;
  const int all = part.p_kind == P_NONE ? bits : bits + 1;
  if (part.p_kind != P_NONE)
    for (int i = 0; i < 6; i++) {
      const int e = i / 3;
      if (((channels >> (i % 3)) & 1) == 0) continue;
      for (int p_bit = 0; p_bit < 2; p_bit++) {
        const int off = widen(with_p_bit(ends.wide[i], bits, p_bit), all) - requantised(ends.wide[i], 8);
        errors[2 * e + p_bit] += off * off;
        if (part.p_kind == P_SHARED) errors[2 * (1 - e) + p_bit] += off * off;
      }
    }
  for (int i = 0; i < 6; i++) {
    const int e = i / 3;
    if (part.p_kind == P_NONE) ends.stored[i] = requantised(ends.wide[i], bits);
    if (part.p_kind != P_NONE)
      ends.stored[i] = with_p_bit(ends.wide[i], bits, is_opaque || errors[2 * e + 1] < errors[2 * e] ? 1 : 0);
    ends.decoded[i] = widen(ends.stored[i], all);
  }
}

// Where a texel of the filter lies between the ends, of PLACE_ONE, and moved by what a network says.
FN int place_of(Base base, int texel, PartEnds ends, int channels, float moved) {
  int along = 0, square = 0;
  for (int c = 0; c < 3; c++) {
    if (((channels >> c) & 1) == 0) continue;
    const int step = ends.decoded[3 + c] - ends.decoded[c];
    along += (base.v[3 * texel + c] - VALUE_ONE * ends.decoded[c]) * step;
    square += step * step;
  }
  if (square == 0) return 0;
  PRECISE float place = float(along) * reciprocal(float(square * VALUE_ONE));
  place = clamp(place, -3.0f, 3.0f) * float(PLACE_ONE);
  return clamp(int(round_even(place)) + int(round_even(clamp(moved, -2.0f, 2.0f) * float(PLACE_ONE))), 0,
               PLACE_ONE);
}

// The index whose weight is nearest.
FN int index_at(int place, int bits) {
  int index = 0;
  for (int k = 0; k + 1 < (1 << bits); k++)
    if (place * 128 > (weight_of(bits, k) + weight_of(bits, k + 1)) * PLACE_ONE) index = k + 1;
  return index;
}

FN Block bc7_block(Params p, Base base, Outputs outputs) {
  const Texels texels = rotated(texels_of(base), p.rotation);
  const bool is_planes = kSecondBits[p.mode] > 0;
  const int alone = p.rotation - 1;
  Encoded made;
  made.error = 0;
  made.mode = p.mode;
  made.pattern = p.pattern;
  made.rotation = p.rotation;
  made.selector = p.selector;
  const int parts = is_planes ? 2 : kSubsets[p.mode];
  for (int i = 0; i < 6; i++) made.end[i] = 0u;
  int offsets = is_planes ? 6 : 6 * parts;  // where those of indices begin
  int next = 0;
  for (int number = 0; number < parts; number++) {
    const Part part = part_of(p.mode, p.pattern, p.selector, number);
    const bool is_alone = is_planes && number == 1;
    const int channels = !is_planes ? 7 : is_alone ? 1 << alone : 7 - (1 << alone);
    const int bits = is_alone ? part.alpha_bits : part.colour_bits;
    const Ends fitted = fitted_ends(texels, part);
    SixCodes codes;
    for (int i = 0; i < 6; i++) {
      codes.v[i] = 0.0f;
      if (((channels >> (i % 3)) & 1) == 0) continue;
      const int at = is_alone ? 3 : i % 3;  // rotated, the channel by itself is alpha
      codes.v[i] = (i < 3 ? fitted.first[at] : fitted.second[at]) + ENDS_UNIT * outputs.v[next];
      next++;
    }
    if (base.is_vector && channels == 7) longer_ends(codes);
    PartEnds ends = wide_ends(codes);
    store_part(part, bits, channels, p.mode == 6, ends);
    for (int e = 0; e < 2; e++) {
      uint end = 0u;
      // A plane of alpha has the channel by itself; its place in the colours has alpha, all ones.
      for (int c = 0; c < 3; c++) {
        const bool is_mine = ((channels >> c) & 1) != 0;
        if (is_alone && is_mine) end |= uint(ends.stored[3 * e + c]) << 24;
        if (!is_alone) end |= uint(is_mine ? ends.stored[3 * e + c] : (1 << bits) - 1) << (8 * c);
      }
      if (p.mode == 6) end |= 0xff000000u;
      made.end[2 * number + e] = end;
    }
    made.low[number] = 0u;
    made.high[number] = 0u;
    for (int i = 0; i < 16; i++) {
      if (((part.which >> i) & 1u) == 0u) continue;
      const int place = place_of(base, i, ends, channels, outputs.v[offsets + (is_alone ? 16 : 0) + i]);
      const uint index = uint(index_at(place, part.index_bits));
      if (i < 8) made.low[number] |= index << (4 * i);
      if (i >= 8) made.high[number] |= index << (4 * (i - 8));
    }
  }
  return block_of(made);
}

FN Block bc1_block(Base base, Outputs outputs) {
  const Texels texels = texels_of(base);
  const Moments moments = moments_of(texels, 0xffffu, 0xffffffu);
  Ends fitted = ends_of(texels, 0xffffu, 0xffffffu, moments, axis_of(moments, 6));
  LeastSquares squares;
  place_texels(texels, 0xffffu, 4, stored_end(fitted.first[0], fitted.first[1], fitted.first[2]),
               stored_end(fitted.second[0], fitted.second[1], fitted.second[2]), squares);
  solve(squares, fitted);
  SixCodes codes;
  for (int i = 0; i < 6; i++)
    codes.v[i] = (i < 3 ? fitted.first[i] : fitted.second[i - 3]) + ENDS_UNIT * outputs.v[i];
  if (base.is_vector) longer_ends(codes);
  PartEnds ends = wide_ends(codes);
  Colours colours;
  colours.first = colours.second = colours.places = 0u;
  colours.error = 0;
  for (int i = 0; i < 6; i++) {
    ends.stored[i] = requantised(ends.wide[i], bits_of(i % 3));
    ends.decoded[i] = widen(ends.stored[i], bits_of(i % 3));
    if (i < 3) colours.first |= uint(ends.stored[i]) << (8 * i);
    if (i >= 3) colours.second |= uint(ends.stored[i]) << (8 * (i - 3));
  }
  // Of two equal ends the codes mean three colours, of which the fourth is a hole.
  if (colours.first != colours.second)
    for (int i = 0; i < 16; i++)
      colours.places |= uint(index_at(place_of(base, i, ends, 7, outputs.v[6 + i]), 2)) << (2 * i);
  const TwoWords words = colour_words(colours, 0xffffu, 4);
  Block block;
  block.v[0] = words.low;
  block.v[1] = words.high;
  block.v[2] = block.v[3] = 0u;
  block.at = 0;
  return block;
}

// Red or green by itself.
FN TwoWords bc5_words(Base base, Texels texels, Outputs outputs, int channel) {
  Part part;
  part.which = 0xffffu;
  part.channels = 255u << (8 * channel);
  part.colour_bits = 8;
  part.alpha_bits = 0;
  part.p_kind = P_NONE;
  part.index_bits = 3;
  const Ends fitted = fitted_ends(texels, part);
  SixCodes codes;
  for (int i = 0; i < 6; i++) codes.v[i] = 0.0f;
  codes.v[channel] = fitted.first[channel] + ENDS_UNIT * outputs.v[2 * channel];
  codes.v[3 + channel] = fitted.second[channel] + ENDS_UNIT * outputs.v[2 * channel + 1];
  PartEnds ends = wide_ends(codes);
  const int first = requantised(ends.wide[channel], 8), second = requantised(ends.wide[3 + channel], 8);
  ends.decoded[channel] = first;
  ends.decoded[3 + channel] = second;
  Codes places;
  for (int i = 0; i < 16; i++) {
    const int along = place_of(base, i, ends, 1 << channel, outputs.v[4 + 16 * channel + i]);
    int place = (7 * along + PLACE_ONE / 2) / PLACE_ONE;
    // Of eight values the first end is the higher one.
    if (first < second) place = 7 - place;
    if (first == second) place = 0;
    places.v[i] = place == 0 ? 0 : place == 7 ? 1 : place + 1;
  }
  return channel_words(max(first, second), min(first, second), places);
}

FN Block bc5_block(Base base, Outputs outputs) {
  const Texels texels = texels_of(base);
  const TwoWords red = bc5_words(base, texels, outputs, 0), green = bc5_words(base, texels, outputs, 1);
  Block block;
  block.v[0] = red.low;
  block.v[1] = red.high;
  block.v[2] = green.low;
  block.v[3] = green.high;
  block.at = 0;
  return block;
}

FN void store_block(Params p, Outputs outputs, int block) {
  const int x = 2 * (block % p.blocks_x), y = 2 * (p.first_row + block / p.blocks_x);
  const Base base = base_of(p, x, y);
  Block made;
  if (p.mode == SMALL_BC1) made = bc1_block(base, outputs);
  if (p.mode == SMALL_BC5) made = bc5_block(base, outputs);
  if (p.mode < SMALL_BC1) made = bc7_block(p, base, outputs);
  const int words = p.mode == SMALL_BC1 ? 2 : 4;
  const int place = words * (p.first_row * p.blocks_x + block);
  for (int k = 0; k < words; k++) p.target.v[place + k] = made.v[k];
}
