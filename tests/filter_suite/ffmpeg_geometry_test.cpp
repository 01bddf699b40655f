// SPDX-License-Identifier: Apache-2.0
// Compares filters that only move samples with the ffmpeg program: the bytes of crop, pad and
// transpose are equal, and those after bits are added and removed again.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/filter_suite/devices.h"

namespace weft::filters {
namespace {

namespace fs = std::filesystem;

std::string pixel_format(const VideoFormat& format) {
  constexpr const char* kNames[] = {"gray", "yuv420p", "yuv422p", "yuv444p", "yuv411p", "yuv410p", "yuv440p"};
  return fmt::format("{}{}", kNames[int(format.chroma)],
                     format.bit_depth > 8 ? fmt::format("{}le", format.bit_depth) : "");
}

class FfmpegGeometry : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("ffmpeg -version >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no ffmpeg program";
    std::string name = (fs::temp_directory_path() / "weft-judge-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  std::vector<Picture> judged(const Clip& clip, const std::string& filter, const VideoFormat& result) const {
    std::ofstream file(folder_ / "in", std::ios::binary);
    for (const Picture& picture : clip.frames)
      for (const auto& plane : picture.planes)
        for (const uint16_t value : plane)
          file.write(reinterpret_cast<const char*>(&value), clip.format.sample_bytes());
    file.close();
    const std::string command = fmt::format(
        "cd '{}' && ffmpeg -nostdin -y -v error -f rawvideo -pix_fmt {} -s {}x{} -i in -vf '{}' -pix_fmt {} "
        "-f rawvideo out",
        folder_.string(), pixel_format(clip.format), clip.format.width, clip.format.height, filter,
        pixel_format(result));
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    std::vector<Picture> pictures;
    std::ifstream out(folder_ / "out", std::ios::binary);
    while (out.peek() != EOF) {
      Picture picture(result);
      for (auto& plane : picture.planes)
        for (uint16_t& value : plane) out.read(reinterpret_cast<char*>(&value), result.sample_bytes());
      pictures.push_back(std::move(picture));
    }
    return pictures;
  }

  void expect_judged(const VideoFormat& format, const std::vector<Options>& chain,
                     const std::string& filter) const {
    const Clip clip = make_clip(format, 2, Material::kNoise, 11);
    std::vector<Picture> expected;
    for (device::Device* device : test_devices()) {
      const auto actual = run_clip(*device, chain, clip);
      ASSERT_THAT(actual, IsOk());
      if (expected.empty()) expected = judged(clip, filter, (*actual)[0].picture.format);
      ASSERT_NO_FATAL_FAILURE(
          expect_same(expected, pictures_of(*actual), fmt::format("{} of {}", filter, to_text(format))));
    }
  }

  fs::path folder_;
};

constexpr VideoFormat kFormats[] = {{64, 48, Chroma::k420, 8},  {62, 46, Chroma::k420, 10},
                                    {64, 47, Chroma::k422, 12}, {61, 47, Chroma::k444, 8},
                                    {61, 47, Chroma::k444, 16}, {61, 47, Chroma::kGray, 8}};

TEST_F(FfmpegGeometry, Crop) {
  for (const VideoFormat& format : kFormats) {
    expect_judged(format, {parse_options("crop", "size: '32x20' x: 6 y: 8")}, "crop=32:20:6:8:exact=1");
    expect_judged(format, {parse_options("crop", "size: '27x19' x: 4 y: 2")}, "crop=27:19:4:2:exact=1");
  }
}

// For more than 8 bits ffmpeg's black is the 8-bit code with its bits repeated, 257 with 12 bits;
// in H.273 it is 256.
TEST_F(FfmpegGeometry, Pad) {
  for (const VideoFormat& format : kFormats)
    if (format.bit_depth == 8)
      expect_judged(format, {parse_options("pad", "size: '80x60' x: 6 y: 8")}, "pad=80:60:6:8:black");
}

TEST_F(FfmpegGeometry, Transpose) {
  const std::pair<const char*, const char*> turns[] = {{"CLOCK", "transpose=clock"},
                                                       {"CCLOCK", "transpose=cclock"},
                                                       {"CLOCK_FLIP", "transpose=clock_flip"},
                                                       {"CCLOCK_FLIP", "transpose=cclock_flip"},
                                                       {"HFLIP", "hflip"},
                                                       {"VFLIP", "vflip"},
                                                       {"HALF", "hflip,vflip"}};
  for (const VideoFormat& format : kFormats)
    for (const auto& [turn, filter] : turns) {
      if (format.chroma == Chroma::k422 && std::string(filter).starts_with("transpose"))
        continue;  // ffmpeg converts this format first
      expect_judged(format, {parse_options("transpose", fmt::format("turn: TRANSPOSE_TURN_{}", turn))},
                    filter);
    }
}

TEST_F(FfmpegGeometry, BitsAndBack) {
  const VideoFormat format{64, 48, Chroma::k420, 8};
  expect_judged(format, {parse_options("convert", "bits: 10")}, "format=yuv420p10le");
  expect_judged(format, {parse_options("convert", "bits: 10"), parse_options("convert", "bits: 8")},
                "format=yuv420p10le,format=yuv420p");
  expect_judged(format, {parse_options("convert", "bits: 16")}, "format=yuv420p16le");
}

}  // namespace
}  // namespace weft::filters
