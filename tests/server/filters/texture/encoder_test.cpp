// SPDX-License-Identifier: Apache-2.0
// Tests blocks that are encoded from texels. Decoded by the reference, they are as close as the
// format permits, and they are the same on every device.
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <random>

#include <gmock/gmock.h>

#include "tests/server/filters/texture/reference_blocks.h"
#include "tests/server/filters/texture/run_units.h"
#include "tests/server/filters/texture/sample_texels.h"

namespace weft::filters::texture {
namespace {

constexpr int kQualities[] = {QUALITY_FAST, QUALITY_MEDIUM, QUALITY_BEST};

// Returns the mean squared error of the channels in a mask.
double error_of(const std::string& truth, const std::string& made, unsigned channels) {
  double sum = 0, count = 0;
  for (size_t i = 0; i < truth.size(); i++)
    if ((channels >> (i % 4) & 1) != 0) {
      sum += std::pow(double(uint8_t(truth[i])) - double(uint8_t(made[i])), 2);
      count++;
    }
  return sum / count;
}

class EncoderTest : public DeviceTest {
 protected:
  std::string encode(const BlockImage& image, const std::string& texels, int quality) {
    return run_units(
        device(), texels_format(image.width, image.height), {texels},
        [&](const FilterContext& context, Network& network, Port source) -> StatusOr<std::vector<Port>> {
          ASSIGN_OR_RETURN(const Port blocks, add_encoder(context, network, source, image, quality));
          return std::vector<Port>{blocks};
        })[0][0];
  }
  std::string there_and_back(const BlockImage& image, const std::string& texels, int quality) {
    return plain::decode_image(image.format, image.width, image.height, encode(image, texels, quality));
  }
};
WEFT_ON_EVERY_DEVICE(EncoderTest);

struct Bound {
  int format;
  int kind;
  unsigned channels;
  double decibels[3];  // smallest PSNR in dB, by quality
};
// The bounds are slightly below the measured values, so that a loss of some tenths of a decibel
// fails.
constexpr Bound kBounds[] = {
    {BLOCKS_BC7, 0, 15, {48.5, 49.1, 49.1}}, {BLOCKS_BC7, 1, 15, {60.0, 61.0, 66.0}},
    {BLOCKS_BC7, 2, 15, {42.2, 44.2, 44.3}}, {BLOCKS_BC7, 3, 15, {15.4, 15.5, 15.5}},
    {BLOCKS_BC7, 4, 15, {49.1, 50.4, 50.5}}, {BLOCKS_BC1 | BLOCKS_OPAQUE, 0, 7, {42.1, 42.7, 42.7}},
    {BLOCKS_BC1, 1, 7, {39.9, 46.9, 47.7}},  {BLOCKS_BC3, 4, 15, {45.3, 46.8, 46.8}},
    {BLOCKS_BC4, 2, 1, {44.9, 45.9, 46.0}},  {BLOCKS_BC5, 2, 3, {46.0, 47.0, 47.1}},
};

TEST_P(EncoderTest, IsAsNearAsItWas) {
  for (const Bound& bound : kBounds) {
    const BlockImage image{bound.format, 64, 64};
    const std::string texels = sample_texels(bound.kind, 64, 64);
    double before = 0;
    for (const int quality : kQualities) {
      const double error = error_of(texels, there_and_back(image, texels, quality), bound.channels);
      const double decibels = 10 * std::log10(255.0 * 255.0 / error);
      EXPECT_GE(decibels, bound.decibels[quality])
          << "format " << bound.format << ", picture " << bound.kind << ", quality " << quality;
      EXPECT_GE(decibels, before - 1e-9)
          << "format " << bound.format << ", picture " << bound.kind << ", quality " << quality;
      before = decibels;
    }
  }
}

TEST_P(EncoderTest, EveryFlatColourComesBack) {
  // Each block has one colour: all grays, and random colours.
  constexpr int kSide = 128;
  const std::string texels = paint(kSide, kSide, [&](int x, int y) -> plain::Texel {
    std::mt19937 random(unsigned(x / 4 + 1000 * (y / 4)));
    const int gray = x / 4 + y / 4 * 32;
    if (gray < 256) return {gray, gray, gray, 255};
    return {int(random() % 256), int(random() % 256), int(random() % 256), 255};
  });
  for (const int quality : kQualities)
    EXPECT_TRUE(there_and_back({BLOCKS_BC7, kSide, kSide}, texels, quality) == texels) << quality;
  EXPECT_EQ(error_of(texels, there_and_back({BLOCKS_BC5, kSide, kSide}, texels, QUALITY_FAST), 3), 0);
  EXPECT_LE(error_of(texels, there_and_back({BLOCKS_BC1, kSide, kSide}, texels, QUALITY_BEST), 7), 3);
}

TEST_P(EncoderTest, ACodeOfAlphaCountsAsOpaqueButForBest) {
  const BlockImage image{BLOCKS_BC7, 64, 64};
  const std::string opaque = sample_texels(2, 64, 64);
  std::string nearly = opaque;
  for (size_t at = 3; at < nearly.size(); at += 4) nearly[at] = char(at % 3 == 0 ? 254 : 255);
  for (const int quality : {QUALITY_FAST, QUALITY_MEDIUM})
    EXPECT_TRUE(encode(image, nearly, quality) == encode(image, opaque, quality)) << quality;
  std::string less = nearly;
  less[3] = char(253);  // in the first block only
  const std::string blocks = encode(image, less, QUALITY_MEDIUM);
  EXPECT_FALSE(blocks.substr(0, 16) == encode(image, opaque, QUALITY_MEDIUM).substr(0, 16));
  EXPECT_TRUE(blocks.substr(16) == encode(image, opaque, QUALITY_MEDIUM).substr(16));
  EXPECT_FALSE(encode(image, nearly, QUALITY_BEST) == encode(image, opaque, QUALITY_BEST));
}

TEST_P(EncoderTest, HolesOfBc1StayHoles) {
  const std::string texels = paint(32, 32, [](int x, int y) -> plain::Texel {
    return {10 * x % 256, 200, 7 * y % 256, (x * 5 + y * 3) % 7 < 3 || x < 4 ? 20 : 250};
  });
  for (const int quality : kQualities) {
    const std::string made = there_and_back({BLOCKS_BC1, 32, 32}, texels, quality);
    for (size_t at = 3; at < texels.size(); at += 4)
      EXPECT_EQ(uint8_t(made[at]), uint8_t(texels[at]) < 128 ? 0 : 255);
  }
  const std::string opaque = there_and_back({BLOCKS_BC1 | BLOCKS_OPAQUE, 32, 32}, texels, QUALITY_MEDIUM);
  for (size_t at = 3; at < opaque.size(); at += 4) EXPECT_EQ(uint8_t(opaque[at]), 255);
}

TEST_P(EncoderTest, ExtremesOfAChannelAreExact) {
  // Masks: 0, 255 and a few values between.
  const std::string texels = paint(64, 64, [](int x, int y) -> plain::Texel {
    const int value = (x + y) % 3 == 0 ? 0 : (x * y) % 5 == 0 ? 255 : 100 + (x + 2 * y) % 5;
    return {value, 255 - value, 0, 255};
  });
  for (const int format : {BLOCKS_BC4, BLOCKS_BC5})
    EXPECT_EQ(error_of(texels, there_and_back({format, 64, 64}, texels, QUALITY_FAST),
                       format == BLOCKS_BC4 ? 1 : 3),
              0)
        << format;
}

TEST_P(EncoderTest, EverySizeComesBack) {
  constexpr int kSizes[][2] = {{1, 1}, {2, 1}, {3, 5}, {5, 4}, {9, 31}, {130, 3}};
  for (const int format : {BLOCKS_BC1, BLOCKS_BC3, BLOCKS_BC4, BLOCKS_BC5, BLOCKS_BC7})
    for (const auto& [width, height] : kSizes) {
      const BlockImage image{format, width, height};
      const std::string texels = sample_texels(0, width, height);
      const std::string blocks = encode(image, texels, QUALITY_MEDIUM);
      ASSERT_EQ(blocks.size(), image.bytes());
      EXPECT_LE(
          error_of(texels, plain::decode_image(format, width, height, blocks), format == BLOCKS_BC4 ? 1 : 3),
          40)
          << format << ", " << width << "x" << height;
    }
}

TEST_P(EncoderTest, EveryDeviceMakesTheSameBlocks) {
  static std::map<std::string, std::string> first;
  for (const int format :
       {BLOCKS_BC1, BLOCKS_BC1 | BLOCKS_OPAQUE, BLOCKS_BC3, BLOCKS_BC4, BLOCKS_BC5, BLOCKS_BC7})
    for (int kind = 0; kind < 5; kind++)
      for (const int quality : kQualities) {
        const std::string name = fmt::format("format {}, picture {}, quality {}", format, kind, quality);
        const std::string blocks = encode({format, 60, 52}, sample_texels(kind, 60, 52), quality);
        const auto [known, is_new] = first.emplace(name, blocks);
        EXPECT_TRUE(is_new || blocks == known->second) << name;
      }
}

TEST_P(EncoderTest, EveryModeIsMade) {
  std::map<int, int> made;
  for (int kind = 0; kind < 5; kind++) {
    const std::string blocks = encode({BLOCKS_BC7, 256, 256}, sample_texels(kind, 256, 256), QUALITY_BEST);
    for (size_t at = 0; at < blocks.size(); at += 16) made[std::countr_zero(unsigned(uint8_t(blocks[at])))]++;
  }
  for (int mode = 0; mode < 8; mode++) EXPECT_GT(made[mode], 0) << mode;
}

}  // namespace
}  // namespace weft::filters::texture
