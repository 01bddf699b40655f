// SPDX-License-Identifier: Apache-2.0
// Tests invalid images: each gives an error, without a crash or gigabytes of memory.
#include <chrono>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/media/clips.h"
#include "tests/server/media/image/images.h"
#include "tests/server/media/image/jpeg_files.h"
#include "tests/server/media/image/png_files.h"
#include "tests/server/media/image/tiff_files.h"

namespace weft::media {
namespace {

// Reads the image and, on success, writes it again.
Status handle(const std::string& bytes) {
  const auto begin = std::chrono::steady_clock::now();
  const StatusOr<Image> image = read_image(bytes, "broken", {});
  Status status = image.status();
  if (image.ok()) {
    double sum = 0;
    for (size_t i = 0; i < image->sample_count(); i++) sum += image->sample(i);
    EXPECT_NE(sum, 1.25e9);  // reads every sample
    status = encode_image(*image, {image->info.format, {}}).status();
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  EXPECT_TRUE(status.ok() || message_of(status).size() > 30) << status;
  EXPECT_NE(status.code(), StatusCode::kInternal) << status;
  // The error names the file, not a lack of memory.
  EXPECT_NE(status.code(), StatusCode::kResourceExhausted) << status;
  return status;
}

std::string by_ffmpeg(const std::string& name, const std::string& arguments) {
  const TestFolder folder;
  return read_file(make_clip(folder, name, "-f lavfi -i testsrc2=size=40x30 -frames:v 1 " + arguments));
}

std::string make_radiance() {
  Image image = read_exr(make_exr({}));
  for (uint16_t& half : image.half_samples()) half &= 0x3fff;
  return encode_image(image, {ImageFormat::kRadiance, {}}).value_or("");
}

struct Kind {
  const char* name;
  std::string (*make)();
  size_t idle_bytes = 0;  // bytes at the end without effect on the picture
};
class DamagedImage : public testing::TestWithParam<Kind> {};

TEST_P(DamagedImage, CutAnywhere) {
  const std::string good = GetParam().make();
  ASSERT_THAT(handle(good), IsOk());
  const size_t step = std::max<size_t>(1, good.size() / 300);
  for (size_t size = 0; size < good.size() - GetParam().idle_bytes; size += size < 300 ? 1 : step)
    EXPECT_THAT(handle(good.substr(0, size)), testing::Not(IsOk())) << size << " of " << good.size();
}

TEST_P(DamagedImage, BytesChanged) {
  const std::string good = GetParam().make();
  std::mt19937 random(11);
  for (int round = 0; round < 300; round++) {
    std::string bad = good;
    const size_t range =
        // The headers are damaged more often.
        round % 2 == 0 ? std::min<size_t>(bad.size(), 700) : bad.size();
    for (int change = 0; change < 1 << (round % 4); change++)
      bad[random() % range] = char(round % 3 == 0 ? 0xff : random() % 256);
    handle(bad).IgnoreError();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, DamagedImage,
    testing::Values(
        Kind{"exr_zip", [] { return make_exr({}); }},
        Kind{"exr_piz", [] { return make_exr({.compression = 4}); }},
        Kind{"exr_dwaa", [] { return make_exr({.compression = 8}); }},
        Kind{"exr_b44", [] { return make_exr({.compression = 6}); }},
        Kind{"exr_pxr24", [] { return make_exr({.float_channels = {"Z"}, .compression = 5}); }},
        Kind{"exr_tiles", [] { return make_exr({.tile_side = 16}); }},
        Kind{"exr_parts",
             [] {
               return make_multi_part_exr({.half_channels = {"A", "B", "G", "R"}});
             }},
        Kind{"hdr", make_radiance}, Kind{"png", [] { return by_ffmpeg("a.png", "-pix_fmt rgba"); }},
        Kind{"png16", [] { return by_ffmpeg("a.png", "-pix_fmt rgb48be"); }},
        Kind{"png_palette",
             [] {
               return make_png({.depth = 4,
                                .colour_type = 3,
                                .interlaced = true,
                                .palette = {1, 2, 3, 4, 5, 6},
                                .code = [](int x, int, int) { return x & 1; }});
             }},
        Kind{"png_text",
             [] {
               return with_chunks(make_png({}),
                                  chunk("iCCP", std::string("p\0\0", 3) + zeros(make_profile(600), 0)) +
                                      chunk("eXIf", make_exif(6, true)) + chunk("tEXt", "a"));
             }},
        Kind{"tiff", [] { return by_ffmpeg("a.tif", "-pix_fmt rgb24 -compression_algo lzw"); }, 4},
        Kind{"tiff16", [] { return by_ffmpeg("a.tif", "-pix_fmt rgb48le -compression_algo raw"); }, 4},
        Kind{"tiff_tiles",
             [] {
               return make_tiff({.bits = 32,
                                 .format = SAMPLEFORMAT_IEEEFP,
                                 .compression = COMPRESSION_ADOBE_DEFLATE,
                                 .predictor = PREDICTOR_FLOATINGPOINT,
                                 .apart = true,
                                 .tile_side = 16});
             },
             4},
        Kind{"tiff_big",
             [] { return make_tiff({.bits = 12, .compression = COMPRESSION_ZSTD, .mode = "wb8"}); }, 8},
        Kind{"tiff_palette",
             [] {
               return make_tiff({.bits = 1,
                                 .components = 1,
                                 .photometric = PHOTOMETRIC_PALETTE,
                                 .palette = {1, 2, 3, 4, 5, 6},
                                 .sample = [](int x, int, int) { return double(x & 1); }});
             },
             4},
        Kind{"tiff_jpeg",
             [] {
               return make_tiff({.width = 32,
                                 .height = 32,
                                 .photometric = PHOTOMETRIC_YCBCR,
                                 .compression = COMPRESSION_JPEG,
                                 .more = [](TIFF* tiff) {
                                   TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
                                 }});
             },
             4},
        Kind{"tiff_fax",
             [] {
               return make_tiff({.bits = 1,
                                 .components = 1,
                                 .photometric = PHOTOMETRIC_MINISWHITE,
                                 .compression = COMPRESSION_CCITTFAX4});
             },
             4},
        Kind{"jpeg",
             [] {
               return make_jpeg({.markers = {{1, std::string("Exif\0\0", 6) + make_exif(8, false)},
                                             {2, std::string("ICC_PROFILE\0\1\1", 14) + make_profile(400)}}});
             }},
        Kind{"jpeg_progressive", [] { return make_jpeg({.progressive = true}); }}),
    [](const auto& test) { return test.param.name; });

// Replaces the value of a window attribute of an OpenEXR header: four little-endian numbers.
std::string with_window(std::string bytes, const std::string& attribute, std::array<int32_t, 4> values) {
  const std::string start = attribute + std::string("\0box2i\0\x10\0\0\0", 11);
  const size_t at = bytes.find(start);
  EXPECT_NE(at, std::string::npos);
  bytes.replace(at + start.size(), 16, reinterpret_cast<const char*>(values.data()), 16);
  return bytes;
}

TEST(BrokenImage, HugeWindowsAreRefused) {
  const std::string good = make_exr({});
  for (const std::array<int32_t, 4>& window : {std::array<int32_t, 4>{0, 0, 1000000000, 1},
                                               {0, 0, 1, 1000000000},
                                               {0, 0, 65535, 65535},
                                               {INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX},
                                               {0, 0, -1, 5},
                                               {0, 0, 16383, 8191},
                                               {5, 5, 4, 4}}) {
    EXPECT_THAT(handle(with_window(good, "dataWindow", window)), testing::Not(IsOk())) << window[2];
  }
  EXPECT_THAT(handle(with_window(good, "displayWindow", {0, 0, 1000000000, 10})),
              StatusIs(StatusCode::kInvalidArgument, "a side at most 65536"));
}

TEST(BrokenImage, HugeTilesAreRefused) {
  std::string bytes = make_exr({.tile_side = 16});
  const std::string start("tiles\0tiledesc\0\x09\0\0\0", 19);
  const size_t at = bytes.find(start);
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at + start.size(), 8, std::string("\0\0\1\0\0\0\1\0", 8));  // 65536 x 65536
  EXPECT_THAT(handle(bytes), StatusIs(StatusCode::kInvalidArgument, "pieces of"));
}

TEST(BrokenImage, HugeSizesOfOtherFormatsAreRefused) {
  const std::string header = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n";
  for (const char* resolution :
       {"-Y 99999999 +X 3", "-Y 60000 +X 60000", "-Y 0 +X 4", "-Y -5 +X 4", "-Y 9999999999999 +X 1"})
    EXPECT_THAT(handle(header + resolution + "\nabcd"), testing::Not(IsOk())) << resolution;
  EXPECT_THAT(handle(header + "-Y 8192 +X 8192\nabcd"), StatusIs(StatusCode::kDataLoss, "scan line 0"));
  EXPECT_THAT(handle(header + "-Z 8 +X 8\nabcd"), StatusIs(StatusCode::kDataLoss, "no X and Y"));
  EXPECT_THAT(handle("#?RADIANCE\nFORMAT=32-bit_rle_xyze\n\n-Y 1 +X 1\nabcd"),
              StatusIs(StatusCode::kInvalidArgument, "XYZ"));
}

TEST(BrokenImage, OtherFilesAreNamed) {
  EXPECT_THAT(handle("Dear reader, this is no image."),
              StatusIs(StatusCode::kInvalidArgument, "no image that is known"));
  EXPECT_THAT(read_image(by_ffmpeg("a.png", "-pix_fmt rgb24"), "a.png", {"beauty"}),
              StatusIs(StatusCode::kInvalidArgument, "no layers"));
  const TestFolder folder;
  const std::string yuv =
      make_clip(folder, "y.tif", "-f lavfi -i testsrc2=size=32x32 -frames:v 1 -pix_fmt yuv444p");
  EXPECT_THAT(handle(read_file(yuv)), testing::Not(IsOk()));
}

}  // namespace
}  // namespace weft::media
