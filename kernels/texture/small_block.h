// SPDX-License-Identifier: Apache-2.0
// From what a network says of a block to its bits. Included between KERNEL_FILE and KERNEL_FILE_END, behind small.h.

#include "kernels/texture/bc7_block.h"

#define WIDE_MOST 65535  // ends are quantised to this, once
#define PLACE_ONE 16384  // so are places along a line
#define ENDS_UNIT 64.0f  // codes, of a network's output
#define VECTOR_LONGER (1.0f + 1.5f / 127.5f)

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

FN void longer_ends(INOUT(Outputs) values, int place) {
  for (int e = 0; e < 2; e++) {
    float square = 0.0f;
    for (int c = 0; c < 3; c++) {
      const float component = 2.0f * values.v[place + 3 * e + c] - 1.0f;
      square += component * component;
    }
    const float scale = max(VECTOR_LONGER / max(sqrt(square), 0.001f), 1.0f);
    for (int c = 0; c < 3; c++)
      values.v[place + 3 * e + c] = ((2.0f * values.v[place + 3 * e + c] - 1.0f) * scale + 1.0f) * 0.5f;
  }
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

// Where a texel of the filter lies between the ends, of PLACE_ONE.
FN int place_of(Base base, int texel, PartEnds ends, int channels) {
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
  return int(round_even(place));
}

// The index whose weight is nearest.
FN int index_at(int place, int bits) {
  int index = 0;
  for (int k = 0; k + 1 < (1 << bits); k++)
    if (place * 128 > (weight_of(bits, k) + weight_of(bits, k + 1)) * PLACE_ONE) index = k + 1;
  return index;
}

FN Block made_block(Params p, Outputs outputs, int x, int y) {
  const Base base = base_of(p, x, y);
  const Sums sums = sums_of(p.texels, p.width, p.height, p.border, x, y);
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
    const int begin = next;
    for (int i = 0; i < 6; i++)
      if (((channels >> (i % 3)) & 1) != 0) {
        outputs.v[next] = (float(sums.v[i % 3]) * 0.25f + ENDS_UNIT * outputs.v[next]) * (1.0f / 255.0f);
        next++;
      }
    PartEnds ends;
    if (base.is_vector && channels == 7) longer_ends(outputs, begin);
    int value = begin;
    for (int i = 0; i < 6; i++) {
      ends.wide[i] = 0;
      if (((channels >> (i % 3)) & 1) == 0) continue;
      ends.wide[i] = int(floor(clamp(outputs.v[value], 0.0f, 1.0f) * float(WIDE_MOST) + 0.5f));
      value++;
    }
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
      const float moved = clamp(outputs.v[offsets + (is_alone ? 16 : 0) + i], -2.0f, 2.0f) * float(PLACE_ONE);
      const int place = clamp(place_of(base, i, ends, channels) + int(round_even(moved)), 0, PLACE_ONE);
      const uint index = uint(index_at(place, part.index_bits));
      if (i < 8) made.low[number] |= index << (4 * i);
      if (i >= 8) made.high[number] |= index << (4 * (i - 8));
    }
  }
  return block_of(made);
}
