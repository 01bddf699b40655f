// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/pictures/tga.h"

#include <random>

#include <gmock/gmock.h>

#include "tests/server/media/clips.h"

namespace weft::media {
namespace {

constexpr char kFromTop = 0x20, kFromRight = 0x10;

struct TgaFile {
  int type = 2;
  int width = 3, height = 2, depth = 24;
  char descriptor = kFromTop;
  std::string texels{};
};

std::string bytes_of(const TgaFile& file) {
  std::string bytes(18, '\0');
  bytes[0] = 4;  // length of the name after the header
  bytes[2] = char(file.type);
  bytes[12] = char(file.width & 255);
  bytes[13] = char(file.width >> 8);
  bytes[14] = char(file.height & 255);
  bytes[15] = char(file.height >> 8);
  bytes[16] = char(file.depth);
  bytes[17] = file.descriptor;
  return bytes + "name" + file.texels;
}

class TgaTest : public testing::Test {
 protected:
  StatusOr<InputFilePtr> open(const std::string& bytes, const std::string& name = "in.TGA") {
    write_file(folder_.path(name), bytes);
    return InputFile::open(folder_.path(name));
  }
  StatusOr<TgaPicture> read(const std::string& bytes) {
    ASSIGN_OR_RETURN(const InputFilePtr file, open(bytes));
    EXPECT_TRUE(is_tga(*file));
    return read_tga(*file);
  }
  Status probed(const std::string& bytes) {
    ASSIGN_OR_RETURN(const InputFilePtr file, open(bytes));
    return probe_tga(*file).status();
  }

  TestFolder folder_;
};

TEST_F(TgaTest, ColoursComeFromAnyCorner) {
  const std::string a = "\x01\x02\x03", b = "\x11\x12\x13", c = "\x21\x22\x23";  // blue, green, red
  const std::string d = "\x31\x32\x33", e = "\x41\x42\x43", f = "\x51\x52\x53";
  std::string wanted;
  for (const std::string& texel : {a, b, c, d, e, f}) wanted += {texel[2], texel[1], texel[0], char(255)};
  const auto rgba = [&](char descriptor, const std::string& texels) {
    const StatusOr<TgaPicture> picture = read(bytes_of({2, 3, 2, 24, descriptor, texels}));
    EXPECT_THAT(picture, IsOk());
    return picture.ok() ? picture->rgba : "";
  };
  EXPECT_EQ(rgba(kFromTop, a + b + c + d + e + f), wanted);
  EXPECT_EQ(rgba(0, d + e + f + a + b + c), wanted);
  EXPECT_EQ(rgba(kFromTop | kFromRight, c + b + a + f + e + d), wanted);
  EXPECT_EQ(rgba(kFromRight, f + e + d + c + b + a), wanted);
}

TEST_F(TgaTest, AlphaIsKeptUnlessNobodyMeansIt) {
  const std::string seen = {1, 2, 3, 0, 4, 5, 6, 7}, none = {1, 2, 3, 0, 4, 5, 6, 0};
  const auto picture = [&](char descriptor, const std::string& texels) {
    return read(bytes_of({2, 2, 1, 32, char(kFromTop | descriptor), texels})).value();
  };
  EXPECT_EQ(picture(8, seen).rgba, std::string({3, 2, 1, 0, 6, 5, 4, 7}));
  EXPECT_TRUE(picture(0, seen).has_alpha);
  EXPECT_TRUE(picture(8, none).has_alpha);
  EXPECT_FALSE(picture(0, none).has_alpha);
  EXPECT_EQ(picture(0, none).rgba, std::string({3, 2, 1, char(255), 6, 5, 4, char(255)}));
}

// Returns a file of version 2.0: the extension area and the footer follow the picture.
std::string with_extension(std::string bytes, int attributes, const std::string& author = "") {
  std::string area(495, '\0');
  area[0] = char(495 & 255);
  area[1] = char(495 >> 8);
  area.replace(2, author.size(), author);
  area[494] = char(attributes);
  std::string footer(8, '\0');
  for (int i = 0; i < 4; i++) footer[size_t(i)] = char(bytes.size() >> (8 * i));
  return bytes + area + footer + std::string("TRUEVISION-XFILE.\0", 18);
}

TEST_F(TgaTest, TheExtensionAreaSaysWhatAlphaIs) {
  const std::string bytes = bytes_of({2, 2, 1, 32, char(kFromTop | 8), {1, 2, 3, 0, 4, 5, 6, 7}});
  const auto alphas = [](const TgaPicture& picture) {
    return std::string({picture.rgba[3], picture.rgba[7]});
  };
  for (const auto& [attributes, has_alpha, is_premultiplied] :
       {std::tuple{0, true, false}, {1, false, false}, {2, true, false}, {3, true, false}, {4, true, true}}) {
    const StatusOr<TgaPicture> picture = read(with_extension(bytes, attributes));
    ASSERT_THAT(picture, IsOk()) << attributes;
    EXPECT_EQ(picture->has_alpha, has_alpha) << attributes;
    EXPECT_EQ(picture->is_premultiplied, is_premultiplied) << attributes;
    EXPECT_EQ(alphas(*picture), has_alpha ? std::string({0, 7}) : std::string({char(255), char(255)}));
  }
  EXPECT_THAT(read(with_extension(bytes, 3, "Ada"))->others,
              testing::ElementsAre("the picture's name", "the author's name"));
  // An area outside of the file is ignored.
  std::string cut = with_extension(bytes, 4);
  cut.erase(40, 100);
  EXPECT_FALSE(read(cut)->is_premultiplied);
}

TEST_F(TgaTest, RunsAndGrayAreRead) {
  const std::string runs = {char(0x83), 9, char(0x01), 5, 6};  // four of 9, then 5, 6
  const StatusOr<TgaPicture> gray = read(bytes_of({11, 3, 2, 8, kFromTop, runs}));
  ASSERT_THAT(gray, IsOk());
  std::string wanted;
  for (const char code : {9, 9, 9, 9, 5, 6}) wanted += {code, code, code, char(255)};
  EXPECT_EQ(gray->rgba, wanted);
  const std::string colours = {char(0x81), 1, 2, 3, char(0x03), 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const StatusOr<TgaPicture> colour = read(bytes_of({10, 3, 2, 24, kFromTop, colours}));
  ASSERT_THAT(colour, IsOk());
  EXPECT_EQ(colour->rgba.substr(4, 8), std::string({3, 2, 1, char(255), 6, 5, 4, char(255)}));
}

TEST_F(TgaTest, WhatAProgramWritesIsRead) {
  run(fmt::format("ffmpeg -v error -y -f lavfi -i testsrc2=size=50x30 -frames:v 1 -pix_fmt bgra {}",
                  folder_.path("a.tga")));
  run(fmt::format("ffmpeg -v error -y -i {} -f rawvideo -pix_fmt rgba {}", folder_.path("a.tga"),
                  folder_.path("raw")));
  const StatusOr<InputFilePtr> file = InputFile::open(folder_.path("a.tga"));
  const StatusOr<TgaPicture> picture = read_tga(**file);
  ASSERT_THAT(picture, IsOk());
  EXPECT_EQ(picture->width, 50);
  EXPECT_TRUE(picture->rgba == read_file(folder_.path("raw")));
  EXPECT_EQ(probe_tga(**file)->height, 30);
}

TEST_F(TgaTest, OtherKindsAreRefusedInWords) {
  const std::string texels(64, 'x');
  for (const TgaFile& file : {TgaFile{1, 3, 2, 8, 0, texels}, TgaFile{2, 3, 2, 16, 0, texels},
                              TgaFile{3, 3, 2, 24, 0, texels}, TgaFile{0, 3, 2, 24, 0, texels}})
    EXPECT_THAT(probed(bytes_of(file)), StatusIs(StatusCode::kInvalidArgument, "give 8 bits of gray"));
}

// A side has 16 bits, and a run of 128 pixels has 4 bytes, so a small file may declare billions of
// pixels.
TEST_F(TgaTest, LargerOnesThanATextureAreRefusedByTheirHeader) {
  TgaFile file{.type = 10, .width = 32769, .height = 1, .depth = 24};
  for (int x = 0; x < file.width; x += 128) file.texels += "\xFF...";
  EXPECT_THAT(probed(bytes_of(file)), StatusIs(StatusCode::kInvalidArgument, "32769x1"));
  EXPECT_THAT(read(bytes_of(file)), StatusIs(StatusCode::kInvalidArgument, "too large"));
  file.width = 32768;
  EXPECT_THAT(read(bytes_of(file)), IsOk());
}

TEST_F(TgaTest, BrokenFilesAreRefusedBeforeTheyTakeMemory) {
  EXPECT_THAT(probed("short"), StatusIs(StatusCode::kDataLoss, "header is cut off"));
  EXPECT_THAT(probed(bytes_of({2, 0, 2, 24, 0, "abc"})), StatusIs(StatusCode::kDataLoss, "0x2"));
  EXPECT_THAT(probed(bytes_of({2, 65535, 65535, 32, 0, "abc"})),
              StatusIs(StatusCode::kDataLoss, "and 3 are there"));
  EXPECT_THAT(probed(bytes_of({10, 65535, 65535, 32, 0, std::string(5000, 'x')})),
              StatusIs(StatusCode::kDataLoss, "and 5000 are there"));
  EXPECT_THAT(read(bytes_of({2, 3, 2, 24, 0, std::string(17, 'x')})), StatusIs(StatusCode::kDataLoss));
  // The run reaches past the end of the file.
  EXPECT_THAT(read(bytes_of({10, 64, 2, 24, kFromTop, std::string({char(0x9f), 1, 2, 3, 0x7f, 1, 2, 3})})),
              StatusIs(StatusCode::kDataLoss, "is damaged"));
}

// Noise after headers of every kind gives a result or an error, and no crash.
TEST_F(TgaTest, NoiseGivesAnAnswer) {
  std::mt19937 random(7);
  for (int i = 0; i < 300; i++) {
    TgaFile file;
    file.type = std::array{2, 3, 10, 11}[random() % 4];
    file.depth = (file.type & 7) == 3 ? 8 : std::array{24, 32}[random() % 2];
    file.width = 1 + int(random() % 40);
    file.height = 1 + int(random() % 40);
    file.descriptor = char(random());
    file.texels.resize(random() % 6000);
    for (char& c : file.texels) c = char(random());
    const StatusOr<TgaPicture> picture = read(bytes_of(file));
    if (!picture.ok()) continue;
    EXPECT_EQ(int64_t(picture->rgba.size()), int64_t{4} * file.width * file.height);
  }
}

}  // namespace
}  // namespace weft::media
