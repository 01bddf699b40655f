// SPDX-License-Identifier: Apache-2.0
// Converts a network's outputs for a block to BC1 and BC5, and to the format of its submode.
// Included between KERNEL_FILE and KERNEL_FILE_END, after small_block.h.

#include "kernels/texture/bc1_block.h"

FN Block bc1_block(Base base, Outputs outputs) {
  const Texels texels = texels_of(base);
  Ends fitted = ends_of(texels, 0xffffu);
  LeastSquares squares;
  quantise_texels(texels, 0xffffu, 4, stored_end(fitted.first[0], fitted.first[1], fitted.first[2]),
                  stored_end(fitted.second[0], fitted.second[1], fitted.second[2]), squares);
  solve(squares, fitted, 3);
  SixCodes codes;
  for (int i = 0; i < 6; i++)
    codes.v[i] = (i < 3 ? fitted.first[i] : fitted.second[i - 3]) + ENDS_UNIT * outputs.v[i];
  if (base.is_vector) longer_ends(codes);
  PartEnds ends = wide_ends(codes);
  Colours colours;
  colours.first = colours.second = colours.positions = 0u;
  colours.error = 0;
  for (int i = 0; i < 6; i++) {
    ends.stored[i] = requantised(ends.wide[i], bits_of(i % 3));
    ends.decoded[i] = widen(ends.stored[i], bits_of(i % 3));
    if (i < 3) colours.first |= uint(ends.stored[i]) << (8 * i);
    if (i >= 3) colours.second |= uint(ends.stored[i]) << (8 * (i - 3));
  }
  // Equal endpoints select the mode of three colours, with a transparent fourth index.
  const PositionLine line = position_line(ends, 3);
  if (colours.first != colours.second)
    for (int i = 0; i < 16; i++)
      colours.positions |= uint(index_at(position_of(base, i, line, outputs.v[6 + i]), 2)) << (2 * i);
  const TwoWords words = colour_words(colours, 0xffffu, 4);
  Block block;
  block.v[0] = words.low;
  block.v[1] = words.high;
  block.v[2] = block.v[3] = 0u;
  block.at = 0;
  return block;
}

// Encodes red or green separately.
FN TwoWords bc5_words(Base base, Texels texels, Outputs outputs, int channel) {
  Part part;
  part.which = 0xffffu;
  part.channels = 255u;
  part.colour_bits = 8;
  part.alpha_bits = 0;
  part.p_kind = P_NONE;
  part.index_bits = 3;
  Texels own;
  for (int i = 0; i < 16; i++) own.v[i] = uint(byte_of(texels.v[i], channel));
  const Ends fitted = fitted_ends(own, planes_of(own), texels_of_parts(6, 0), coding_of(part), 1).of[0];
  SixCodes codes;
  for (int i = 0; i < 6; i++) codes.v[i] = 0.0f;
  codes.v[channel] = fitted.first[0] + ENDS_UNIT * outputs.v[2 * channel];
  codes.v[3 + channel] = fitted.second[0] + ENDS_UNIT * outputs.v[2 * channel + 1];
  PartEnds ends = wide_ends(codes);
  const int first = requantised(ends.wide[channel], 8), second = requantised(ends.wide[3 + channel], 8);
  ends.decoded[channel] = first;
  ends.decoded[3 + channel] = second;
  PositionLine line = position_line(ends, 3);  // the other fields are unused

  Codes positions;
  for (int i = 0; i < 16; i++) {
    const int along = position_of(base, i, line, outputs.v[4 + 16 * channel + i]);
    int position = (7 * along + POSITION_ONE / 2) / POSITION_ONE;
    // In the mode of eight values the first endpoint is the higher one.
    if (first < second) position = 7 - position;
    if (first == second) position = 0;
    positions.v[i] = position == 0 ? 0 : position == 7 ? 1 : position + 1;
  }
  return channel_words(max(first, second), min(first, second), positions);
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

// Encodes a block in its submode. On CUDA, modes are constants with separate code; compilers of
// Vulkan would take too long for that.
FN Block block_of_form(Form form, Base base, Outputs outputs) {
  if (form.mode == SMALL_BC1) return bc1_block(base, outputs);
  if (form.mode == SMALL_BC5) return bc5_block(base, outputs);
#if defined(__CUDACC__)
#define SMALL_MODE(number, its_selector)                      \
  if (form.mode == number && form.selector == its_selector) { \
    form.mode = number;                                       \
    form.selector = its_selector;                             \
    return bc7_block(form, base, outputs);                    \
  }
  SMALL_MODE(0, 0)
  SMALL_MODE(1, 0)
  SMALL_MODE(2, 0)
  SMALL_MODE(3, 0)
  SMALL_MODE(4, 0)
  SMALL_MODE(4, 1)
  SMALL_MODE(5, 0)
#undef SMALL_MODE
  form.mode = 6;
#endif
  return bc7_block(form, base, outputs);
}

FN void store_block(Params p, Block made, int words, int block) {
  const int position = p.first_row * p.blocks_x + block;
  if (words == 4)
    VIEW(FourWords, uvec4, p.target).v[position] = uvec4(made.v[0], made.v[1], made.v[2], made.v[3]);
  else
    VIEW(WordPairs, uvec2, p.target).v[position] = uvec2(made.v[0], made.v[1]);
}
