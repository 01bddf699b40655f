// SPDX-License-Identifier: Apache-2.0
// Compares decoded blocks with a reference that reads them bit by bit, on every device.
#include <algorithm>
#include <cmath>
#include <random>

#include <gmock/gmock.h>

#include "tests/server/filters/texture/reference_blocks.h"
#include "tests/server/filters/texture/run_units.h"

namespace weft::filters::texture {
namespace {

constexpr int kFormats[] = {BLOCKS_BC1, BLOCKS_BC1 | BLOCKS_OPAQUE, BLOCKS_BC2, BLOCKS_BC3,
                            BLOCKS_BC4, BLOCKS_BC4 | BLOCKS_SIGNED, BLOCKS_BC5, BLOCKS_BC5 | BLOCKS_SIGNED,
                            BLOCKS_BC7};

class DecoderTest : public DeviceTest {
 protected:
  std::vector<std::string> decode(const BlockImage& image, const std::vector<std::string>& units) {
    const auto made = run_units(
        device(), blocks_format(image), units,
        [&](const FilterContext& context, Network& network, Port source) -> StatusOr<std::vector<Port>> {
          ASSIGN_OR_RETURN(const Port texels, add_decoder(context, network, source, image));
          return std::vector<Port>{texels};
        });
    std::vector<std::string> texels;
    for (const auto& outputs : made) texels.push_back(outputs.empty() ? "" : outputs[0]);
    return texels;
  }
  void expect_like_reference(const BlockImage& image, const std::vector<std::string>& units) {
    const std::vector<std::string> made = decode(image, units);
    for (size_t i = 0; i < units.size(); i++) {
      const std::string wanted = plain::decode_image(image.format, image.width, image.height, units[i]);
      ASSERT_EQ(made[i].size(), wanted.size());
      size_t at = 0;
      while (at < wanted.size() && made[i][at] == wanted[at]) at++;
      EXPECT_EQ(at, wanted.size()) << "format " << image.format << ", " << image.width << "x" << image.height
                                   << ", texel " << at / 4 % size_t(image.width) << ","
                                   << at / 4 / size_t(image.width);
    }
  }

  std::string noise(size_t bytes) {
    std::string text(bytes, '\0');
    for (char& byte : text) byte = char(random_());
    return text;
  }
  // Compares an image of these blocks in a row with the reference.
  void expect_blocks(int format, const std::string& blocks) {
    BlockImage image{format, 4, 4};
    image.width = int(blocks.size()) / image.block_bytes() * 4;
    expect_like_reference(image, {blocks});
  }

  std::mt19937 random_{7};
};
WEFT_ON_EVERY_DEVICE(DecoderTest);

// Returns a block of a mode with noise in all fields except the given ones, in the order of the
// format's text.
std::string block_of(std::mt19937& random, int mode, int head, int head_bits) {
  std::string bytes(16, '\0');
  for (char& byte : bytes) byte = char(random());
  const auto set = [&](int at, int value) {
    char& byte = bytes[size_t(at / 8)];
    byte = char((uint8_t(byte) & ~(1 << at % 8)) | value << at % 8);
  };
  for (int i = 0; i < mode; i++) set(i, 0);
  if (mode < 8) set(mode, 1);
  for (int i = 0; i < head_bits; i++) set(mode + 1 + i, head >> i & 1);
  return bytes;
}

TEST_P(DecoderTest, EveryModePartitionRotationAndSelector) {
  std::string blocks;
  for (int mode = 0; mode < 8; mode++) {
    const plain::Mode& fields = plain::kModes[mode];
    const int head_bits = fields.partition_bits + fields.rotation_bits + fields.selector_bits;
    for (int head = 0; head < 1 << head_bits; head++)
      for (int i = 0; i < 16; i++) blocks += block_of(random_, mode, head, head_bits);
  }
  expect_blocks(BLOCKS_BC7, blocks);
}

TEST_P(DecoderTest, EveryIndexOfEveryTexel) {
  // The bits at the end of the block set each index to each of its values. The endpoints are far
  // from each other.
  std::string blocks;
  for (int mode = 0; mode < 8; mode++)
    for (int bit = 60; bit < 128; bit++)
      for (const bool filled : {false, true}) {
        std::string block = block_of(random_, mode, 0, 0);
        for (size_t i = 8; i < 16; i++) block[i] = char(filled ? 0xff : 0);
        block[size_t(bit / 8)] = char(uint8_t(block[size_t(bit / 8)]) ^ (1 << bit % 8));
        blocks += block;
      }
  expect_blocks(BLOCKS_BC7, blocks);
}

TEST_P(DecoderTest, TheReservedModeIsZero) {
  std::string blocks;
  for (int i = 0; i < 16; i++) blocks += block_of(random_, 8, 0, 0);
  expect_blocks(BLOCKS_BC7, blocks);
  EXPECT_EQ(decode({BLOCKS_BC7, 64, 4}, {blocks})[0], std::string(64 * 4 * 4, '\0'));
}

TEST_P(DecoderTest, EveryPairOfEndsOfAChannel) {
  // All 65536 pairs of endpoints with all codes.
  for (const int format : {BLOCKS_BC4, BLOCKS_BC4 | BLOCKS_SIGNED}) {
    std::string blocks;
    for (int pair = 0; pair < 65536; pair++) {
      blocks += char(pair & 255);
      blocks += char(pair >> 8);
      blocks += std::string("\x88\xc6\xfa\x88\xc6\xfa", 6);  // codes 0 to 7, twice
    }
    BlockImage image{format, 1024, 1024};
    expect_like_reference(image, {blocks});
  }
}

TEST_P(DecoderTest, ColoursInEitherOrder) {
  std::string blocks;
  for (int i = 0; i < 4096; i++) {
    std::string block = noise(8);
    if (i % 16 == 0) block.replace(2, 2, block.substr(0, 2));  // equal endpoints
    blocks += block;
  }
  expect_blocks(BLOCKS_BC1, blocks);
  expect_blocks(BLOCKS_BC1 | BLOCKS_OPAQUE, blocks);
}

TEST_P(DecoderTest, EveryFormatAndSize) {
  constexpr int kSizes[][2] = {{1, 1}, {2, 1}, {3, 5}, {4, 4}, {17, 6}, {33, 35}, {130, 9}};
  for (const int format : kFormats)
    for (const auto& [width, height] : kSizes) {
      const BlockImage image{format, width, height};
      expect_like_reference(image, {noise(image.bytes()), noise(image.bytes()), noise(image.bytes())});
    }
}

TEST_P(DecoderTest, TheThirdComponentOfANormal) {
  const BlockImage image{BLOCKS_BC5 | BLOCKS_NORMAL, 256, 64};
  const std::string blocks = noise(image.bytes());
  const std::string made = decode(image, {blocks})[0];
  const std::string two = plain::decode_image(BLOCKS_BC5, image.width, image.height, blocks);
  for (size_t at = 0; at < two.size(); at += 4) {
    const double x = uint8_t(two[at]) / 127.5 - 1, y = uint8_t(two[at + 1]) / 127.5 - 1;
    const double z = std::sqrt(std::max(0.0, 1 - x * x - y * y));
    ASSERT_EQ(made.substr(at, 2), two.substr(at, 2));
    ASSERT_NEAR(uint8_t(made[at + 2]), 127.5 * (1 + z), 0.51);
  }
}

TEST_P(DecoderTest, PortionsGiveTheSame) {
  // The image is large enough for several portions on a CPU.
  const BlockImage image{BLOCKS_BC7, 1024, 513};
  expect_like_reference(image, {noise(image.bytes())});
}

}  // namespace
}  // namespace weft::filters::texture
