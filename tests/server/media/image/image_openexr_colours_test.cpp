// SPDX-License-Identifier: Apache-2.0
// Tests OpenEXR's colours under other names, as luminance and chroma, and the effect of lossy
// compression on large values.
#include <cmath>
#include <random>

#include <Imath/half.h>
#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfRgbaFile.h>
#include <OpenEXR/ImfStandardAttributes.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/media/clips.h"
#include "tests/server/media/image/images.h"

namespace weft::media {
namespace {

using testing::Contains;
using testing::HasSubstr;

TEST(OpenExrColours, NamesInTheirOrder) {
  for (const std::vector<std::string>& names :
       {std::vector<std::string>{".R", ".G", ".B", ".A"}, {"r", "g", "b", "a"}, {"R", "g", "b", "a"}}) {
    const std::string bytes = make_exr({.half_channels = names});
    const Image image = read_exr(bytes);
    EXPECT_EQ(image.info.layer, "");
    EXPECT_TRUE(image.info.has_alpha);
    const auto channels = exr_channels(bytes);
    for (size_t c = 0; c < 4; c++) {
      uint16_t half = 0;
      std::memcpy(&half, &channels.at(names[c])[2 * 5], 2);
      EXPECT_EQ(image.half_samples()[5 * 4 + c], half) << names[c];
    }
  }
}

constexpr int kWidth = 64, kHeight = 48;

Imf::Rgba colour_at(int x, int y) {
  return {0.2f + 0.01f * float(x), 0.5f + 0.3f * std::sin(float(y) * 0.1f), 0.9f - 0.008f * float(x),
          0.25f + 0.01f * float(y)};
}

std::string make_chroma_exr(Imf::RgbaChannels channels) {
  const TestFolder folder;
  std::vector<Imf::Rgba> pixels;
  for (int i = 0; i < kWidth * kHeight; i++) pixels.push_back(colour_at(i % kWidth, i / kWidth));
  {
    Imf::RgbaOutputFile file(folder.path("yc.exr").c_str(), kWidth, kHeight, channels);
    file.setFrameBuffer(pixels.data(), 1, kWidth);
    file.writePixels(kHeight);
  }
  return read_file(folder.path("yc.exr"));
}

std::vector<Imf::Rgba> read_by_library(const std::string& bytes) {
  const TestFolder folder;
  write_file(folder.path("yc.exr"), bytes);
  Imf::RgbaInputFile file(folder.path("yc.exr").c_str());
  std::vector<Imf::Rgba> pixels(size_t(kWidth * kHeight));
  file.setFrameBuffer(pixels.data(), 1, kWidth);
  file.readPixels(0, kHeight - 1);
  return pixels;
}

TEST(OpenExrColours, LuminanceAndChromaAreColours) {
  for (const Imf::RgbaChannels channels : {Imf::WRITE_YC, Imf::WRITE_YCA}) {
    const std::string bytes = make_chroma_exr(channels);
    const Image image = read_exr(bytes);
    EXPECT_FALSE(image.info.is_gray);
    EXPECT_EQ(image.info.has_alpha, channels == Imf::WRITE_YCA);
    const std::vector<Imf::Rgba> expected = read_by_library(bytes);
    for (int i = 0; i < kWidth * kHeight; i++) {
      const Imf::Rgba& pixel = expected[size_t(i)];
      const std::array<float, 4> rgba = {pixel.r, pixel.g, pixel.b, pixel.a};
      const Imf::Rgba original = colour_at(i % kWidth, i / kWidth);
      ASSERT_NEAR(image.sample(size_t(i) * 4), original.r, 0.03);
      for (size_t c = 0; c < 4; c++)
        ASSERT_NEAR(image.sample(size_t(i) * 4 + c), rgba[c], 0.002) << i << " " << c;
    }
    const std::string again = encode_as(ImageFormat::kOpenExr, image);
    EXPECT_EQ(exr_header(again), exr_header(bytes));
    const Image second = read_exr(again);
    for (size_t i = 0; i < image.sample_count(); i++)
      ASSERT_NEAR(second.sample(i), image.sample(i), 0.02) << i;
  }
}

TEST(OpenExrColours, ChromaOfFloatsGoesBeyondHalves) {
  const std::string bytes = make_exr({.half_channels = {}, .float_channels = {"BY", "RY", "Y"}});
  const Image image = read_exr(bytes);
  EXPECT_EQ(image.info.samples, SampleType::kFloat);
  const auto channels = exr_channels(bytes);
  const auto at = [&](const char* name) {
    float value = 0;
    std::memcpy(&value, channels.at(name).data(), 4);
    return value;
  };
  const float red = (at("RY") + 1) * at("Y");
  EXPECT_NEAR(image.sample(0), red, red * 1e-3f);
  EXPECT_THAT(
      read_image(
          make_exr({.half_channels = {"RY", "BY", "Y"}, .data = {0, 0, 38, 30}, .is_subsampled = true}),
          "a.exr", {}),
      StatusIs(StatusCode::kInvalidArgument, "subsampled differently"));
}

TEST(OpenExrColours, WhatOtherFormatsLackIsNamed) {
  const Image image = read_exr(make_exr({.float_channels = {"Z"}}));
  const std::vector<std::string> lost = left_out(image.info, {ImageFormat::kPng});
  for (const char* words : {"the channels Z", "vendor", "owner"})
    EXPECT_THAT(lost, Contains(HasSubstr(words)));
  EXPECT_THAT(left_out(image.info, {ImageFormat::kOpenExr}), testing::IsEmpty());
}

TEST(OpenExrColours, ChromaticitiesGoFromFormatToFormat) {
  Image image = read_exr(make_exr({}));
  image.origin = nullptr;
  EXPECT_THAT(exr_header(encode_as(ImageFormat::kOpenExr, image)), HasSubstr("chromaticities"));
  const std::vector<std::string> lost = left_out(image.info, {ImageFormat::kTiff});
  // one primary of ACES has a negative coordinate
  EXPECT_THAT(lost, Contains(HasSubstr("chromaticities")));
}

// Fills the image with large values in a pattern that makes a transform ring.
void fill(Image& image, int pattern, std::mt19937& random) {
  for (int i = 0; i < int(image.info.data.pixels()); i++)
    for (size_t c = 0; c < 3; c++) {
      const int x = i % image.info.data.width, y = i / image.info.data.width;
      const bool is_large = pattern == 0   ? random() % 2 == 0
                            : pattern == 1 ? random() % 32 == 0
                            : pattern == 2 ? (x / 3 + y / 5) % 2 == 0
                            : pattern == 3 ? (x - 20) * (x - 20) + (y - 20) * (y - 20) < 90
                                           : random() % 32 != 0;
      const float value = is_large ? 65504.0f : pattern == 5 ? -65504.0f : 0.01f;
      image.half_samples()[size_t(i) * 4 + c] = imath_float_to_half(value);
    }
}

TEST(OpenExrColours, LossyCompressionMakesNothingInfinite) {
  constexpr int kB44 = 6, kB44a = 7, kDwaa = 8, kDwab = 9;
  std::mt19937 random(3);
  for (const int compression : {kB44, kB44a, kDwaa, kDwab})
    for (const float level : {1.0f, 45.0f, 100.0f, 300.0f, 1000.0f, 10000.0f}) {
      if (compression < kDwaa && level > 1) continue;
      for (const bool is_float : {false, true})
        for (int pattern = 0; pattern < 6; pattern++) {
          ExrRecipe recipe{.compression = compression, .dwa_level = level};
          if (is_float) std::swap(recipe.half_channels, recipe.float_channels);
          Image image = read_exr(make_exr(recipe));
          image.info.samples = SampleType::kHalf;
          fill(image, pattern, random);
          const Image again = read_exr(encode_as(ImageFormat::kOpenExr, image));
          for (size_t i = 0; i < again.sample_count(); i++)
            ASSERT_TRUE(std::isfinite(again.sample(i))) << compression << " " << level << " " << pattern;
          if (level == 45.0f && pattern == 3) {
            EXPECT_GT(again.sample(4 * (20 * 37 + 20)), 58000.0f);
          }
        }
    }
}

}  // namespace
}  // namespace weft::media
