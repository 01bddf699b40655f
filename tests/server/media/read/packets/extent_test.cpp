// SPDX-License-Identifier: Apache-2.0
// Tests truncated files. The demuxer reports no error at their end, but the declaration of the
// container shows it.
#include "server/media/read/packets/extent.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/media/clips.h"

namespace weft::media {
namespace {

using testing::HasSubstr;

constexpr int kWholeFrames = 150;

struct ShortFile {
  const char* name;
  const char* codecs;
  bool announces = true;  // true if the container declares the duration
};
constexpr ShortFile kShortFiles[] = {
    {"a.mkv", "-c:v ffv1 -c:a flac"},
    {"b.mkv", "-fflags +bitexact -c:v libx264 -bf 2 -c:a ac3"},
    {"c.mp4", "-c:v libx264 -bf 2 -pix_fmt yuv420p -c:a aac -movflags +faststart"},
    {"d.avi", "-c:v mpeg4 -c:a mp3"},
    {"e.mov", "-c:v mjpeg -pix_fmt yuvj420p -c:a pcm_s16le -movflags +faststart"},
    {"f.webm", "-c:v libvpx -deadline realtime -c:a libopus"},
    {"g.ts", "-c:v mpeg2video -c:a mp2", false},
    {"h.nut", "-c:v ffv1 -c:a flac", false},
};

class ShortInputTest : public testing::Test {
 protected:
  std::string make(const ShortFile& file) {
    return make_clip(
        folder_, file.name,
        std::string("-f lavfi -i testsrc2=size=64x48:rate=25 -f lavfi -i sine -t 6 ") + file.codecs);
  }
  std::string cut(const std::string& path, double part) {
    const std::string bytes = read_file(path);
    const std::string name = folder_.path("cut-" + std::filesystem::path(path).filename().string());
    write_file(name, bytes.substr(0, size_t(double(bytes.size()) * part)));
    return name;
  }
  static std::string shortage(const std::string& path) {
    const auto source = open_source(path);
    EXPECT_THAT(source, IsOk());
    if (!source.ok()) return "";
    decode_all(**source);
    return (*source)->shortage();
  }

  TestFolder folder_;
};

TEST_F(ShortInputTest, WholeFilesAreNot) {
  for (const ShortFile& file : kShortFiles) EXPECT_EQ(shortage(make(file)), "") << file.name;
}

TEST_F(ShortInputTest, HalfAFileIs) {
  for (const ShortFile& file : kShortFiles) {
    if (!file.announces) continue;
    EXPECT_THAT(shortage(cut(make(file), 0.5)), HasSubstr("is short")) << file.name;
  }
}

TEST_F(ShortInputTest, FramesThatComeAreCompared) {
  const std::string path = make(kShortFiles[0]);
  EXPECT_THAT(
      shortage(cut(path, 0.5)),
      testing::MatchesRegex("The input is short: its container announces video up to 6\\.000 s, and it "
                            "ends at [23]\\.[0-9]+ s \\(about [67][0-9] frames less\\)"));
}

TEST_F(ShortInputTest, APartialFrameOfY4mIs) {
  const std::string path = make_clip(
      folder_, "a.y4m", fmt::format("-f lavfi -i testsrc2=size=64x48:rate=25 -frames:v {}", kWholeFrames));
  EXPECT_EQ(shortage(path), "");
  EXPECT_THAT(shortage(cut(path, 0.5)), HasSubstr("its last frame is not whole"));
}

TEST_F(ShortInputTest, AFileThatShrinksIs) {
  const std::string path = make({"a.ts", "-c:v mpeg2video -c:a mp2", false});
  const auto file = *InputFile::open(path);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  const auto source = VideoSource::open(file, {});
  ASSERT_THAT(source, IsOk());
  EXPECT_LT(decode_all(**source).hashes.size(), size_t{kWholeFrames});
  EXPECT_THAT((*source)->shortage(), HasSubstr("shrank while it was read"));
}

// A recording: every reader sees the size that the file had when it was opened.
TEST_F(ShortInputTest, AFileThatGrowsEndsWhereItEnded) {
  const std::string path = make({"a.ts", "-c:v mpeg2video -c:a mp2", false});
  const std::string bytes = read_file(path), half = bytes.substr(0, bytes.size() / 2);
  write_file(path, half);
  const size_t frames = decode_all(**open_source(path)).hashes.size();
  const auto file = *InputFile::open(path);
  write_file(path, bytes);
  EXPECT_EQ(decode_all(**VideoSource::open(file, {})).hashes.size(), frames);
  const auto part = InputFile::first_bytes(*InputFile::open(path), int64_t(half.size()));
  EXPECT_EQ(part->bytes(), int64_t(half.size()));
  EXPECT_EQ(decode_all(**VideoSource::open(part, {})).hashes.size(), frames);
  EXPECT_EQ(decode_all(**open_source(path)).hashes.size(), size_t{kWholeFrames});
}

}  // namespace
}  // namespace weft::media
