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

FN Outputs outputs_of(Params p, int round, int block) {
  Outputs outputs;
  UNROLL
  for (int k = 0; k < SMALL_OUTPUTS; k++)
    outputs.v[k] = p.outputs.v[(round * SMALL_OUTPUTS + k) * SMALL_ROUND + block];
  return outputs;
}

// Where the filter has the block's texels, and whether all come of unit vectors.
struct Base {
  uint v[SMALL_BASE_WORDS];
  bool is_vector;
};

FN Base base_of(Params p, int block) {
  Base base;
  UNROLL
  for (int i = 0; i < SMALL_BASE_WORDS; i++) base.v[i] = p.bases.v[SMALL_BASE_WORDS * block + i];
  base.is_vector = p.is_normal != 0;
  if (base.is_vector) {
    const int x = 2 * (block % p.blocks_x), y = 2 * (p.first_row + block / p.blocks_x);
    UNROLL
    for (int k = 0; k < 4; k++) {
      const uint texel = small_texel(p.texels, p.width, p.height, p.border, x + (k & 1), y + (k >> 1));
      base.is_vector = base.is_vector && is_unit(byte_of(texel, 0), byte_of(texel, 1), byte_of(texel, 2));
    }
  }
  return base;
}

// Value `channel` of a texel; texels lie as the four of each small texel.
FN int base_value(Base base, int texel, int channel) {
  const int x = texel & 3, y = texel >> 2;
  const int at = 3 * (8 * (y >> 1) + 4 * (x >> 1) + 2 * (y & 1) + (x & 1)) + channel;
  return (at & 1) == 0 ? int(base.v[at >> 1] << 16) >> 16 : int(base.v[at >> 1]) >> 16;
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
  UNROLL
  for (int i = 0; i < 16; i++) {
    uint texel = 0xff000000u;
    UNROLL
    for (int c = 0; c < 3; c++) {
      const int value = clamp(base_value(base, i, c), 0, 255 * VALUE_ONE);
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
  UNROLL
  for (int c = 0; c < 3; c++) {
    if (((channels >> c) & 1) == 0) continue;
    const int step = ends.decoded[3 + c] - ends.decoded[c];
    along += (base_value(base, texel, c) - VALUE_ONE * ends.decoded[c]) * step;
    square += step * step;
  }
  if (square == 0) return 0;
  PRECISE float place = float(along) * reciprocal(float(square * VALUE_ONE));
  place = clamp(place, -3.0f, 3.0f) * float(PLACE_ONE);
  return clamp(int(round_even(place)) + int(round_even(clamp(moved, -2.0f, 2.0f) * float(PLACE_ONE))), 0,
               PLACE_ONE);
}

// The index whose weight is nearest; of two as near, the lower one. Equal steps come at most one off.
FN int index_at(int place, int bits) {
  const int last = (1 << bits) - 1;
  const int index = (2 * place * last + PLACE_ONE) / (2 * PLACE_ONE);
  const int below = weight_of(bits, max(index - 1, 0)), here = weight_of(bits, index),
            above = weight_of(bits, min(index + 1, last));
  if (index > 0 && place * 128 <= (below + here) * PLACE_ONE) return index - 1;
  if (index < last && place * 128 > (here + above) * PLACE_ONE) return index + 1;
  return index;
}

// A submode of BC7.
struct Form {
  int mode;
  int pattern;
  int rotation;
  int selector;
};

FN Form form_of(Submodes submodes, int submode) {
  const int at = submode * SUBMODE_INTS;
  Form form;
  form.mode = submodes.v[at + SUBMODE_MODE];
  form.pattern = submodes.v[at + SUBMODE_PATTERN];
  form.rotation = submodes.v[at + SUBMODE_ROTATION];
  form.selector = submodes.v[at + SUBMODE_SELECTOR];
  return form;
}

// Of two planes: the end, channel i % 3 of end i / 3. First come both ends of the colours without channel `alone`, then of that one.
FN float plane_end(Outputs outputs, int i, int plane, int alone) {
  const int end = i / 3, channel = i % 3;
  if (plane == 1) return outputs.v[4 + end];
  return channel > alone ? outputs.v[2 * end + max(channel - 1, 0)] : outputs.v[2 * end + min(channel, 1)];
}

// A subset or a plane. `number` is one that compilers know, but for Vulkan's.
FN void add_part(Form form, int number, Texels texels, Base base, Outputs outputs, INOUT(Encoded) made) {
  const bool is_planes = kSecondBits[form.mode] > 0;
  const int alone = form.rotation - 1;
  const int indices = is_planes ? 6 : 6 * kSubsets[form.mode];  // where those of indices begin
  const Part part = part_of(form.mode, form.pattern, form.selector, number);
  const bool is_alone = is_planes && number == 1;
  const int channels = !is_planes ? 7 : is_alone ? 1 << alone : 7 - (1 << alone);
  const int bits = is_alone ? part.alpha_bits : part.colour_bits;
  const Ends fitted = fitted_ends(texels, part);
  SixCodes codes;
  UNROLL
  for (int i = 0; i < 6; i++) {
    const int at = is_alone ? 3 : i % 3;  // rotated, the channel by itself is alpha
    const float moved = is_planes ? plane_end(outputs, i, number, alone) : outputs.v[6 * number + i];
    const float code = (i < 3 ? fitted.first[at] : fitted.second[at]) + ENDS_UNIT * moved;
    codes.v[i] = ((channels >> (i % 3)) & 1) == 0 ? 0.0f : code;
  }
  if (base.is_vector && channels == 7) longer_ends(codes);
  PartEnds ends = wide_ends(codes);
  store_part(part, bits, channels, form.mode == 6, ends);
  UNROLL
  for (int e = 0; e < 2; e++) {
    uint end = 0u;
    // A plane of alpha has the channel by itself; its place in the colours has alpha, all ones.
    UNROLL
    for (int c = 0; c < 3; c++) {
      const bool is_mine = ((channels >> c) & 1) != 0;
      if (is_alone && is_mine) end |= uint(ends.stored[3 * e + c]) << 24;
      if (!is_alone) end |= uint(is_mine ? ends.stored[3 * e + c] : (1 << bits) - 1) << (8 * c);
    }
    if (form.mode == 6) end |= 0xff000000u;
    made.end[2 * number + e] = end;
  }
  uint low = 0u, high = 0u;
  UNROLL
  for (int i = 0; i < 16; i++) {
    const int place = place_of(base, i, ends, channels, outputs.v[indices + (is_alone ? 16 : 0) + i]);
    const uint index = ((part.which >> i) & 1u) == 0u ? 0u : uint(index_at(place, part.index_bits));
    if (i < 8) low |= index << (4 * i);
    if (i >= 8) high |= index << (4 * (i - 8));
  }
  made.low[number] = low;
  made.high[number] = high;
}

FN Block bc7_block(Form form, Base base, Outputs outputs) {
  const Texels texels = rotated(texels_of(base), form.rotation);
  Encoded made;
  made.error = 0;
  made.mode = form.mode;
  made.pattern = form.pattern;
  made.rotation = form.rotation;
  made.selector = form.selector;
  UNROLL
  for (int i = 0; i < 6; i++) made.end[i] = 0u;
  UNROLL
  for (int i = 0; i < 3; i++) made.low[i] = made.high[i] = 0u;
  const int parts = kSecondBits[form.mode] > 0 ? 2 : kSubsets[form.mode];
#if defined(VULKAN)
  for (int number = 0; number < parts; number++) add_part(form, number, texels, base, outputs, made);
#else
  add_part(form, 0, texels, base, outputs, made);
  if (parts > 1) add_part(form, 1, texels, base, outputs, made);
  if (parts > 2) add_part(form, 2, texels, base, outputs, made);
#endif
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

// The modes that most blocks have as constants, with code of their own; one code has the rest. Compilers of Vulkan would take too long for that.
FN Block block_of_form(Form form, Base base, Outputs outputs) {
  if (form.mode == SMALL_BC1) return bc1_block(base, outputs);
  if (form.mode == SMALL_BC5) return bc5_block(base, outputs);
#if !defined(VULKAN)
  switch (form.mode) {
#define SMALL_MODE(number) \
  case number:             \
    form.mode = number;    \
    return bc7_block(form, base, outputs);
    SMALL_MODE(1)
    SMALL_MODE(4)
    SMALL_MODE(6)
#undef SMALL_MODE
  }
#endif
  return bc7_block(form, base, outputs);
}

FN void store_block(Params p, Block made, int words, int block) {
  const int place = words * (p.first_row * p.blocks_x + block);
  for (int k = 0; k < words; k++) p.target.v[place + k] = made.v[k];
}
