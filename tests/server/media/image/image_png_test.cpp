// SPDX-License-Identifier: Apache-2.0
// Tests PNG files, read and written: every kind of samples, declared and carried data, and data
// that must not be inflated.
#include <cmath>
#include <ctime>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/media/image/transfer.h"
#include "tests/server/media/clips.h"
#include "tests/server/media/image/images.h"
#include "tests/server/media/image/png_files.h"
#include "tests/server/media/peak_memory.h"

namespace weft::media {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

double light(int code, int depth) { return Transfer{}.to_linear(double(code) / ((1 << depth) - 1)); }

TEST(Png, EveryKindOfSamplesIsRead) {
  for (const bool interlaced : {false, true})
    for (const int colour_type : {0, 2, 4, 6})
      for (const int depth : {1, 2, 4, 8, 16}) {
        if (depth < 8 && colour_type != 0) continue;
        PngRecipe recipe{.depth = depth, .colour_type = colour_type, .interlaced = interlaced};
        recipe.code = [&](int x, int y, int c) {
          return (x * 7919 + y * 104729 + c * 31) & ((1 << depth) - 1);
        };
        const Image image = read_any(make_png(recipe));
        ASSERT_EQ(image.info.data, (ImageWindow{0, 0, 12, 7}));
        EXPECT_EQ(image.info.bit_depth, depth == 16 ? 16 : 8);
        const bool has_alpha = (colour_type & 4) != 0, is_gray = (colour_type & 2) == 0;
        EXPECT_EQ(image.info.has_alpha, has_alpha);
        EXPECT_EQ(image.info.is_gray, is_gray);
        for (int i = 0; i < 12 * 7; i++) {
          const int x = i % 12, y = i / 12;
          const double alpha =
              has_alpha ? double(recipe.code(x, y, is_gray ? 1 : 3)) / ((1 << depth) - 1) : 1;
          for (int c = 0; c < 4; c++) {
            const double expected = c == 3 ? alpha : alpha * light(recipe.code(x, y, is_gray ? 0 : c), depth);
            ASSERT_NEAR(image.sample(size_t(i * 4 + c)), expected, 1e-6) << depth << " " << colour_type;
          }
        }
      }
}

TEST(Png, PalettesBecomeColoursAndAlpha) {
  for (const int depth : {1, 2, 4, 8}) {
    PngRecipe recipe{
        .depth = depth, .colour_type = 3, .palette = {10, 20, 30, 200, 100, 0}, .transparency = {64}};
    recipe.code = [](int x, int y, int) { return (x + y) % 2; };
    const Image image = read_any(make_png(recipe));
    EXPECT_TRUE(image.info.has_alpha);
    EXPECT_NEAR(image.sample(0), light(10, 8) * 64 / 255, 1e-6);
    EXPECT_NEAR(image.sample(3), 64 / 255.0, 1e-6);
    EXPECT_NEAR(image.sample(4), light(200, 8), 1e-6);
    EXPECT_EQ(image.sample(7), 1.0f);
    recipe.transparency.clear();
    EXPECT_FALSE(read_any(make_png(recipe)).info.has_alpha);
  }
}

TEST(Png, DeclarationsAreFollowedAndKept) {
  const std::string plain = make_png({});
  const int code = 3;  // red of the first pixel in the second line
  const auto red = [](const Image& image) { return image.float_samples()[12 * 4]; };
  const std::string gamma = chunk("gAMA", std::string("\x00\x01\x86\xa0", 4));  // gamma 1.0
  const std::string text = chunk("tEXt", std::string("Title\0a scene", 13));
  const std::string resolution =
      chunk("pHYs", std::string("\0\0\x03\xe8\0\0\x07\xd0\0", 9));  // 1000 and 2000 pixels a metre
  const Image linear = read_any(with_chunks(plain, gamma + text + resolution + chunk("tIME", "1234567")));
  EXPECT_NEAR(red(linear), code / 255.0, 1e-6);
  EXPECT_DOUBLE_EQ(linear.info.pixel_aspect, 2);
  EXPECT_THAT(linear.info.notes, Contains(HasSubstr("tIME")));
  const std::string again = encode_as(ImageFormat::kPng, linear);
  EXPECT_THAT(again, AllOf(HasSubstr(gamma), HasSubstr(text), HasSubstr(resolution), Not(HasSubstr("tIME"))));
  EXPECT_EQ(red(read_any(again)), red(linear));
  const auto red_with = [&](const std::string& chunks) { return red(read_any(with_chunks(plain, chunks))); };
  const double srgb = Transfer{}.to_linear(code / 255.0);
  EXPECT_NEAR(red_with(gamma + chunk("sRGB", std::string(1, '\0'))), srgb, 1e-6);
  EXPECT_NEAR(red_with(gamma + chunk("cICP", std::string("\x01\x0d\0\x01", 4))), srgb, 1e-6);
  const std::string linear_light = chunk("cICP", std::string("\x01\x08\0\x01", 4));
  EXPECT_NEAR(red_with(linear_light), code / 255.0, 1e-6);
  EXPECT_THAT(encode_as(ImageFormat::kPng, read_any(with_chunks(plain, linear_light))),
              HasSubstr(linear_light));
  EXPECT_THAT(read_image(with_chunks(plain, chunk("cICP", std::string("\x09\x10\0\x01", 4))), "pq.png", {}),
              StatusIs(StatusCode::kInvalidArgument, "transfer curve 16"));
  EXPECT_THAT(read_image(with_chunks(plain, chunk("gAMA", std::string("\0\0\0\x64", 4))), "g.png", {}),
              StatusIs(StatusCode::kInvalidArgument, "gamma of 0.001"));
}

std::string with_profile(const std::string& png, const std::string& stream) {
  return with_chunks(png, chunk("iCCP", std::string("screen\0\0", 8) + stream));
}

TEST(Png, ProfilesAreKeptOrNamed) {
  const std::string profile = make_profile(600);
  const Image image = read_any(with_profile(make_png({}), zeros(profile, 0)));
  EXPECT_THAT(image.info.notes, Contains(HasSubstr("profile (A screen)")));
  EXPECT_THAT(left_out(image.info, {ImageFormat::kPng}), testing::IsEmpty());
  EXPECT_THAT(read_any(encode_as(ImageFormat::kPng, image)).info.notes,
              Contains(HasSubstr("profile (A screen)")));
  EXPECT_THAT(left_out(image.info, {ImageFormat::kOpenExr}), Contains(HasSubstr("colour profile")));
  const Image text = read_any(with_chunks(make_png({}), chunk("iTXt", std::string("a\0\0\0\0\0b", 7))));
  EXPECT_THAT(left_out(text.info, {ImageFormat::kTiff}), Contains(HasSubstr("iTXt")));
}

TEST(Png, ChromaticitiesAreKept) {
  const std::string chrm =
      chunk("cHRM", std::string("\0\0\x7a\x26\0\0\x80\x84\0\0\xfa\0\0\0\x80\xe8\0\0\x75\x30\0\0\xea\x60"
                                "\0\0\x3a\x98\0\0\x17\x70",
                                32));
  EXPECT_THAT(encode_as(ImageFormat::kPng, read_any(with_chunks(make_png({}), chrm))), HasSubstr(chrm));
}

// Twenty chunks of text and a profile would inflate to 256 MiB each and must not be inflated.
TEST(Png, ChunksThatInflateToGigabytesCostNothing) {
  const std::clock_t begin_of_making = std::clock();
  const std::string stream = zeros("", 256);
  const std::clock_t making = std::clock() - begin_of_making;  // processor time
  std::string text;
  for (int i = 0; i < 10; i++)
    text += chunk("zTXt", std::string("k\0\0", 3) + stream) +
            chunk("iTXt", std::string("k\0\1\0\0\0", 6) + stream);
  std::string begin = make_profile(132);
  begin.replace(0, 4, std::string("\x10\0\0\0", 4));  // declared size of 256 MiB
  const std::string small = make_png({.width = 64, .height = 48});
  const std::string bomb =
      with_chunks(small, chunk("iCCP", std::string("p\0\0", 3) + zeros(begin, 256)) + text);
  const TestFolder folder;
  write_file(folder.path("bomb.png"), bomb);
  const long growth = peak_growth_kib([&] {
    const std::clock_t begin_of_reading = std::clock();
    const auto info = probe_image(**InputFile::open(folder.path("bomb.png")), {});
    if (!info.ok()) return false;
    encode_as(ImageFormat::kPng, read_any(bomb));
    // The inflation of all of them would take several times as long as making one.
    const bool is_quick = std::clock() - begin_of_reading < making;
    return is_quick && testing::Value(info->notes, Contains(HasSubstr("iCCP")));
  });
  EXPECT_LT(growth, 128 << 10) << "half of what one of them holds";
}

TEST(Png, OrientationIsKeptInAPngAndAppliedElsewhere) {
  for (const bool is_big_endian : {false, true})
    for (int orientation = 1; orientation <= 8; orientation++) {
      const std::string exif = chunk("eXIf", make_exif(orientation, is_big_endian));
      const Image image = read_any(with_chunks(make_png({}), exif));
      EXPECT_EQ(image.info.orientation, orientation);
      const std::string again = encode_as(ImageFormat::kPng, image);
      EXPECT_THAT(again, HasSubstr(exif));
      const Image same = read_any(again);
      for (size_t i = 0; i < image.sample_count(); i++) ASSERT_EQ(same.sample(i), image.sample(i));
      const Image exr = read_any(encode_as(ImageFormat::kOpenExr, image));
      EXPECT_EQ(exr.info.orientation, 1);
      EXPECT_EQ(exr.info.data.width, orientation > 4 ? 7 : 12);
    }
}

// Returns the displayed positions of the stored first pixel and of its right neighbour: TIFF 6.0,
// tag 274.
TEST(Image, IsTurnedUpright) {
  constexpr int kFirst[8][2] = {{0, 0}, {11, 0}, {11, 6}, {0, 6}, {0, 0}, {6, 0}, {6, 11}, {0, 11}};
  constexpr int kNext[8][2] = {{1, 0}, {10, 0}, {10, 6}, {1, 6}, {0, 1}, {6, 1}, {6, 10}, {0, 10}};
  PngRecipe recipe;
  recipe.code = [](int x, int y, int) { return x == 0 && y == 0 ? 255 : x == 1 && y == 0 ? 200 : 0; };
  for (int orientation = 1; orientation <= 8; orientation++) {
    const Image stored =
        read_any(with_chunks(make_png(recipe), chunk("eXIf", make_exif(orientation, false))));
    const Image shown = *upright(*read_image(encode_as(ImageFormat::kPng, stored), "again", {}));
    const auto at = [&](const int* place) {
      return shown.sample(size_t(place[1] * shown.info.data.width + place[0]) * 4);
    };
    EXPECT_EQ(at(kFirst[orientation - 1]), 1.0f) << orientation;
    EXPECT_NEAR(at(kNext[orientation - 1]), light(200, 8), 1e-6) << orientation;
  }
}

}  // namespace
}  // namespace weft::media
