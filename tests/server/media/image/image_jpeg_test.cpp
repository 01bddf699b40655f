// SPDX-License-Identifier: Apache-2.0
// Tests JPEG files, read and written: samples, orientation, and metadata.
#include <cmath>
#include <cstdio>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/media/image/transfer.h"
#include "tests/server/media/clips.h"
#include "tests/server/media/image/images.h"
#include "tests/server/media/image/jpeg_files.h"
#include "tests/server/media/image/png_files.h"
#include "tests/server/media/image/tiff_files.h"

namespace weft::media {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(Jpeg, SamplesAreSrgb) {
  for (const int components : {1, 3})
    for (const bool progressive : {false, true}) {
      const JpegRecipe recipe{.components = components, .progressive = progressive};
      const Image image = read_any(make_jpeg(recipe));
      ASSERT_EQ(image.info.data, (ImageWindow{0, 0, 24, 17}));
      EXPECT_EQ(image.info.is_gray, components == 1);
      EXPECT_EQ(image.info.bit_depth, 8);
      for (int i = 0; i < 24 * 17; i++)
        for (int c = 0; c < 3; c++) {
          const double expected =
              Transfer{}.to_linear(recipe.code(i % 24, i / 24, components == 1 ? 0 : c) / 255.0);
          ASSERT_NEAR(image.sample(size_t(i * 4 + c)), expected, 0.02) << i;
        }
    }
}

TEST(Jpeg, InksAreRefused) {
  EXPECT_THAT(read_image(make_jpeg({.components = 4}), "a.jpg", {}),
              StatusIs(StatusCode::kInvalidArgument, "CMYK"));
}

TEST(Jpeg, OrientationStaysInATiffAndTurnsPixelsElsewhere) {
  for (const bool is_big_endian : {false, true})
    for (int orientation = 1; orientation <= 8; orientation++) {
      JpegRecipe recipe;
      recipe.markers = {{1, std::string("Exif\0\0", 6) + make_exif(orientation, is_big_endian)}};
      const Image image = read_any(make_jpeg(recipe));
      EXPECT_EQ(image.info.orientation, orientation);
      const std::string tiff = encode_as(ImageFormat::kTiff, image);
      EXPECT_EQ(number_of_tiff(tiff, TIFFTAG_ORIENTATION), orientation);
      EXPECT_EQ(read_any(tiff).info.data.width, 24);
      const std::string bytes = encode_as(ImageFormat::kPng, image);
      EXPECT_THAT(bytes, HasSubstr(chunk("eXIf", make_exif(1, is_big_endian))));
      const Image png = read_any(bytes), shown = *upright(read_any(make_jpeg(recipe)));
      ASSERT_EQ(png.info.data, shown.info.data);
      for (size_t i = 0; i < shown.sample_count(); i++) ASSERT_NEAR(png.sample(i), shown.sample(i), 1e-6);
    }
}

TEST(Jpeg, WhatItSaysIsKeptOrNamed) {
  const std::string profile = make_profile(150000);  // three segments
  JpegRecipe recipe;
  for (int part = 0; part < 3; part++)
    recipe.markers.push_back({2, std::string("ICC_PROFILE\0", 12) + char(part + 1) + char(3) +
                                     profile.substr(size_t(part) * 50000, 50000)});
  recipe.markers.push_back({1, std::string("http://ns.adobe.com/xap/1.0/\0", 29) + "<xmp>"});
  recipe.markers.push_back({13, "Photoshop 3.0"});
  recipe.comment = "a scene";
  const Image image = read_any(make_jpeg(recipe));
  EXPECT_THAT(image.info.notes, Contains(HasSubstr("profile (A screen)")));
  const std::string tiff = encode_as(ImageFormat::kTiff, image);
  EXPECT_EQ(bytes_of_tiff(tiff, TIFFTAG_ICCPROFILE), profile);
  EXPECT_EQ(bytes_of_tiff(tiff, TIFFTAG_XMLPACKET), "<xmp>");
  EXPECT_THAT(left_out(image.info, {ImageFormat::kPng}),
              Contains(AllOf(HasSubstr("comment"), HasSubstr("APP13"))));
  const std::string png = encode_as(ImageFormat::kPng, image);
  EXPECT_THAT(png, AllOf(HasSubstr("iCCP"), HasSubstr("XML:com.adobe.xmp")));
  EXPECT_THAT(left_out(image.info, {ImageFormat::kOpenExr}),
              Contains(AllOf(HasSubstr("colour profile"), HasSubstr("XMP"))));
  recipe.markers.erase(recipe.markers.begin());
  EXPECT_THAT(read_any(make_jpeg(recipe)).info.notes, Contains(HasSubstr("profile is damaged")));
}

// libjpeg's reader and ffmpeg's decoder read the written file.
TEST(Jpeg, IsWrittenNearlyRight) {
  const TestFolder folder;
  for (const int components : {1, 3}) {
    const JpegRecipe recipe{.width = 67, .height = 45, .components = components};
    const Image image = read_any(make_jpeg(recipe));
    size_t bytes = 0;
    double worst_before = 1;
    for (const int quality : {30, 95, 100}) {
      const std::string written = encode_image(image, {ImageFormat::kJpeg, {}, quality}).value_or("");
      EXPECT_EQ(encode_image(image, {ImageFormat::kJpeg, {}, quality}).value_or(""), written);
      EXPECT_GT(written.size(), bytes) << quality;
      bytes = written.size();
      const Image again = read_any(written);
      ASSERT_EQ(again.info.data, image.info.data);
      EXPECT_EQ(again.info.is_gray, components == 1);
      double worst = 0;
      for (size_t i = 0; i < image.sample_count(); i++)
        worst = std::max(worst, std::abs(double(again.sample(i)) - image.sample(i)));
      EXPECT_LE(worst, worst_before) << quality;
      worst_before = worst;
      write_file(folder.path("a.jpg"), written);
    }
    EXPECT_LT(worst_before, 0.03);
    EXPECT_EQ(ffprobe(folder.path("a.jpg"), "-show_entries stream=codec_name,width,height,pix_fmt").at(0),
              components == 1 ? "mjpeg,67,45,gray" : "mjpeg,67,45,yuvj444p");
  }
}

TEST(Jpeg, WhatItSaysIsWrittenAgain) {
  const std::string profile = make_profile(150000);
  JpegRecipe recipe;
  for (int part = 0; part < 3; part++)
    recipe.markers.push_back({2, std::string("ICC_PROFILE\0", 12) + char(part + 1) + char(3) +
                                     profile.substr(size_t(part) * 50000, 50000)});
  const std::string exif = std::string("Exif\0\0", 6) + make_exif(6, false);
  const std::string xmp = std::string("http://ns.adobe.com/xap/1.0/\0", 29) + "<xmp>";
  recipe.markers.insert(recipe.markers.end(), {{1, exif}, {1, xmp}, {13, "Photoshop 3.0"}, {5, "a map"}});
  recipe.comment = "a scene";
  const Image image = read_any(make_jpeg(recipe));
  const std::string written = encode_as(ImageFormat::kJpeg, image);
  EXPECT_THAT(written, AllOf(HasSubstr(exif), HasSubstr(xmp), HasSubstr("Photoshop 3.0"),
                             HasSubstr("a scene"), Not(HasSubstr("a map"))));
  EXPECT_THAT(left_out(image.info, {ImageFormat::kJpeg}), ElementsAre(HasSubstr("here: APP5 of the JPEG.")));
  const Image again = read_any(written);
  EXPECT_EQ(again.info.orientation, 6) << "as it was stored";
  const std::string tiff = encode_as(ImageFormat::kTiff, again);
  EXPECT_EQ(bytes_of_tiff(tiff, TIFFTAG_ICCPROFILE), profile);
  // TIFF's orientation is no EXIF data, so the pixels are rotated.
  const Image turned = read_any(encode_as(ImageFormat::kJpeg, read_any(tiff)));
  EXPECT_EQ(turned.info.data, (ImageWindow{0, 0, 17, 24}));
}

TEST(Jpeg, HoldsNoAlphaAndNothingBeyondWhite) {
  ImageInfo info;
  info.format = ImageFormat::kPng;
  info.data = info.display = {0, 0, 16, 8};
  info.has_alpha = true;
  Image image = make_image(info).value();
  for (size_t i = 0; i < image.sample_count(); i++) image.float_samples()[i] = i % 4 == 3 ? 0.5f : 7.0f;
  EXPECT_THAT(left_out(image.info, {ImageFormat::kJpeg}), Contains(HasSubstr("alpha")));
  const Image again = read_any(encode_as(ImageFormat::kJpeg, image));
  EXPECT_FALSE(again.info.has_alpha);
  for (size_t i = 0; i < again.sample_count(); i++) ASSERT_NEAR(again.sample(i), 1, 0.01);
  info.data = info.display = {0, 0, 65501, 1};
  EXPECT_THAT(encode_image(make_image(info).value(), {ImageFormat::kJpeg}),
              StatusIs(StatusCode::kInvalidArgument, "at most 65500 pixels a side, this one 65501x1"));
}

TEST(Jpeg, ProbeReadsNoSamples) {
  const TestFolder folder;
  const std::string bytes = make_jpeg({.width = 200, .height = 100});
  write_file(folder.path("a.jpg"), bytes.substr(0, bytes.size() * 3 / 4));
  const auto file = InputFile::open(folder.path("a.jpg"));
  const auto info = probe_image(**file, {});
  ASSERT_THAT(info.status(), IsOk());
  EXPECT_EQ(info->data.width, 200);
  EXPECT_THAT(read_image(**file, {}), StatusIs(StatusCode::kDataLoss, "damaged or cut off"));
}

TEST(Jpeg, WhatFollowsThePictureIsNamed) {
  EXPECT_THAT(read_any(make_jpeg({})).info.notes, IsEmpty());
  EXPECT_THAT(read_any(make_jpeg({}) + make_jpeg({})).info.notes, Contains(HasSubstr("goes on")));
}

// A raw stream of JPEG pictures is a video.
TEST(Jpeg, StreamsAreToldByTheirName) {
  const TestFolder folder;
  for (const char* name : {"a.jpg", "a.mjpeg", "a.MJPG"}) {
    write_file(folder.path(name), make_jpeg({}));
    EXPECT_EQ(is_image(**InputFile::open(folder.path(name))).value(), std::string(name) == "a.jpg") << name;
  }
}

}  // namespace
}  // namespace weft::media
