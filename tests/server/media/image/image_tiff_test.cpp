// SPDX-License-Identifier: Apache-2.0
// Tests TIFF files, read and written: every number format, layout and compression of samples, and
// declared and carried data.
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/media/image/transfer.h"
#include "tests/server/media/image/images.h"
#include "tests/server/media/image/png_files.h"
#include "tests/server/media/image/tiff_files.h"

namespace weft::media {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

double srgb(double stored) {
  return stored < 0 ? -Transfer{}.to_linear(-stored) : Transfer{}.to_linear(stored);
}

// Returns a sample of the recipe as light.
double light_of(const TiffRecipe& recipe, int x, int y, int component) {
  double value = recipe.sample(x, y, component);
  if (recipe.format == SAMPLEFORMAT_IEEEFP) return value;
  const bool is_signed = recipe.format == SAMPLEFORMAT_INT;
  return srgb(value / double((int64_t{1} << (recipe.bits - (is_signed ? 1 : 0))) - 1));
}

void expect_samples(const TiffRecipe& recipe, const Image& image, double tolerance, const std::string& what) {
  const bool is_gray = recipe.components < 3;
  ASSERT_EQ(image.info.data, (ImageWindow{0, 0, recipe.width, recipe.height})) << what;
  EXPECT_EQ(image.info.is_gray, is_gray) << what;
  for (int i = 0; i < recipe.width * recipe.height; i++)
    for (int c = 0; c < 3; c++) {
      const double expected = light_of(recipe, i % recipe.width, i / recipe.width, is_gray ? 0 : c);
      const double near = tolerance * std::max(1.0, std::abs(expected));
      ASSERT_NEAR(image.sample(size_t(i * 4 + c)), expected, near) << what << " " << i << " " << c;
    }
}

std::string name_of(const TiffRecipe& r) {
  return fmt::format(
      "{} bits, {} components, format {}, compression {}, predictor {}, apart {}, tiles {}, {}", r.bits,
      r.components, r.format, r.compression, r.predictor, r.apart, r.tile_side, r.mode);
}

// Sets samples that suit the number format of the recipe.
void choose_samples(TiffRecipe& recipe) {
  const int bits = recipe.bits;
  if (recipe.format == SAMPLEFORMAT_UINT)
    recipe.sample = [bits](int x, int y, int c) {
      return double((uint64_t(x) * 2654435761u + uint64_t(y) * 40503u * 977u + uint64_t(c) * 7919u) &
                    ((uint64_t{1} << bits) - 1));
    };
  if (recipe.format == SAMPLEFORMAT_INT)
    recipe.sample = [bits](int x, int y, int c) {
      const double largest = double((int64_t{1} << (bits - 1)) - 1);
      return std::floor(largest * ((x * 7 + y * 3 + c) % 41 - 20) / 20);
    };
  if (recipe.format == SAMPLEFORMAT_IEEEFP)
    recipe.sample = [](int x, int y, int c) { return (x - 5) * 0.25 + y * 16 - c * 100.0; };
}

TEST(Tiff, EveryNumberInEveryOrder) {
  struct Number {
    int format, bits;
  };
  constexpr Number kNumbers[] = {{SAMPLEFORMAT_UINT, 8},    {SAMPLEFORMAT_UINT, 16},
                                 {SAMPLEFORMAT_UINT, 32},   {SAMPLEFORMAT_INT, 8},
                                 {SAMPLEFORMAT_INT, 16},    {SAMPLEFORMAT_INT, 32},
                                 {SAMPLEFORMAT_IEEEFP, 16}, {SAMPLEFORMAT_IEEEFP, 24},
                                 {SAMPLEFORMAT_IEEEFP, 32}, {SAMPLEFORMAT_IEEEFP, 64}};
  for (const Number& number : kNumbers)
    for (const char* mode : {"wl", "wb", "wl8", "wb8"})
      for (const bool apart : {false, true})
        for (const int tile_side : {0, 16})
          for (const int components : {1, 3}) {
            TiffRecipe recipe{.bits = number.bits, .components = components, .format = number.format};
            recipe.photometric = components == 1 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB;
            recipe.apart = apart;
            recipe.tile_side = tile_side;
            recipe.mode = mode;
            // libtiff does not change the byte order of these samples when it writes.
            if (number.bits == 24 && mode[1] == 'b') continue;
            choose_samples(recipe);
            const Image image = read_any(make_tiff(recipe));
            expect_samples(recipe, image, 2e-6, name_of(recipe));
            EXPECT_EQ(image.info.is_float, number.format == SAMPLEFORMAT_IEEEFP);
          }
}

TEST(Tiff, EveryCompressionAndPredictor) {
  for (const int compression : {COMPRESSION_LZW, COMPRESSION_DEFLATE, COMPRESSION_ADOBE_DEFLATE,
                                COMPRESSION_PACKBITS, COMPRESSION_ZSTD, COMPRESSION_LZMA})
    for (const int bits : {8, 16, 32})
      for (const bool is_float : {false, true})
        for (const bool apart : {false, true})
          for (const int tile_side : {0, 16}) {
            TiffRecipe recipe{
                .bits = bits, .compression = compression, .apart = apart, .tile_side = tile_side};
            if (is_float && bits == 8) continue;
            recipe.format = is_float ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT;
            const bool predicts = compression != COMPRESSION_PACKBITS;
            if (predicts) recipe.predictor = is_float ? PREDICTOR_FLOATINGPOINT : PREDICTOR_HORIZONTAL;
            choose_samples(recipe);
            expect_samples(recipe, read_any(make_tiff(recipe)), 2e-6, name_of(recipe));
          }
}

TEST(Tiff, SamplesOfFewBits) {
  for (const int bits : {1, 2, 4, 6, 10, 12, 14})
    for (const bool is_inverted : {false, true}) {
      TiffRecipe recipe{.bits = bits, .components = 1};
      recipe.photometric = is_inverted ? PHOTOMETRIC_MINISWHITE : PHOTOMETRIC_MINISBLACK;
      choose_samples(recipe);
      const Image image = read_any(make_tiff(recipe));
      EXPECT_EQ(image.info.bit_depth, bits > 8 ? 16 : 8);
      const auto largest = double((1 << bits) - 1);
      for (int i = 0; i < 20 * 18; i++) {
        const double code = recipe.sample(i % 20, i / 20, 0);
        ASSERT_NEAR(image.sample(size_t(i) * 4), srgb((is_inverted ? largest - code : code) / largest), 1e-6)
            << bits;
      }
    }
}

TEST(Tiff, FaxesAreReadRight) {
  for (const int compression : {COMPRESSION_CCITTFAX4, COMPRESSION_CCITTFAX3}) {
    TiffRecipe recipe{
        .bits = 1, .components = 1, .photometric = PHOTOMETRIC_MINISWHITE, .compression = compression};
    recipe.sample = [](int x, int y, int) {
      return double(x / 3 + y / 4) - 2 * std::floor((x / 3 + y / 4) / 2.0);
    };
    const Image image = read_any(make_tiff(recipe));
    for (int i = 0; i < 20 * 18; i++)
      ASSERT_EQ(image.sample(size_t(i) * 4), 1.0f - float(recipe.sample(i % 20, i / 20, 0)));
  }
}

TEST(Tiff, PalettesBecomeColours) {
  for (const bool is_narrow : {false, true})
    for (const int bits : {1, 2, 4, 8}) {
      TiffRecipe recipe{.bits = bits, .components = 1, .photometric = PHOTOMETRIC_PALETTE};
      const int entries = 1 << bits;
      for (int i = 0; i < entries * 3; i++)
        recipe.palette.push_back(uint16_t((i * 37 % 256) * (is_narrow ? 1 : 257)));
      recipe.sample = [=](int x, int y, int) { return double((x + y) % entries); };
      const Image image = read_any(make_tiff(recipe));
      EXPECT_FALSE(image.info.is_gray);
      EXPECT_EQ(image.info.bit_depth, 8);
      for (int i = 0; i < 20 * 18; i++)
        for (int c = 0; c < 3; c++) {
          const int entry = c * entries + (i % 20 + i / 20) % entries;
          ASSERT_NEAR(image.sample(size_t(i * 4 + c)), srgb(entry * 37 % 256 / 255.0), 1e-6)
              << bits << is_narrow;
        }
    }
}

TEST(Tiff, JpegInsideIsNearlyRight) {
  for (const int photometric : {PHOTOMETRIC_RGB, PHOTOMETRIC_YCBCR})
    for (const int tile_side : {0, 16}) {
      TiffRecipe recipe{
          .width = 32, .height = 32, .photometric = photometric, .compression = COMPRESSION_JPEG};
      recipe.tile_side = tile_side;
      recipe.sample = [](int x, int y, int c) { return double(40 + x * 2 + y + c * 30); };
      recipe.more = [&](TIFF* tiff) {
        TIFFSetField(tiff, TIFFTAG_JPEGQUALITY, 98);
        if (photometric == PHOTOMETRIC_YCBCR) TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
      };
      expect_samples(recipe, read_any(make_tiff(recipe)), 0.02, name_of(recipe));
    }
}

TEST(Tiff, LogarithmsOfLightAreLight) {
  TiffRecipe recipe{.bits = 32, .format = SAMPLEFORMAT_IEEEFP, .photometric = PHOTOMETRIC_LOGLUV};
  recipe.compression = COMPRESSION_SGILOG;
  recipe.more = [](TIFF* tiff) { TIFFSetField(tiff, TIFFTAG_SGILOGDATAFMT, SGILOGDATAFMT_FLOAT); };
  // The first sample is white.
  recipe.sample = [](int x, int y, int) { return 0.5 * (x + 1) * (y + 1); };
  const Image image = read_any(make_tiff(recipe));
  EXPECT_TRUE(image.info.is_float);
  for (int i = 0; i < 20 * 18; i++)
    for (int c = 0; c < 3; c++) {
      const double expected = recipe.sample(i % 20, i / 20, 0);
      ASSERT_NEAR(image.sample(size_t(i * 4 + c)), expected, expected * 0.02);
    }
}

TEST(Tiff, ExtraSamplesAreAlphaOrNamed) {
  TiffRecipe recipe{.components = 4, .extra = {EXTRASAMPLE_UNASSALPHA}};
  Image image = read_any(make_tiff(recipe));
  EXPECT_TRUE(image.info.has_alpha);
  EXPECT_NEAR(image.sample(0), 0, 1e-6);
  EXPECT_NEAR(image.sample(3), 120 / 255.0, 1e-6);
  EXPECT_NEAR(image.sample(1), srgb(40 / 255.0) * 120 / 255, 1e-6);
  recipe.extra = {EXTRASAMPLE_ASSOCALPHA};
  EXPECT_NEAR(read_any(make_tiff(recipe)).sample(1), srgb(40 / 255.0), 1e-6);
  recipe.extra = {EXTRASAMPLE_UNSPECIFIED};
  EXPECT_THAT(read_any(make_tiff(recipe)).info.notes, Contains(HasSubstr("taken for alpha")));
  recipe = {.components = 5, .apart = true, .extra = {EXTRASAMPLE_UNASSALPHA, EXTRASAMPLE_UNSPECIFIED}};
  image = read_any(make_tiff(recipe));
  EXPECT_TRUE(image.info.has_alpha);
  EXPECT_THAT(image.info.notes, Contains(HasSubstr("1 more samples")));
  recipe.extra = {EXTRASAMPLE_UNSPECIFIED, EXTRASAMPLE_UNSPECIFIED};
  image = read_any(make_tiff(recipe));
  EXPECT_FALSE(image.info.has_alpha);
  EXPECT_THAT(image.info.notes, Contains(HasSubstr("2 more samples")));
  recipe = {.components = 2, .photometric = PHOTOMETRIC_MINISBLACK, .extra = {EXTRASAMPLE_UNASSALPHA}};
  EXPECT_TRUE(read_any(make_tiff(recipe)).info.has_alpha);
}

TEST(Tiff, OtherColoursAreRefusedInWords) {
  const auto refused = [](int photometric, int components, const std::string& words) {
    TiffRecipe recipe{.components = components, .photometric = photometric};
    recipe.more = [](TIFF* tiff) { TIFFSetField(tiff, TIFFTAG_YCBCRSUBSAMPLING, 1, 1); };
    EXPECT_THAT(read_image(make_tiff(recipe), "a.tif", {}), StatusIs(StatusCode::kInvalidArgument, words));
  };
  refused(PHOTOMETRIC_SEPARATED, 4, "CMYK");
  refused(PHOTOMETRIC_CIELAB, 3, "L*a*b*");
  refused(PHOTOMETRIC_YCBCR, 3, "YCbCr");
  TiffRecipe complex{.bits = 64,
                     .components = 1,
                     .format = SAMPLEFORMAT_COMPLEXIEEEFP,
                     .photometric = PHOTOMETRIC_MINISBLACK};
  EXPECT_THAT(read_image(make_tiff(complex), "a.tif", {}), StatusIs(StatusCode::kInvalidArgument, "complex"));
  TiffRecipe wide{.bits = 64, .components = 1, .photometric = PHOTOMETRIC_MINISBLACK};
  EXPECT_THAT(read_image(make_tiff(wide), "a.tif", {}),
              StatusIs(StatusCode::kInvalidArgument, "integers of 64 bits"));
}

TEST(Tiff, NumbersStayWhatTheyAre) {
  struct Kind {
    int format, bits, compression;
  };
  constexpr Kind kKinds[] = {
      {SAMPLEFORMAT_UINT, 8, COMPRESSION_LZW},     {SAMPLEFORMAT_UINT, 16, COMPRESSION_ZSTD},
      {SAMPLEFORMAT_INT, 8, COMPRESSION_NONE},     {SAMPLEFORMAT_INT, 16, COMPRESSION_ADOBE_DEFLATE},
      {SAMPLEFORMAT_IEEEFP, 16, COMPRESSION_NONE}, {SAMPLEFORMAT_IEEEFP, 32, COMPRESSION_LZW}};
  for (const Kind& kind : kKinds)
    for (const int components : {1, 3, 4}) {
      TiffRecipe recipe{.bits = kind.bits,
                        .components = components,
                        .format = kind.format,
                        .compression = kind.compression};
      if (components == 1) recipe.photometric = PHOTOMETRIC_MINISBLACK;
      if (components == 4) recipe.extra = {EXTRASAMPLE_ASSOCALPHA};
      choose_samples(recipe);
      const std::string bytes = make_tiff(recipe);
      const std::string again = encode_as(ImageFormat::kTiff, read_any(bytes));
      EXPECT_EQ(samples_of_tiff(again), samples_of_tiff(bytes)) << name_of(recipe);
      EXPECT_EQ(number_of_tiff(again, TIFFTAG_SAMPLEFORMAT), kind.format);
      EXPECT_EQ(number_of_tiff(again, TIFFTAG_COMPRESSION), kind.compression);
    }
}

TEST(Tiff, DepthMakesFloatsOfAnything) {
  Image image = read_any(make_png({}));
  image.float_samples()[0] = 100000;
  image.float_samples()[1] = -2.5f;
  const Image floats = read_any(encode_as(ImageFormat::kTiff, image, SampleType::kFloat));
  EXPECT_EQ(floats.info.bit_depth, 32);
  for (size_t i = 0; i < image.sample_count(); i++) ASSERT_EQ(floats.sample(i), image.sample(i));
  const Image halves = read_any(encode_as(ImageFormat::kTiff, image, SampleType::kHalf));
  EXPECT_EQ(halves.info.bit_depth, 16);
  EXPECT_EQ(halves.sample(0), 65504.0f);
  EXPECT_EQ(halves.sample(1), -2.5f);
}

TEST(Tiff, OrientationStaysOrTurnsPixels) {
  for (int orientation = 1; orientation <= 8; orientation++) {
    TiffRecipe recipe;
    recipe.more = [&](TIFF* tiff) { TIFFSetField(tiff, TIFFTAG_ORIENTATION, orientation); };
    const Image image = read_any(make_tiff(recipe));
    const std::string again = encode_as(ImageFormat::kTiff, image);
    EXPECT_EQ(number_of_tiff(again, TIFFTAG_ORIENTATION), orientation);
    EXPECT_EQ(samples_of_tiff(again), samples_of_tiff(make_tiff(recipe)));
    const Image shown = *upright(read_any(again));
    for (const ImageFormat format : {ImageFormat::kPng, ImageFormat::kOpenExr, ImageFormat::kRadiance}) {
      const Image turned = read_any(encode_as(format, image, SampleType::kFloat));
      ASSERT_EQ(turned.info.data, shown.info.data) << orientation;
      for (size_t i = 0; i < shown.sample_count(); i++) ASSERT_NEAR(turned.sample(i), shown.sample(i), 0.01);
    }
  }
}

TEST(Tiff, WhatItSaysIsKeptOrNamed) {
  const std::string profile = make_profile(700);
  TiffRecipe recipe{.pages = 2};
  recipe.more = [&](TIFF* tiff) {
    const float primaries[] = {0.68f, 0.32f, 0.265f, 0.69f, 0.15f, 0.06f}, white[] = {0.3127f, 0.329f};
    TIFFSetField(tiff, TIFFTAG_ICCPROFILE, uint32_t(profile.size()), profile.data());
    TIFFSetField(tiff, TIFFTAG_PRIMARYCHROMATICITIES, primaries);
    TIFFSetField(tiff, TIFFTAG_WHITEPOINT, white);
    TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, "a scene");
    TIFFSetField(tiff, TIFFTAG_XMLPACKET, 5u, "<xmp>");
    TIFFSetField(tiff, TIFFTAG_XRESOLUTION, 300.0);
    TIFFSetField(tiff, TIFFTAG_YRESOLUTION, 600.0);
    TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, RESUNIT_INCH);
    TIFFSetField(tiff, TIFFTAG_TARGETPRINTER, "a printer");
  };
  const Image image = read_any(make_tiff(recipe));
  EXPECT_EQ(image.info.pixel_aspect, 2);
  for (const char* words : {"more than one page", "profile (A screen)", "TargetPrinter"})
    EXPECT_THAT(image.info.notes, Contains(HasSubstr(words)));
  EXPECT_THAT(left_out(image.info, {ImageFormat::kTiff}), IsEmpty());
  const std::string again = encode_as(ImageFormat::kTiff, image);
  EXPECT_EQ(bytes_of_tiff(again, TIFFTAG_ICCPROFILE), profile);
  EXPECT_EQ(bytes_of_tiff(again, TIFFTAG_XMLPACKET), "<xmp>");
  EXPECT_EQ(bytes_of_tiff(again, TIFFTAG_IMAGEDESCRIPTION), "a scene");
  EXPECT_EQ(number_of_tiff(again, TIFFTAG_RESOLUTIONUNIT), RESUNIT_INCH);
  const std::vector<std::string> lost = left_out(image.info, {ImageFormat::kPng});
  EXPECT_THAT(lost, Contains(HasSubstr("ImageDescription")));
  EXPECT_THAT(lost, testing::Not(Contains(HasSubstr("chromaticities"))));
  EXPECT_THAT(encode_as(ImageFormat::kPng, image), HasSubstr("cHRM"));
  const Image png = read_any(encode_as(ImageFormat::kPng, image));
  EXPECT_EQ(png.info.pixel_aspect, 2);
  EXPECT_THAT(png.info.notes, Contains(HasSubstr("profile (A screen)")));
  // The profile describes code values and does not apply to light.
  EXPECT_THAT(left_out(image.info, {ImageFormat::kTiff, SampleType::kFloat}),
              Contains(HasSubstr("colour profile")));
  EXPECT_EQ(bytes_of_tiff(encode_as(ImageFormat::kTiff, image, SampleType::kFloat), TIFFTAG_ICCPROFILE), "");
}

TEST(Tiff, LargeNumbersOfFloat64StayFinite) {
  TiffRecipe recipe{
      .bits = 64, .components = 1, .format = SAMPLEFORMAT_IEEEFP, .photometric = PHOTOMETRIC_MINISBLACK};
  recipe.sample = [](int x, int, int) { return x == 0 ? 1e300 : x == 1 ? -1e300 : x == 2 ? INFINITY : 0.5; };
  const Image image = read_any(make_tiff(recipe));
  EXPECT_EQ(image.sample(0), std::numeric_limits<float>::max());
  EXPECT_EQ(image.sample(4), -std::numeric_limits<float>::max());
  EXPECT_EQ(image.sample(8), INFINITY);
  EXPECT_THAT(image.info.notes, Contains(HasSubstr("64 bits")));
}

}  // namespace
}  // namespace weft::media
