// SPDX-License-Identifier: Apache-2.0
// Tests Radiance, PNG and TIFF files, read and written, and common properties of formats. The
// ffmpeg program reads the expected samples.
#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/media/file_calls.h"
#include "server/media/image/image_file.h"
#include "server/media/image/transfer.h"
#include "tests/server/media/clips.h"
#include "tests/server/media/image/images.h"

namespace weft::media {
namespace {

using testing::HasSubstr;

Image read(const std::string& bytes, const std::string& name = "test") {
  StatusOr<Image> image = read_image(bytes, name, {});
  EXPECT_THAT(image, IsOk());
  if (!image.ok()) std::abort();
  return *std::move(image);
}

std::string encoded(const Image& image, ImageFormat format) {
  const StatusOr<std::string> bytes = encode_image(image, {format});
  EXPECT_THAT(bytes, IsOk());
  return bytes.value_or("");
}

Image make_float_image(int width, int height, const std::function<float(size_t)>& value,
                       bool has_alpha = false) {
  ImageInfo info;
  info.data = info.display = {0, 0, width, height};
  info.has_alpha = has_alpha;
  info.bit_depth = 16;
  Image image = *make_image(info);
  for (size_t i = 0; i < image.sample_count(); i++)
    image.float_samples()[i] = i % 4 == 3 && !has_alpha ? 1.0f : value(i);
  return image;
}

// Returns the samples of a file as the ffmpeg program reads them.
std::string raw(const std::string& bytes, const std::string& name, const std::string& pixel_format) {
  const TestFolder folder;
  write_file(folder.path(name), bytes);
  return run("ffmpeg -nostdin -v error -i " + folder.path(name) + " -f rawvideo -pix_fmt " + pixel_format +
             " -");
}

std::string noise_image(const std::string& name, const std::string& pixel_format) {
  const TestFolder folder;
  return read_file(
      make_clip(folder, name,
                "-f lavfi -i "
                "\"nullsrc=size=61x47,geq=r='random(1)*255':g='random(2)*255':b='X*4':a='40+Y*4'\""
                " -frames:v 1 -pix_fmt " +
                    pixel_format));
}

TEST(Image, IsToldFromOtherFilesByItsFirstBytes) {
  const TestFolder folder;
  const auto recognises = [&](const std::string& bytes) {
    const std::string path = folder.path("file");
    write_file(path, bytes);
    return is_image(**InputFile::open(path)).value();
  };
  Image image = make_image({.data = {0, 0, 2, 2}, .display = {0, 0, 2, 2}}).value();
  for (float& sample : image.float_samples()) sample = 0.5f;
  for (const ImageFormat format :
       {ImageFormat::kOpenExr, ImageFormat::kRadiance, ImageFormat::kPng, ImageFormat::kTiff})
    EXPECT_TRUE(recognises(encode_image(image, {.format = format}).value())) << int(format);
  EXPECT_FALSE(recognises("YUV4MPEG2 W2 H2\n"));
  EXPECT_FALSE(recognises("x"));
}

TEST(Transfer, EveryCodeComesBack) {
  for (const Transfer& transfer :
       {Transfer{}, Transfer{Transfer::Curve::kGamma, 1}, Transfer{Transfer::Curve::kGamma, 0.45455},
        Transfer{Transfer::Curve::kGamma, kMinGamma}, Transfer{Transfer::Curve::kGamma, kMaxGamma}})
    for (const int depth : {8, 16}) {
      const std::vector<float> table = linear_table(transfer, depth);
      for (size_t code = 0; code < table.size(); code++)
        ASSERT_EQ(to_code(transfer, depth, table[code]), code) << transfer.exponent << " " << depth;
    }
}

TEST(Transfer, IsSrgb) {
  EXPECT_NEAR(Transfer{}.to_linear(0.5), 0.21404114048, 1e-9);
  EXPECT_NEAR(Transfer{}.to_linear(0.04), 0.04 / 12.92, 1e-12);
  EXPECT_NEAR(Transfer{}.to_stored(0.18), 0.46135612950, 1e-9);
  EXPECT_EQ(to_code(Transfer{}, 8, NAN), 0);
  EXPECT_EQ(to_code(Transfer{}, 8, INFINITY), 255);
  EXPECT_EQ(to_code(Transfer{}, 8, -1), 0);
}

struct Integers {
  const char* name;
  const char* pixel_format;
  ImageFormat format;
};
class IntegerImage : public testing::TestWithParam<Integers> {};

TEST_P(IntegerImage, ComesBackExactly) {
  const Integers& kind = GetParam();
  const std::string bytes = noise_image(kind.name, kind.pixel_format);
  const std::string again = encoded(read(bytes), kind.format);
  EXPECT_EQ(raw(again, kind.name, kind.pixel_format), raw(bytes, kind.name, kind.pixel_format));
  const TestFolder folder;
  write_file(folder.path(kind.name), again);
  EXPECT_THAT(ffprobe(folder.path(kind.name), "-show_entries stream=pix_fmt,width,height"),
              testing::ElementsAre(std::string("61,47,") + kind.pixel_format));
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, IntegerImage,
    testing::Values(
        Integers{"a.png", "gray", ImageFormat::kPng}, Integers{"b.png", "gray16be", ImageFormat::kPng},
        Integers{"c.png", "ya8", ImageFormat::kPng}, Integers{"d.png", "ya16be", ImageFormat::kPng},
        Integers{"e.png", "rgb24", ImageFormat::kPng}, Integers{"f.png", "rgba", ImageFormat::kPng},
        Integers{"g.png", "rgb48be", ImageFormat::kPng}, Integers{"h.png", "rgba64be", ImageFormat::kPng},
        Integers{"i.tiff", "gray", ImageFormat::kTiff}, Integers{"j.tiff", "gray16le", ImageFormat::kTiff},
        Integers{"k.tif", "rgb24", ImageFormat::kTiff}, Integers{"l.tif", "rgba", ImageFormat::kTiff},
        Integers{"m.tif", "rgb48le", ImageFormat::kTiff}, Integers{"n.tif", "rgba64le", ImageFormat::kTiff}),
    [](const auto& test) { return std::string(1, test.param.name[0]) + "_" + test.param.pixel_format; });

TEST(Png, IsLinearLightMultipliedWithAlpha) {
  const std::string bytes = noise_image("a.png", "rgba");
  const std::string codes = raw(bytes, "a.png", "rgba");
  const Image image = read(bytes);
  ASSERT_EQ(image.info.data, (ImageWindow{0, 0, 61, 47}));
  for (size_t i = 0; i < image.sample_count(); i++) {
    const double alpha = uint8_t(codes[i | 3]) / 255.0;
    const double expected = i % 4 == 3 ? alpha : alpha * Transfer{}.to_linear(uint8_t(codes[i]) / 255.0);
    ASSERT_NEAR(image.float_samples()[i], expected, 1e-6) << i;
  }
}

// Returns a number as stored in a TIFF file.
std::string tiff_number(uint32_t value, int bytes, bool is_big_endian) {
  std::string text;
  for (int i = 0; i < bytes; i++) text += char(value >> 8 * (is_big_endian ? bytes - 1 - i : i));
  return text;
}

// Returns a file of two pixels of RGBA, 8 bits, not compressed. `alpha` is the value of
// ExtraSamples: 1 (associated) or 2 (unassociated).
std::string tiff_file(uint32_t alpha, bool is_big_endian, const std::string& pixels) {
  struct Entry {
    uint32_t tag, type, count, value;
  };
  const uint32_t bits = 8 + 2 + 11 * 12 + 4;  // position after the entries
  const Entry entries[] = {{256, 3, 1, 2}, {257, 3, 1, 1},        {258, 3, 4, bits}, {259, 3, 1, 1},
                           {262, 3, 1, 2}, {273, 4, 1, bits + 8}, {277, 3, 1, 4},    {278, 3, 1, 1},
                           {279, 4, 1, 8}, {284, 3, 1, 1},        {338, 3, 1, alpha}};
  const auto number = [&](uint32_t value, int bytes) { return tiff_number(value, bytes, is_big_endian); };
  std::string tiff = (is_big_endian ? "MM" : "II") + number(42, 2) + number(8, 4) + number(11, 2);
  for (const auto& [tag, type, count, value] : entries) {
    const bool is_short = type == 3 && count == 1;
    tiff += number(tag, 2) + number(type, 2) + number(count, 4);
    tiff += is_short ? number(value, 2) + number(0, 2) : number(value, 4);
  }
  tiff += number(0, 4);
  for (int i = 0; i < 4; i++) tiff += number(8, 2);
  return tiff + pixels;
}

TEST(Tiff, AssociatedAlphaIsNotMultipliedAgainAndStaysSo) {
  // The second pixel has light where alpha is 0.
  const std::string pixels("\x40\x80\x10\x80\xff\x20\x05\x00", 8);
  const std::string tag = tiff_number(338, 2, false) + tiff_number(3, 2, false) + tiff_number(1, 4, false);
  for (const bool is_big_endian : {false, true}) {
    const Image image = read(tiff_file(1, is_big_endian, pixels));
    ASSERT_TRUE(image.info.has_alpha);
    for (size_t i = 0; i < 8; i++) {
      const double code = uint8_t(pixels[i]) / 255.0;
      EXPECT_NEAR(image.sample(i), i % 4 == 3 ? code : Transfer{}.to_linear(code), 1e-6) << i;
    }
    const std::string again = encoded(image, ImageFormat::kTiff);
    EXPECT_THAT(again, HasSubstr(tag + tiff_number(1, 2, false)));
    EXPECT_EQ(raw(again, "a.tif", "rgba"), pixels);
    const Image straight = read(tiff_file(2, is_big_endian, pixels));
    EXPECT_NEAR(straight.sample(0), Transfer{}.to_linear(64 / 255.0) * 128 / 255, 1e-6);
    EXPECT_THAT(encoded(straight, ImageFormat::kTiff), HasSubstr(tag + tiff_number(2, 2, false)));
  }
  const Image kept = read(encoded(read(tiff_file(1, false, pixels)), ImageFormat::kOpenExr));
  EXPECT_THAT(encoded(kept, ImageFormat::kTiff), HasSubstr(tag + tiff_number(2, 2, false)));
}

TEST(Png, LightOutsideIsClipped) {
  const Image image = make_float_image(2, 1, [](size_t i) { return i < 4 ? 7.0f : i == 4 ? NAN : -1.0f; });
  EXPECT_EQ(raw(encoded(image, ImageFormat::kPng), "a.png", "rgb24"), std::string("\xff\xff\xff\0\0\0", 6));
}

TEST(Radiance, ComesBackExactly) {
  const std::vector<std::string> resolutions = {"-Y 5 +X 40", "+Y 5 +X 40", "-Y 5 -X 40",
                                                "+X 40 -Y 5", "-X 40 +Y 5", "-Y 50 +X 4"};
  for (const std::string& resolution : resolutions) {
    std::mt19937 random(1);
    std::string bytes =
        "#?RADIANCE\n# made by hand\nEXPOSURE=2.5\nFORMAT=32-bit_rle_rgbe\nPIXASPECT=0.5\n\n" + resolution +
        "\n";
    for (int pixel = 0; pixel < 200; pixel++)  // The top bit of the largest mantissa is set.
      bytes += {char(128 + random() % 128), char(random() % 256), char(random() % 256), char(random() % 256)};
    const Image image = read(bytes);
    EXPECT_EQ(image.info.pixel_aspect, 2);
    EXPECT_THAT(left_out(image.info, {ImageFormat::kRadiance}), testing::IsEmpty());
    EXPECT_THAT(left_out(image.info, {ImageFormat::kPng}),
                testing::ElementsAre(HasSubstr("lines of its header")));
    const std::string again = encoded(image, ImageFormat::kRadiance);
    const size_t header = bytes.size() - 800;
    EXPECT_EQ(again.substr(0, header), bytes.substr(0, header));
    const Image second = read(again);
    EXPECT_EQ(second.info.data, image.info.data);
    for (size_t i = 0; i < image.sample_count(); i++)
      ASSERT_EQ(second.float_samples()[i], image.float_samples()[i]) << resolution << " " << i;
  }
}

TEST(Radiance, OrientationTurnsThePicture) {
  // two pixels: 0.5 red, 0.5 green
  const std::string pixels = {char(128), 0, 0, char(128), 0, char(128), 0, char(128)};
  const auto first = [&](const std::string& resolution) {
    const Image image = read("#?RGBE\nFORMAT=32-bit_rle_rgbe\n\n" + resolution + "\n" + pixels);
    EXPECT_EQ(image.float_samples()[0] + image.float_samples()[1], 0.5f);
    return image.float_samples()[0] == 0.5f ? 'r' : 'g';
  };
  EXPECT_EQ(first("-Y 1 +X 2"), 'r');
  EXPECT_EQ(first("-Y 1 -X 2"), 'g');
  EXPECT_EQ(first("-Y 2 +X 1"), 'r');
  EXPECT_EQ(first("+Y 2 +X 1"), 'g');
  EXPECT_EQ(first("+X 2 -Y 1"), 'r');
  EXPECT_EQ(first("-X 2 -Y 1"), 'g');
}

// Each scan line has four runs, expanded by hand.
TEST(Radiance, WritesRuns) {
  const Image image =
      make_float_image(300, 2, [](size_t i) { return i / 4 % 300 < 200 ? 1.0f : float(i / 4 % 7 + 8) / 16; });
  const std::string bytes = encoded(image, ImageFormat::kRadiance);
  size_t at = bytes.find("+X 300\n") + 7;
  EXPECT_LT(bytes.size() - at, 2u * 300 * 3);
  for (int y = 0; y < 2; y++) {
    ASSERT_EQ(bytes.substr(at, 4), std::string("\2\2\x01\x2c", 4));
    at += 4;
    std::array<std::string, 4> line;
    for (std::string& component : line)
      while (component.size() < 300) {
        const int code = uint8_t(bytes.at(at));
        component += code > 128 ? std::string(size_t(code - 128), bytes.at(at + 1))
                                : bytes.substr(at + 1, size_t(code));
        at += size_t(code > 128 ? 2 : code + 1);
      }
    for (size_t x = 0; x < 300; x++)
      ASSERT_EQ(std::ldexp(uint8_t(line[0].at(x)), uint8_t(line[3].at(x)) - 136),
                image.sample(4 * (size_t(y) * 300 + x)))
          << x;
  }
  EXPECT_EQ(at, bytes.size());
  const Image again = read(bytes);
  for (size_t i = 0; i < image.sample_count(); i++) ASSERT_EQ(again.sample(i), image.sample(i));
}

TEST(Radiance, OldRunsAreRead) {
  const std::string header = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 300\n";
  const std::string runs =
      std::string("\x80\x40\x20\x81", 4) + std::string("\1\1\1\x2b", 4) + std::string("\1\1\1\1", 4);
  const Image image = read(header + runs);  // 1 + 43 + 256 pixels
  EXPECT_EQ(image.float_samples()[4 * 299], 1.0f);
  EXPECT_EQ(image.float_samples()[4 * 299 + 2], 0.25f);
}

TEST(Radiance, IsWithinHalfAStepOfItsExponent) {
  std::mt19937 random(5);
  std::lognormal_distribution<float> light(0, 6);
  const Image image = make_float_image(64, 64, [&](size_t) { return light(random); });
  const Image again = read(encoded(image, ImageFormat::kRadiance));
  for (size_t i = 0; i < image.sample_count(); i += 4) {
    const float largest = std::max({image.sample(i), image.sample(i + 1), image.sample(i + 2)});
    for (size_t c = 0; c < 3; c++) ASSERT_NEAR(again.sample(i + c), image.sample(i + c), largest / 255) << i;
  }
  const Image odd = make_float_image(3, 1, [](size_t i) {
    return i == 0 ? 255.7f / 256 : i < 4 ? NAN : i == 4 ? INFINITY : -1.0f;
  });
  const Image bounded = read(encoded(odd, ImageFormat::kRadiance));
  EXPECT_EQ(bounded.sample(0), 1.0f);
  EXPECT_EQ(bounded.sample(1), 0.0f);
  EXPECT_GT(bounded.sample(4), 1e38f);
  EXPECT_EQ(bounded.sample(8), 0.0f);
}

TEST(Image, GoesFromFormatToFormat) {
  const Image exr = read_exr(make_exr({.half_channels = {"A", "B", "G", "R"}, .data = {-3, 2, 50, 10}}));
  const Image hdr = read(encoded(exr, ImageFormat::kRadiance));
  // The data window is the frame, black outside of the samples.
  EXPECT_EQ(hdr.info.data, (ImageWindow{0, 0, 37, 29}));
  EXPECT_EQ(hdr.sample(0), 0.0f);
  const Image exr_again = read(encoded(hdr, ImageFormat::kOpenExr));
  for (size_t i = 0; i < hdr.sample_count(); i++) ASSERT_EQ(exr_again.sample(i), hdr.sample(i));
  const Image png = read(encoded(exr, ImageFormat::kPng));
  EXPECT_EQ(png.info.bit_depth, 16);
  EXPECT_TRUE(png.info.has_alpha);
}

TEST(Image, PreviewIsSmallAndBrightEnough) {
  const Image image = make_float_image(100, 30, [](size_t i) { return (i / 4) % 2 == 0 ? 0.1f : 0.3f; });
  const StatusOr<std::string> preview = encode_preview(image, 25, 2.0);
  ASSERT_THAT(preview, IsOk());
  const std::string codes = raw(*preview, "a.png", "rgb24");
  ASSERT_EQ(codes.size(), 3u * 25 * 7);
  for (const char code : codes) ASSERT_EQ(uint8_t(code), to_code(Transfer{}, 8, 0.4f));
}

TEST(Image, ExtensionsChooseTheFormat) {
  EXPECT_EQ(*image_format_of("/a.b/frame.0001.EXR"), ImageFormat::kOpenExr);
  EXPECT_EQ(*image_format_of("x.tif"), ImageFormat::kTiff);
  EXPECT_EQ(*image_format_of("x.Jpeg"), ImageFormat::kJpeg);
  EXPECT_THAT(image_format_of("x.gif"), StatusIs(StatusCode::kInvalidArgument, "exr, hdr"));
  EXPECT_THAT(image_format_of("exr"), StatusIs(StatusCode::kInvalidArgument));
}

// A large image takes longer than the hang timeout of a job, so that progress is reported by rows.
TEST(Image, ReadingAndWritingGoOnByRows) {
  constexpr int kWidth = 400, kHeight = 700;
  const Image image = make_float_image(kWidth, kHeight, [](size_t i) { return float(i % 7) / 8; });
  FileCalls calls;
  const WatchFileCalls watch(&calls);
  for (const ImageFormat format :
       {ImageFormat::kPng, ImageFormat::kTiff, ImageFormat::kRadiance, ImageFormat::kOpenExr}) {
    uint64_t before = calls.chunks();
    const std::string bytes = encoded(image, format);
    EXPECT_GE(calls.chunks(), before + 3) << name_of(format) << " is written in one piece";
    before = calls.chunks();
    read(bytes);
    EXPECT_GE(calls.chunks(), before + 3) << name_of(format) << " is read in one piece";
  }
}

}  // namespace
}  // namespace weft::media
