// SPDX-License-Identifier: Apache-2.0
// Tests OpenEXR files, read and written, against the OpenEXR library and exrheader.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/media/clips.h"
#include "tests/server/media/image/images.h"

namespace weft::media {
namespace {

using testing::HasSubstr;

enum Compression { kNone, kRle, kZips, kZip, kPiz, kPxr24, kB44, kB44a, kDwaa, kDwab };

std::string encoded(const Image& image, std::optional<SampleType> depth = {}) {
  const StatusOr<std::string> bytes = encode_image(image, {ImageFormat::kOpenExr, depth});
  EXPECT_THAT(bytes, IsOk());
  return bytes.value_or("");
}

uint16_t half_at(const std::string& bytes, size_t index) {
  return uint16_t(uint8_t(bytes[index * 2]) | uint8_t(bytes[index * 2 + 1]) << 8);
}

struct Kind {
  const char* name;
  ExrRecipe recipe;
};
class RoundTrip : public testing::TestWithParam<Kind> {};

TEST_P(RoundTrip, ChangesNothing) {
  const std::string bytes = make_exr(GetParam().recipe);
  const std::string again = encoded(read_exr(bytes));
  EXPECT_EQ(exr_header(again), exr_header(bytes));
  EXPECT_THAT(exr_header(again), HasSubstr("vendorSecret"));
  EXPECT_EQ(exr_channels(again), exr_channels(bytes));
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, RoundTrip,
    testing::Values(
        Kind{"plain", {.compression = kNone}}, Kind{"rle", {.compression = kRle}},
        Kind{"zips", {.compression = kZips}}, Kind{"zip", {}}, Kind{"piz", {.compression = kPiz}},
        Kind{"alpha", {.half_channels = {"A", "B", "G", "R"}, .line_order = 1}},
        Kind{"floats", {.half_channels = {}, .float_channels = {"A", "B", "G", "R"}}},
        Kind{"mixed", {.half_channels = {"G", "R"}, .float_channels = {"B"}}},
        Kind{"dotted", {.half_channels = {".A", ".B", ".G", ".R"}}},
        Kind{"lower_case", {.half_channels = {"a", "b", "g", "r"}}},
        Kind{"lower_case_layer",
             {.half_channels = {"beauty.b", "beauty.g", "beauty.r"}, .float_channels = {"Z"}}},
        Kind{"luminance", {.half_channels = {"Y"}}},
        Kind{"luminance_alpha", {.half_channels = {}, .float_channels = {"A", "Y"}}},
        Kind{"others",
             {.half_channels = {"B", "G", "R", "albedo.R", "albedo.G", "albedo.B"},
              .float_channels = {"Z", "N.X", "N.Y", "N.Z"},
              .uint_channels = {"id"}}},
        Kind{"overscan", {.data = {-5, -7, 47, 43}}}, Kind{"crop", {.data = {8, 3, 5, 4}}},
        Kind{"tiles", {.tile_side = 16}},
        Kind{"odd_tiles", {.half_channels = {"A", "B", "G", "R"}, .data = {3, -2, 37, 29}, .tile_side = 11}},
        Kind{"subsampled_other",
             {.half_channels = {"0", "B", "G", "R"}, .data = {0, 0, 38, 30}, .is_subsampled = true}},
        Kind{"one_pixel", {.data = {0, 0, 1, 1}}}),
    [](const auto& test) { return test.param.name; });

TEST(OpenExr, LossyCompressionIsKept) {
  for (const int compression : {kPxr24, kB44, kB44a, kDwaa, kDwab}) {
    const std::string bytes =
        make_exr({.compression = compression, .tile_side = compression == kB44 ? 16 : 0});
    EXPECT_EQ(exr_header(encoded(read_exr(bytes))), exr_header(bytes));
  }
}

TEST(OpenExr, SamplesAreWhereTheyBelong) {
  const std::string bytes = make_exr({.half_channels = {"A", "B", "G", "R"}, .data = {-2, 5, 7, 3}});
  const auto channels = exr_channels(bytes);
  const Image image = read_exr(bytes);
  EXPECT_EQ(image.info.samples, SampleType::kHalf);
  EXPECT_EQ(image.info.data, (ImageWindow{-2, 5, 7, 3}));
  EXPECT_EQ(image.info.display, (ImageWindow{0, 0, 37, 29}));
  EXPECT_DOUBLE_EQ(image.info.pixel_aspect, 1.5);
  EXPECT_TRUE(image.info.has_alpha);
  const char* names[] = {"R", "G", "B", "A"};
  for (size_t pixel = 0; pixel < 21; pixel++)
    for (size_t c = 0; c < 4; c++)
      EXPECT_EQ(image.half_samples()[pixel * 4 + c], half_at(channels.at(names[c]), pixel));
}

TEST(OpenExr, WithoutAlphaItIsOne) {
  const Image image = read_exr(make_exr({}));
  EXPECT_FALSE(image.info.has_alpha);
  for (size_t i = 3; i < image.sample_count(); i += 4) EXPECT_EQ(image.sample(i), 1.0f);
}

TEST(OpenExr, ChangedSamplesAreWritten) {
  Image image = read_exr(make_exr({.float_channels = {"Z"}, .tile_side = 8}));
  for (size_t i = 0; i < image.sample_count(); i++) image.half_samples()[i] = uint16_t(i % 0x7c00);
  const auto channels = exr_channels(encoded(image));
  for (size_t pixel = 0; pixel < 37 * 29; pixel++)
    EXPECT_EQ(half_at(channels.at("G"), pixel), (pixel * 4 + 1) % 0x7c00);
}

TEST(OpenExr, OtherPartsAreCopied) {
  const std::string bytes = make_multi_part_exr({.half_channels = {"A", "B", "G", "R"}});
  Image image = read_exr(bytes, "right");
  EXPECT_EQ(image.info.layer, "right");
  image.half_samples()[0] = 0x3c00;
  const std::string again = encoded(image);
  EXPECT_EQ(exr_header(again), exr_header(bytes));
  EXPECT_EQ(exr_channels(again, 0), exr_channels(bytes, 0));
  EXPECT_EQ(deep_chunks(again, 1), deep_chunks(bytes, 1));
  auto expected = exr_channels(bytes, 2);
  expected["R"].replace(0, 2, std::string("\x00\x3c", 2));
  EXPECT_EQ(exr_channels(again, 2), expected);
}

TEST(OpenExr, LayersAreNamed) {
  const std::string bytes = make_exr({.half_channels = {"beauty.R", "beauty.G", "beauty.B", "beauty.A"},
                                      .float_channels = {"light.key.R", "light.key.G", "light.key.B"}});
  EXPECT_THAT(read_image(bytes, "a.exr", {}),
              StatusIs(StatusCode::kInvalidArgument, "several layers (beauty, light.key)"));
  EXPECT_THAT(read_image(bytes, "a.exr", {"diffuse"}),
              StatusIs(StatusCode::kInvalidArgument, "no layer diffuse"));
  const Image image = read_exr(bytes, "light.key");
  EXPECT_EQ(image.info.samples, SampleType::kFloat);
  EXPECT_FALSE(image.info.has_alpha);
  EXPECT_EQ(exr_channels(encoded(image)), exr_channels(bytes));
  EXPECT_TRUE(read_exr(bytes, "beauty").info.has_alpha);
}

TEST(OpenExr, GrayStaysGray) {
  Image image = read_exr(make_exr({.half_channels = {"Y"}}));
  EXPECT_TRUE(image.info.is_gray);
  image.half_samples()[0] = 0x3c00;  // red 1, green 0.5, blue 0.25
  image.half_samples()[1] = 0x3800;
  image.half_samples()[2] = 0x3400;
  const std::string row = exr_channels(encoded(image)).at("Y");
  EXPECT_EQ(half_at(row, 0), 0x38b5);  // 0.2126 + 0.7152 / 2 + 0.0722 / 4 = 0.58825, to 11 bits
  EXPECT_EQ(half_at(row, 1), image.half_samples()[4]);
}

TEST(OpenExr, DepthIsChosen) {
  Image image = read_exr(make_exr({.half_channels = {}, .float_channels = {"B", "G", "R", "Z"}}));
  image.float_samples()[0] = 1e6f;
  image.float_samples()[4] = -INFINITY;
  image.float_samples()[8] = 1.0f + 0x1p-11f;  // half way to the next half float: rounded to even
  const std::string bytes = encoded(image, SampleType::kHalf);
  EXPECT_THAT(exr_header(bytes), HasSubstr("R, 16-bit floating-point"));
  EXPECT_THAT(exr_header(bytes), HasSubstr("Z, 32-bit floating-point"));
  const std::string row = exr_channels(bytes).at("R");
  EXPECT_EQ(half_at(row, 0), 0x7bff);
  EXPECT_EQ(half_at(row, 1), 0xfc00);
  EXPECT_EQ(half_at(row, 2), 0x3c00);
  const Image halves = read_exr(make_exr({}));
  EXPECT_THAT(exr_header(encoded(halves, SampleType::kFloat)), HasSubstr("R, 32-bit floating-point"));
}

TEST(OpenExr, OldSmallerLevelsAreLeftOut) {
  const std::string bytes = make_exr({.data = {0, 0, 32, 32}, .tile_side = 16, .levels = true});
  ASSERT_THAT(exr_header(bytes), HasSubstr("mip-map"));
  const Image image = read_exr(bytes);
  ASSERT_EQ(image.info.notes.size(), 1u);
  EXPECT_THAT(image.info.notes[0], HasSubstr("smaller levels"));
  const std::string again = encoded(image);
  EXPECT_THAT(exr_header(again), HasSubstr("single level"));
  EXPECT_EQ(exr_channels(again), exr_channels(bytes));
}

TEST(OpenExr, NewFilesHaveWhatTheImageHas) {
  ImageInfo info;
  info.data = {-1, -1, 4, 3};
  info.display = {0, 0, 2, 2};
  info.has_alpha = true;
  info.pixel_aspect = 2;
  auto image = make_image(info);
  ASSERT_THAT(image, IsOk());
  for (size_t i = 0; i < image->sample_count(); i++) image->float_samples()[i] = float(i);
  const Image again = read_exr(encoded(*image));
  EXPECT_EQ(again.info.data, info.data);
  EXPECT_EQ(again.info.display, info.display);
  EXPECT_EQ(again.info.pixel_aspect, 2);
  ASSERT_EQ(again.info.samples, SampleType::kFloat);
  for (size_t i = 0; i < image->sample_count(); i++) EXPECT_EQ(again.float_samples()[i], float(i));
}

TEST(OpenExr, DamageInAnotherPartNamesTheFile) {
  const StatusOr<Image> image = read_image(damage_other_part(make_multi_part_exr({})), "shot/in.exr", {});
  ASSERT_THAT(image, IsOk());
  EXPECT_THAT(encode_image(*image, {}), StatusIs(StatusCode::kDataLoss, "shot/in.exr"));
}

TEST(OpenExr, WhatIsNoLightIsRefused) {
  EXPECT_THAT(read_image(make_exr({.half_channels = {}, .uint_channels = {"R", "G", "B"}}), "a.exr", {}),
              StatusIs(StatusCode::kInvalidArgument, "holds integers"));
  EXPECT_THAT(
      read_image(make_exr({.half_channels = {}, .float_channels = {"Z", "N.X", "N.Y", "N.Z"}}), "a.exr", {}),
      StatusIs(StatusCode::kInvalidArgument, "its channels are N.X, N.Y, N.Z, Z"));
  EXPECT_THAT(read_image(make_exr({.data = {0, 0, 38, 30}, .is_subsampled = true}), "a.exr", {}),
              StatusIs(StatusCode::kInvalidArgument, "subsampled"));
}

TEST(OpenExr, ProbeReadsNoSamples) {
  const TestFolder folder;
  write_file(folder.path("a.exr"),
             make_exr({.half_channels = {"A", "B", "G", "R"}, .data = {-5, -7, 47, 43}}));
  const auto file = InputFile::open(folder.path("a.exr"));
  ASSERT_THAT(file, IsOk());
  const auto info = probe_image(**file, {});
  ASSERT_THAT(info, IsOk());
  EXPECT_EQ(info->data, (ImageWindow{-5, -7, 47, 43}));
  EXPECT_EQ(info->bit_depth, 16);
  EXPECT_TRUE(info->has_alpha);
}

}  // namespace
}  // namespace weft::media
