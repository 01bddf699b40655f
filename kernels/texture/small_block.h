// SPDX-License-Identifier: Apache-2.0
// Encodes a block from a network's outputs. Included between KERNEL_FILE and KERNEL_FILE_END, after
// small.h.

#include "kernels/texture/bc7_block.h"
#include "kernels/texture/bc7_lines.h"
#include "kernels/texture/small_fit.h"

#define WIDE_MOST 65535     // endpoints are quantised once, to this maximum
#define POSITION_ONE 16384  // positions along a line are quantised to this unit
#define ENDS_UNIT 16.0f     // code values per unit of a network's output
#define VECTOR_LONGER (1.0f + 1.5f / 127.5f)

// The outputs of a network for a block.
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

// The filter's texels of the block, and, on request, 1 if all have unit vectors as sources.
struct Base {
  uint v[SMALL_BASE_WORDS];
  bool is_vector;
};

FN Base base_of(Params p, int block, bool sees_vectors) {
  Base base;
  FourWords words = VIEW(FourWords, uvec4, p.bases);
  UNROLL
  for (int i = 0; i < SMALL_BASE_WORDS / 4; i++) {
    const uvec4 four = words.v[SMALL_BASE_WORDS / 4 * block + i];
    base.v[4 * i] = four.x;
    base.v[4 * i + 1] = four.y;
    base.v[4 * i + 2] = four.z;
    base.v[4 * i + 3] = four.w;
  }
  base.is_vector = p.is_normal != 0 && sees_vectors;
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

// Returns value `channel` of a texel. The four texels of a small texel are stored together.
FN int base_value(Base base, int texel, int channel) {
  const int x = texel & 3, y = texel >> 2;
  const int at = 3 * (8 * (y >> 1) + 4 * (x >> 1) + 2 * (y & 1) + (x & 1)) + channel;
  return (at & 1) == 0 ? int(base.v[at >> 1] << 16) >> 16 : int(base.v[at >> 1]) >> 16;
}

// Reduces a number of 16 bits to fewer bits.
FN int requantised(int wide, int bits) { return int((uint((1 << bits) - 1) * uint(wide) + 32768u) >> 16); }

// Returns the value with this P-bit nearest to `value`, which has one bit more. The result lacks
// the P-bit.
FN int with_p_bit(int value, int bits, int p_bit) {
  return p_bit == 0 ? 2 * min((value + 1) >> 1, (1 << bits) - 1) : value | 1;
}

// The two endpoints of a part, in up to three channels: with 16 bits, and in their stored form.
struct PartEnds {
  int wide[6];
  int stored[6];
  int decoded[6];
};

// Returns the base's texels, rounded. The values of vectors shorter than one may exceed the code
// values.
FN Texels texels_of(Base base) {
  Texels texels;
  UNROLL
  for (int i = 0; i < 16; i++) {
    uint texel = 0xff000000u;
    UNROLL
    for (int c = 0; c < 3; c++) {
      const int value = max(min(base_value(base, i, c) + VALUE_ONE / 2, 255 * VALUE_ONE + VALUE_ONE / 2), 0);
      texel |= (uint(value) / VALUE_ONE) << (8 * c);
    }
    texels.v[i] = texel;
  }
  return texels;
}

// The two endpoints of a part in code values, three channels each.
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
    ends.wide[i] = whole_of(between_these(codes.v[i], 0.0f, 255.0f) * (float(WIDE_MOST) / 255.0f) + 0.5f);
    ends.stored[i] = ends.decoded[i] = 0;
  }
  return ends;
}

// Stores the endpoints with the best P-bits. If alpha shares the P-bits (mode 6), it must be 255.
FN void store_part(Part part, int bits, int channels, bool is_opaque, INOUT(PartEnds) ends) {
  if (part.p_kind == P_NONE) {
    CUDA_UNROLL
    for (int i = 0; i < 6; i++) {
      ends.stored[i] = requantised(ends.wide[i], bits);
      ends.decoded[i] = widen(ends.stored[i], bits);
    }
    return;
  }
  int less[2];  // error reduction of each endpoint by a P-bit of 1
  CUDA_UNROLL
  for (int e = 0; e < 2; e++) {
    less[e] = 0;
    CUDA_UNROLL
    for (int c = 0; c < 3; c++) {
      if (c >= channels) continue;
      const int wide = ends.wide[3 * e + c], value = requantised(wide, bits + 1), code = requantised(wide, 8);
      const int off_0 = widen(with_p_bit(value, bits, 0), bits + 1) - code;
      const int off_1 = widen(with_p_bit(value, bits, 1), bits + 1) - code;
      less[e] += off_0 * off_0 - off_1 * off_1;
    }
  }
  if (part.p_kind == P_SHARED) less[0] = less[1] = less[0] + less[1];
  CUDA_UNROLL
  for (int i = 0; i < 6; i++) {
    const int value = requantised(ends.wide[i], bits + 1);
    const bool is_one = is_opaque || less[i / 3] > 0;
    ends.stored[i] = is_one ? with_p_bit(value, bits, 1) : with_p_bit(value, bits, 0);
    ends.decoded[i] = widen(ends.stored[i], bits + 1);
  }
}

// The line between two decoded endpoints, in the first `channels` channels. A texel's position
// along it, from 0 to 1, is its product with `step`, minus `begin`, times `scale`. If the endpoints
// are equal, all positions are 0.
struct PositionLine {
  int step[3];
  int begin;
  float scale;
  int last;
};

FN PositionLine position_line(PartEnds ends, int channels) {
  PositionLine line;
  line.begin = 0;
  int square = 0;
  UNROLL
  for (int c = 0; c < 3; c++) {
    line.step[c] = c < channels ? ends.decoded[3 + c] - ends.decoded[c] : 0;
    line.begin += VALUE_ONE * ends.decoded[c] * line.step[c];
    square += line.step[c] * line.step[c];
  }
  line.scale = square == 0 ? 0.0f : reciprocal(float(square * VALUE_ONE));
  line.last = square == 0 ? 0 : POSITION_ONE;
  return line;
}

// Rounds a number between -2^22 and 2^22 to the nearest integer, ties to even.
FN int nearest_of(float value) {
  PRECISE float moved = value + ROUNDING;
  return int(float_bits(moved)) - ROUNDING_BITS;
}

// Returns the position of a texel of the filter in units of 1 / POSITION_ONE, shifted by a
// network's output.
FN int position_of(Base base, int texel, PositionLine line, float moved) {
  int along = -line.begin;
  UNROLL
  for (int c = 0; c < 3; c++) along += base_value(base, texel, c) * line.step[c];
  PRECISE float position = float(along) * line.scale;
  position = between_these(position, -3.0f, 3.0f) * float(POSITION_ONE);
  return clamp(nearest_of(position) + nearest_of(between_these(moved, -2.0f, 2.0f) * float(POSITION_ONE)), 0,
               line.last);
}

// Returns the index with the nearest weight; of two equally near ones, the lower. For two bits the
// thresholds are equally spaced. For three bits they are so in each half. For four bits they differ
// from equal spacing by at most one.
FN int index_at(int position, int bits) {
  if (bits == 2) return int((uint(position + 2815) * 24386u) >> 27);
  if (bits == 3) {
    const int even = position > POSITION_ONE / 2 ? max(position - 256, 8065) : min(position, 8064);
    return int((uint(even + 1151) * 7282u) >> 24);
  }
  const int last = (1 << bits) - 1;
  const int index = int(uint(2 * position * last + POSITION_ONE) / uint(2 * POSITION_ONE));
  const int below = weight_of(bits, max(index - 1, 0)), here = weight_of(bits, index),
            above = weight_of(bits, min(index + 1, last));
  if (index > 0 && position * 128 <= (below + here) * POSITION_ONE) return index - 1;
  if (index < last && position * 128 > (here + above) * POSITION_ONE) return index + 1;
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

// Returns a part's endpoints, in its first `channels` channels, shifted by the network. The
// network's outputs for them begin at `first`.
FN PartEnds moved_ends(int mode, Part part, int bits, Ends fitted, Base base, Outputs outputs, int first,
                       int channels) {
  SixCodes codes;
  CUDA_UNROLL
  for (int e = 0; e < 2; e++) CUDA_UNROLL
  for (int c = 0; c < 3; c++)
    codes.v[3 * e + c] = c < channels ? (e == 0 ? fitted.first[c] : fitted.second[c]) +
                                            ENDS_UNIT * outputs.v[first + channels * e + min(c, channels - 1)]
                                      : 0.0f;
  if (base.is_vector && channels == 3) longer_ends(codes);
  PartEnds ends = wide_ends(codes);
  store_part(part, bits, channels, mode == 6, ends);
  return ends;
}

// Returns the indices of eight texels, four bits each, between the endpoints of a plane. `first` is
// the output for the first texel.
FN uint plane_indices(Base base, int texel, PositionLine line, Outputs outputs, int first, int bits) {
  uint indices = 0u;
  CUDA_UNROLL
  for (int i = 0; i < 8; i++)
    indices |= uint(index_at(position_of(base, texel + i, line, outputs.v[first + texel + i]), bits))
               << (4 * i);
  return indices;
}

// Adds two planes: the colours, and the separate channel that a rotation exchanges with alpha;
// alpha, all ones, takes its place. Each plane has indices of all texels.
FN void add_planes(Form form, Texels texels, Base base, Outputs outputs, INOUT(Encoded) made) {
  const PartsTexels all = texels_of_parts(form.mode, 0);
  const int alone = form.rotation - 1, low = alone == 0 ? 1 : 0, high = alone == 2 ? 1 : 2;
  CUDA_UNROLL
  for (int number = 0; number < 2; number++) {
    const bool is_alone = number == 1;
    const Part part = part_of(form.mode, 0, form.selector, number);
    const int bits = is_alone ? part.alpha_bits : part.colour_bits, channels = is_alone ? 1 : 2;
    Texels own;
    CUDA_UNROLL
    for (int i = 0; i < 16; i++)
      own.v[i] = is_alone ? uint(byte_of(texels.v[i], alone)) : two_bytes(texels.v[i], low, high);
    const ThreeEnds fitted = fitted_ends(own, planes_of(own), all, coding_of(part), channels);
    const PartEnds ends =
        moved_ends(form.mode, part, bits, fitted.of[0], base, outputs, is_alone ? 4 : 0, channels);
    CUDA_UNROLL
    for (int e = 0; e < 2; e++)
      made.end[2 * number + e] = is_alone ? uint(ends.stored[3 * e]) << 24
                                          : uint(ends.stored[3 * e]) << (8 * low) |
                                                uint(ends.stored[3 * e + 1]) << (8 * high) |
                                                uint((1 << bits) - 1) << (8 * alone);
    PositionLine line = position_line(ends, channels);
    const int first = line.step[0], second = line.step[1];
    line.step[0] = is_alone ? (alone == 0 ? first : 0) : (alone == 0 ? 0 : first);
    line.step[1] = is_alone ? (alone == 1 ? first : 0) : alone == 0 ? first : alone == 1 ? 0 : second;
    line.step[2] = is_alone ? (alone == 2 ? first : 0) : (alone == 2 ? 0 : second);
    made.low[number] = plane_indices(base, 0, line, outputs, 6 + 16 * number, part.index_bits);
    made.high[number] = plane_indices(base, 8, line, outputs, 6 + 16 * number, part.index_bits);
  }
}

// Adds the subsets. Each texel is in one subset.
FN void add_subsets(Form form, Texels texels, Base base, Outputs outputs, INOUT(Encoded) made) {
  const PartsTexels which = texels_of_parts(form.mode, form.pattern);
  const Part part = part_of(form.mode, form.pattern, 0, 0);
  const ThreeEnds fitted =
      fitted_ends(texels, planes_of(texels), which, coding_of(part), kAlphaBits[form.mode] > 0 ? 4 : 3);
  PositionLine lines[3];
  CUDA_UNROLL
  for (int s = 0; s < 3; s++) {
    if (s >= which.parts) continue;
    const PartEnds ends =
        moved_ends(form.mode, part, part.colour_bits, fitted.of[s], base, outputs, 6 * s, 3);
    CUDA_UNROLL
    for (int e = 0; e < 2; e++)
      made.end[2 * s + e] =
          pack4(ends.stored[3 * e], ends.stored[3 * e + 1], ends.stored[3 * e + 2], form.mode == 6 ? 255 : 0);
    lines[s] = position_line(ends, 3);
  }
  uint low = 0u, high = 0u;
  CUDA_UNROLL
  for (int i = 0; i < 16; i++) {
    PositionLine line = lines[0];
    CUDA_UNROLL
    for (int s = 1; s < 3; s++) {
      if (s >= which.parts) continue;
      const bool is_mine = is_in_part(which, s, i);
      CUDA_UNROLL
      for (int c = 0; c < 3; c++) line.step[c] = is_mine ? lines[s].step[c] : line.step[c];
      line.begin = is_mine ? lines[s].begin : line.begin;
      line.scale = is_mine ? lines[s].scale : line.scale;
      line.last = is_mine ? lines[s].last : line.last;
    }
    const uint index =
        uint(index_at(position_of(base, i, line, outputs.v[6 * which.parts + i]), part.index_bits));
    if (i < 8) low |= index << (4 * i);
    if (i >= 8) high |= index << (4 * (i - 8));
  }
  CUDA_UNROLL
  for (int s = 0; s < 3; s++) {
    if (s >= which.parts) continue;
    made.low[s] = low & (15u * nibbles_of(which.of[s]));
    made.high[s] = high & (15u * nibbles_of(which.of[s] >> 8));
  }
}

FN Block bc7_block(Form form, Base base, Outputs outputs) {
  const Texels texels = texels_of(base);
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
  if (kSecondBits[form.mode] > 0)
    add_planes(form, texels, base, outputs, made);
  else
    add_subsets(form, texels, base, outputs, made);
  return block_of(made);
}
