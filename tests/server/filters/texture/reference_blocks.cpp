// SPDX-License-Identifier: Apache-2.0
#include "tests/server/filters/texture/reference_blocks.h"

#include <algorithm>

#include "kernels/texture/formats.h"

namespace weft::filters::texture::plain {

const char* const kTwoSubsetPatterns[64] = {
    "0011001100110011", "0001000100010001", "0111011101110111", "0001001100110111", "0000000100010011",
    "0011011101111111", "0001001101111111", "0000000100110111", "0000000000010011", "0011011111111111",
    "0000000101111111", "0000000000010111", "0001011111111111", "0000000011111111", "0000111111111111",
    "0000000000001111", "0000100011101111", "0111000100000000", "0000000010001110", "0111001100010000",
    "0011000100000000", "0000100011001110", "0000000010001100", "0111001100110001", "0011000100010000",
    "0000100010001100", "0110011001100110", "0011011001101100", "0001011111101000", "0000111111110000",
    "0111000110001110", "0011100110011100", "0101010101010101", "0000111100001111", "0101101001011010",
    "0011001111001100", "0011110000111100", "0101010110101010", "0110100101101001", "0101101010100101",
    "0111001111001110", "0001001111001000", "0011001001001100", "0011101111011100", "0110100110010110",
    "0011110011000011", "0110011010011001", "0000011001100000", "0100111001000000", "0010011100100000",
    "0000001001110010", "0000010011100100", "0110110010010011", "0011011011001001", "0110001110011100",
    "0011100111000110", "0110110011001001", "0110001100111001", "0111111010000001", "0001100011100111",
    "0000111100110011", "0011001111110000", "0010001011101110", "0100010001110111"};
const char* const kThreeSubsetPatterns[64] = {
    "0011001102212222", "0001001122112221", "0000200122112211", "0222002200110111", "0000000011221122",
    "0011001100220022", "0022002211111111", "0011001122112211", "0000000011112222", "0000111111112222",
    "0000111122222222", "0012001200120012", "0112011201120112", "0122012201220122", "0011011211221222",
    "0011200122002220", "0001001101121122", "0111001120012200", "0000112211221122", "0022002200221111",
    "0111011102220222", "0001000122212221", "0000001101220122", "0000110022102210", "0122012200110000",
    "0012001211222222", "0110122112210110", "0000011012211221", "0022110211020022", "0110011020022222",
    "0011012201220011", "0000200022112221", "0000000211221222", "0222002200120011", "0011001200220222",
    "0120012001200120", "0000111122220000", "0120120120120120", "0120201212010120", "0011220011220011",
    "0011112222000011", "0101010122222222", "0000000021212121", "0022112200221122", "0022001100220011",
    "0220122102201221", "0101222222220101", "0000212121212121", "0101010101012222", "0222011102220111",
    "0002111200021112", "0000211221122112", "0222011101110222", "0002111211120002", "0110011001102222",
    "0000000021122112", "0110011022222222", "0022001100110022", "0022112211220022", "0000000000002112",
    "0002000100020001", "0222122202221222", "0101222222222222", "0111201122012220"};
const int kSecondAnchor2[64] = {15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,
                                15, 2,  8,  2,  2,  8,  8,  15, 2,  8,  2,  2,  8,  8,  2,  2,
                                15, 15, 6,  8,  2,  8,  15, 15, 2,  8,  2,  2,  2,  15, 15, 6,
                                6,  2,  6,  8,  15, 15, 2,  2,  15, 15, 15, 15, 15, 2,  2,  15};
const int kSecondAnchor3[64] = {3, 3,  15, 15, 8, 3,  15, 15, 8,  8,  6,  6,  6,  5,  3,  3,
                                3, 3,  8,  15, 3, 3,  6,  10, 5,  8,  8,  6,  8,  5,  15, 15,
                                8, 15, 3,  5,  6, 10, 8,  15, 15, 3,  15, 5,  15, 15, 15, 15,
                                3, 15, 5,  5,  5, 8,  5,  10, 5,  10, 8,  13, 15, 12, 3,  3};
const int kThirdAnchor3[64] = {15, 8, 8,  3,  15, 15, 3,  8,  15, 15, 15, 15, 15, 15, 15, 8,
                               15, 8, 15, 3,  15, 8,  15, 8,  3,  15, 6,  10, 15, 15, 10, 8,
                               15, 3, 15, 10, 10, 8,  9,  10, 6,  15, 8,  15, 3,  6,  6,  8,
                               15, 3, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 3,  15, 15, 8};

const Mode kModes[8] = {{3, 4, 0, 0, 4, 0, 1, 0, 3, 0}, {2, 6, 0, 0, 6, 0, 0, 1, 3, 0},
                        {3, 6, 0, 0, 5, 0, 0, 0, 2, 0}, {2, 6, 0, 0, 7, 0, 1, 0, 2, 0},
                        {1, 0, 2, 1, 5, 6, 0, 0, 2, 3}, {1, 0, 2, 0, 7, 8, 0, 0, 2, 2},
                        {1, 0, 0, 0, 7, 7, 1, 0, 4, 0}, {2, 6, 0, 0, 5, 5, 1, 0, 2, 0}};

namespace {

constexpr int kWeights2[] = {0, 21, 43, 64};
constexpr int kWeights3[] = {0, 9, 18, 27, 37, 46, 55, 64};
constexpr int kWeights4[] = {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64};
int weight(int bits, int index) {
  return bits == 2 ? kWeights2[index] : bits == 3 ? kWeights3[index] : kWeights4[index];
}

int subset_of(const Mode& mode, int partition, int texel) {
  if (mode.subsets == 1) return 0;
  return (mode.subsets == 2 ? kTwoSubsetPatterns : kThreeSubsetPatterns)[partition][texel] - '0';
}
bool is_anchor(const Mode& mode, int partition, int texel) {
  if (texel == 0) return true;
  if (mode.subsets == 2) return texel == kSecondAnchor2[partition];
  return mode.subsets == 3 && (texel == kSecondAnchor3[partition] || texel == kThirdAnchor3[partition]);
}

// Returns the endpoints of all subsets, with their P-bits, in 8 bits.
std::array<Texel, 6> read_ends(BitReader& bits, const Mode& mode) {
  std::array<Texel, 6> ends{};
  for (int channel = 0; channel < 4; channel++)
    for (int end = 0; end < 2 * mode.subsets; end++)
      ends[size_t(end)][size_t(channel)] = bits.take(channel == 3 ? mode.alpha_bits : mode.colour_bits);
  const int p_bits = mode.endpoint_p + mode.shared_p;
  std::array<int, 6> p{};
  for (int i = 0; i < (mode.endpoint_p ? 2 : mode.shared_p ? 1 : 0) * mode.subsets; i++)
    p[size_t(i)] = bits.take(1);
  for (int end = 0; end < 2 * mode.subsets; end++)
    for (size_t channel = 0; channel < 4; channel++) {
      const int stored = channel == 3 ? mode.alpha_bits : mode.colour_bits;
      int& value = ends[size_t(end)][channel];
      if (stored == 0) {
        value = 255;
        continue;
      }
      if (p_bits) value = value << 1 | p[size_t(mode.endpoint_p ? end : end / 2)];
      const int count = stored + p_bits;
      value = value << (8 - count);
      value |= value >> count;
    }
  return ends;
}

int interpolate(int a, int b, int w) { return ((64 - w) * a + w * b + 32) >> 6; }

// Returns the nearest integer; halves are rounded up.
int nearest(double value) { return int(std::floor(value + 0.5)); }

Texel expand_565(int colour) {
  const int red = colour >> 11, green = colour >> 5 & 63, blue = colour & 31;
  return {red << 3 | red >> 2, green << 2 | green >> 4, blue << 3 | blue >> 2, 255};
}

void decode_colours(std::string_view bytes, bool is_four, bool is_opaque, Block& block) {
  BitReader bits(bytes);
  const int first = bits.take(16), second = bits.take(16);
  const Texel a = expand_565(first), b = expand_565(second);
  for (Texel& texel : block) {
    const int code = bits.take(2);
    for (size_t c = 0; c < 3; c++) {
      const double x = a[c], y = b[c];
      const bool four = is_four || first > second;
      const double values[] = {x, y, four ? (2 * x + y) / 3 : (x + y) / 2, four ? (x + 2 * y) / 3 : 0};
      texel[c] = nearest(values[code]);
    }
    texel[3] = !is_four && first <= second && code == 3 && !is_opaque ? 0 : 255;
  }
}

void decode_channel(std::string_view bytes, bool is_signed, size_t channel, Block& block) {
  BitReader bits(bytes);
  std::array<double, 2> end{};
  for (double& value : end) {
    const int stored = bits.take(8);
    value = is_signed ? std::max(double(int8_t(uint8_t(stored))), -127.0) : stored;
  }
  const double a = end[0], b = end[1];
  for (Texel& texel : block) {
    const int code = bits.take(3);
    // The sum is in sevenths or fifths and divided once at the end, so that a half is exact.
    const double parts = a > b ? 7 : 5;
    double sum = parts * (code == 0 ? a : b);
    if (code >= 2) sum = (parts + 1 - code) * a + (code - 1) * b;
    if (code >= 6 && a <= b) sum = code == 7 ? parts * (is_signed ? 127 : 255) : is_signed ? -127 * parts : 0;
    texel[channel] =
        is_signed ? nearest(255 * (127 * parts + sum) / (2 * 127 * parts)) : nearest(sum / parts);
  }
}

}  // namespace

Block decode_bc7(std::string_view bytes) {
  Block block{};
  int number = 0;
  BitReader bits(bytes);
  while (number < 8 && bits.take(1) == 0) number++;
  if (number == 8) return block;
  const Mode& mode = kModes[number];
  const int partition = bits.take(mode.partition_bits), rotation = bits.take(mode.rotation_bits),
            selector = bits.take(mode.selector_bits);
  const std::array<Texel, 6> ends = read_ends(bits, mode);
  std::array<int, 16> first{}, second{};
  for (int i = 0; i < 16; i++)
    first[size_t(i)] = bits.take(mode.index_bits - (is_anchor(mode, partition, i) ? 1 : 0));
  if (mode.second_bits)
    for (int i = 0; i < 16; i++) second[size_t(i)] = bits.take(mode.second_bits - (i == 0 ? 1 : 0));
  if (bits.position() != 128) return block;  // never true: every mode fills its block
  for (size_t i = 0; i < 16; i++) {
    const size_t subset = size_t(subset_of(mode, partition, int(i)));
    int colour = weight(mode.index_bits, first[i]), alpha = colour;
    if (mode.second_bits) alpha = weight(mode.second_bits, second[i]);
    if (selector) std::swap(colour, alpha);
    for (size_t c = 0; c < 4; c++)
      block[i][c] = interpolate(ends[2 * subset][c], ends[2 * subset + 1][c], c == 3 ? alpha : colour);
    if (rotation) std::swap(block[i][3], block[i][size_t(rotation - 1)]);
  }
  return block;
}

Block decode_block(int format, std::string_view bytes) {
  const int plain = format & 7;
  const bool is_signed = (format & BLOCKS_SIGNED) != 0;
  if (plain == BLOCKS_BC7) return decode_bc7(bytes);
  Block block{};
  for (Texel& texel : block) texel[3] = 255;
  if (plain == BLOCKS_BC1) decode_colours(bytes, false, (format & BLOCKS_OPAQUE) != 0, block);
  if (plain == BLOCKS_BC2 || plain == BLOCKS_BC3) decode_colours(bytes.substr(8), true, true, block);
  BitReader bits(bytes);
  if (plain == BLOCKS_BC2)
    for (Texel& texel : block) texel[3] = bits.take(4) * 255 / 15;
  if (plain == BLOCKS_BC3) decode_channel(bytes, false, 3, block);
  if (plain == BLOCKS_BC4 || plain == BLOCKS_BC5) decode_channel(bytes, is_signed, 0, block);
  if (plain == BLOCKS_BC5) decode_channel(bytes.substr(8), is_signed, 1, block);
  return block;
}

std::string decode_image(int format, int width, int height, std::string_view blocks) {
  const int plain = format & 7;
  const size_t bytes = plain == BLOCKS_BC1 || plain == BLOCKS_BC4 ? 8 : 16;
  const int columns = (width + 3) / 4;
  std::string texels(size_t(width) * size_t(height) * 4, '\0');
  for (int y = 0; y < height; y += 4)
    for (int x = 0; x < width; x += 4) {
      const Block block = decode_block(format, blocks.substr(size_t(y / 4 * columns + x / 4) * bytes, bytes));
      for (int i = 0; i < 16; i++)
        if (x + i % 4 < width && y + i / 4 < height)
          for (size_t c = 0; c < 4; c++)
            texels[(size_t(y + i / 4) * size_t(width) + size_t(x + i % 4)) * 4 + c] =
                char(block[size_t(i)][c]);
    }
  return texels;
}

}  // namespace weft::filters::texture::plain
