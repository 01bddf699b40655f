// SPDX-License-Identifier: Apache-2.0
// Blocks of BC1 to BC5 and BC7 decoded bit by bit, written from the formats' texts with tables of their own in another form: nothing of the
// kernels is used.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::filters::texture::plain {

using Texel = std::array<int, 4>;
using Block = std::array<Texel, 16>;

// Bits in the order in which a format's text lists its fields.
class BitReader {
 public:
  explicit BitReader(std::string_view bytes) : bytes_(bytes) {}
  int take(int count) {
    int value = 0;
    for (int i = 0; i < count; i++, at_++)
      value |= ((uint8_t(bytes_[size_t(at_ / 8)]) >> (at_ % 8)) & 1) << i;
    return value;
  }
  int place() const { return at_; }

 private:
  std::string_view bytes_;
  int at_ = 0;
};

// The subsets of each texel as the Khronos text prints them, a line a partition.
extern const char* const kTwoSubsetPatterns[64];
extern const char* const kThreeSubsetPatterns[64];
extern const int kSecondAnchor2[64], kSecondAnchor3[64], kThirdAnchor3[64];

struct Mode {
  int subsets, partition_bits, rotation_bits, selector_bits, colour_bits, alpha_bits, endpoint_p, shared_p,
      index_bits, second_bits;
};
extern const Mode kModes[8];

Block decode_bc7(std::string_view bytes);
Block decode_block(int format, std::string_view bytes);
// Whole images, cut to their size: RGBA8.
std::string decode_image(int format, int width, int height, std::string_view blocks);

}  // namespace weft::filters::texture::plain
