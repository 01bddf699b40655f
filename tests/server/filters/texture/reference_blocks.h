// SPDX-License-Identifier: Apache-2.0
// Decodes blocks of BC1 to BC5 and BC7 bit by bit, written from the texts of the formats. Its
// tables have another form than those of the kernels, and it shares no code with them.
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

// Reads bits in the order of the fields in a format's text.
class BitReader {
 public:
  explicit BitReader(std::string_view bytes) : bytes_(bytes) {}
  int take(int count) {
    int value = 0;
    for (int i = 0; i < count; i++, at_++)
      value |= ((uint8_t(bytes_[size_t(at_ / 8)]) >> (at_ % 8)) & 1) << i;
    return value;
  }
  int position() const { return at_; }

 private:
  std::string_view bytes_;
  int at_ = 0;
};

// The subset of each texel as printed in the Khronos text, one line per partition.
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
// Returns a whole image in RGBA8, cropped to its size.
std::string decode_image(int format, int width, int height, std::string_view blocks);

}  // namespace weft::filters::texture::plain
