// SPDX-License-Identifier: Apache-2.0
// Tests the conversion of code values: round trips, the effect of dithering, and refused options.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/filter_suite/devices.h"

namespace weft::filters {
namespace {

class ConvertTest : public DeviceTest {};
WEFT_ON_EVERY_DEVICE(ConvertTest);

// The test has every range and dither. In full range the code 0 of chroma is outside of H.273's
// range.
TEST_P(ConvertTest, MoreBitsAndBackGivesTheSame) {
  uint32_t seed = 0;
  for (const char* range : {"LIMITED", "FULL"})
    for (const char* dither : {"NONE", "ORDERED"})
      for (const auto& [few, many] :
           {std::pair(8, 9), {8, 10}, {8, 16}, {9, 10}, {10, 12}, {12, 14}, {15, 16}}) {
        Clip clip = make_clip({80, 64, Chroma::k420, few}, 1, Material::kNoise, ++seed);
        for (size_t plane = 1; plane < 3; plane++)
          for (uint16_t& sample : clip.frames[0].planes[plane]) sample = std::max<uint16_t>(sample, 1);
        RunOptions how;
        how.properties.colour.is_full_range = *range == 'F';
        const Options up = parse_options("convert", fmt::format("bits: {}", many));
        const Options down = parse_options("convert", fmt::format("bits: {} dither: DITHER_{}", few, dither));
        const auto actual = run_clip(device(), {up, down}, clip, how);
        ASSERT_THAT(actual, IsOk());
        ASSERT_NO_FATAL_FAILURE(expect_same(clip.frames, pictures_of(*actual),
                                            fmt::format("{} {} {} {}", range, dither, few, many)));
      }
}

TEST_P(ConvertTest, BitsAreAddedExactly) {
  const Clip clip = make_clip({80, 64, Chroma::k422, 8}, 1, Material::kNoise, 7);
  for (const bool is_full : {false, true}) {
    RunOptions how;
    how.properties.colour.is_full_range = is_full;
    const auto actual = run_clip(device(), {parse_options("convert", "bits: 10")}, clip, how);
    ASSERT_THAT(actual, IsOk());
    for (size_t i = 0; i < clip.frames[0].planes[0].size(); i++) {
      const int code = clip.frames[0].planes[0][i];
      EXPECT_EQ((*actual)[0].picture.planes[0][i], is_full ? (code * 1023 * 2 + 255) / 510 : code * 4);
    }
  }
}

// The mean over a tile of the pattern equals the original code value, with its fraction.
TEST_P(ConvertTest, OrderedDitherKeepsTheMean) {
  Clip clip = make_clip({16, 16, Chroma::kGray, 16}, 1, Material::kStatic, 1);
  for (int code = 20000; code < 20700; code += 37) {
    std::ranges::fill(clip.frames[0].planes[0], uint16_t(code));
    const auto actual = run_clip(device(), {parse_options("convert", "bits: 8")}, clip);
    ASSERT_THAT(actual, IsOk());
    const auto& plane = (*actual)[0].picture.planes[0];
    EXPECT_NEAR(double(std::accumulate(plane.begin(), plane.end(), 0)) / 256, code / 256.0, 0.5 / 256)
        << code;
    const auto [least, most] = std::ranges::minmax(plane);
    EXPECT_LE(most - least, 1);
  }
}

// The colours of bars have the codes of H.273 with every matrix and range.
TEST_P(ConvertTest, ColoursHaveTheirCodes) {
  const struct {
    const char* name;
    double red, blue;
  } matrices[] = {{"BT601", 0.299, 0.114}, {"BT709", 0.2126, 0.0722}, {"BT2020", 0.2627, 0.0593}};
  const double colours[][3] = {{1, 1, 1},       {1, 0, 0},       {0, 1, 0}, {0, 0, 1},
                               {0.75, 0.75, 0}, {0.2, 0.5, 0.8}, {0, 0, 0}};
  const auto codes_of = [](const double* rgb, double red, double blue, bool is_full) {
    const double y = red * rgb[0] + (1 - red - blue) * rgb[1] + blue * rgb[2];
    const double cb = (rgb[2] - y) / (2 * (1 - blue)), cr = (rgb[0] - y) / (2 * (1 - red));
    const double luma = is_full ? 65535 : 219 * 256, chroma = is_full ? 65535 : 224 * 256;
    return std::array<double, 3>{y * luma + (is_full ? 0 : 16 * 256), cb * chroma + 32768,
                                 cr * chroma + 32768};
  };
  for (const auto& to : matrices)
    for (const bool is_full : {false, true})
      for (const auto& rgb : colours) {
        Clip clip = make_clip({20, 20, Chroma::k420, 16}, 1, Material::kStatic, 1);
        const auto before = codes_of(rgb, 0.299, 0.114, false),
                   after = codes_of(rgb, to.red, to.blue, is_full);
        for (size_t plane = 0; plane < 3; plane++)
          std::ranges::fill(clip.frames[0].planes[plane], uint16_t(std::lround(before[plane])));
        const auto actual =
            run_clip(device(),
                     {parse_options("convert", fmt::format("matrix: COLOUR_MATRIX_{} range: SAMPLE_RANGE_{}",
                                                           to.name, is_full ? "FULL" : "LIMITED"))},
                     clip);
        ASSERT_THAT(actual, IsOk());
        for (size_t plane = 0; plane < 3; plane++)
          for (const uint16_t sample : (*actual)[0].picture.planes[plane])
            ASSERT_NEAR(sample, std::clamp(after[plane], 0.0, 65535.0), 2.0) << to.name << " plane " << plane;
      }
}

TEST(ConvertRules, FactsFollow) {
  const auto network =
      expand(nullptr, {parse_options("convert", "matrix: COLOUR_MATRIX_BT2020 range: SAMPLE_RANGE_FULL")},
             {64, 48, Chroma::k420, 8}, {.colour = {.transfer = 1, .matrix = 1}});
  ASSERT_THAT(network, IsOk());
  EXPECT_EQ(network->properties({network->outputs()[0]}).colour, (VideoColour{1, 9, true}));
}

TEST(ConvertRules, WhatCannotBeIsRefused) {
  const auto made = [](const char* options, const VideoFormat& format, const PictureProperties& properties) {
    return expand(nullptr, {parse_options("convert", options)}, format, properties).status();
  };
  const VideoFormat of_420{64, 48, Chroma::k420, 8};
  EXPECT_THAT(made("matrix: COLOUR_MATRIX_BT709", of_420, {.colour = {.matrix = 0}}),
              StatusIs(StatusCode::kInvalidArgument, "matrix (0"));
  EXPECT_THAT(made("bits: 10", of_420, {.colour = {.matrix = 0}}), IsOk());
  EXPECT_THAT(made("chroma: CHROMA_LAYOUT_444", of_420, {.interlaced = true}),
              StatusIs(StatusCode::kInvalidArgument, "deinterlace it first"));
  EXPECT_THAT(made("chroma: CHROMA_LAYOUT_444", {64, 48, Chroma::k422, 8}, {.interlaced = true}), IsOk());
  EXPECT_THAT(made("matrix: COLOUR_MATRIX_BT709", of_420, {.interlaced = true}),
              StatusIs(StatusCode::kInvalidArgument, "deinterlace it first"));
  EXPECT_THAT(made("bits: 10", of_420, {.interlaced = true}), IsOk());
}

}  // namespace
}  // namespace weft::filters
