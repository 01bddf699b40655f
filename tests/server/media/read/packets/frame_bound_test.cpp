// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/packets/frame_bound.h"

#include <cstring>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/media/read/probe/probe.h"
#include "tests/server/media/clips.h"

namespace weft::media {
namespace {

// Makes a Matroska file with 25 black frames and `milliseconds` as the duration in its header.
std::string clip_that_claims(const TestFolder& folder, double milliseconds) {
  const std::string path =
      make_clip(folder, "claims.mkv",
                "-f lavfi -i color=black:s=64x64:r=25 -frames:v 25 -c:v libx264 -pix_fmt yuv420p");
  std::string bytes = read_file(path);
  // EBML element Duration, 8 bytes
  const size_t duration = bytes.find(std::string("\x44\x89\x88", 3));
  EXPECT_NE(duration, std::string::npos);
  uint64_t bits = 0;
  std::memcpy(&bits, &milliseconds, sizeof(bits));
  for (size_t i = 0; i < 8; i++) bytes[duration + 3 + i] = char(bits >> (56 - 8 * i));
  write_file(path, bytes);
  return path;
}

int64_t believable(const std::string& path, int64_t claimed) {
  const auto file = InputFile::open(path);
  EXPECT_THAT(file, IsOk());
  const auto frames = believable_frames(*file, 0, claimed);
  EXPECT_THAT(frames, IsOk());
  return *frames;
}

TEST(FrameBound, AFalseDurationIsNotBelieved) {
  const TestFolder folder;
  const std::string path = clip_that_claims(folder, 4e9);
  const auto info = probe(path);
  ASSERT_THAT(info, IsOk());
  ASSERT_GT(info->video.frames, 10'000'000) << "the claim";
  EXPECT_EQ(believable(path, info->video.frames), 25);
}

// Files with the smallest frames that encoders make are still accepted.
TEST(FrameBound, PicturesThatDoNotChangeAreCounted) {
  const TestFolder folder;
  for (const char* name : {"still.mov", "still.mkv", "still.ts"}) {
    const std::string codec = std::string(name).ends_with("mov") ? "qtrle" : "libx264 -pix_fmt yuv420p -bf 0";
    const std::string path =
        make_clip(folder, name, "-f lavfi -i color=black:s=64x64:r=25 -frames:v 1000 -g 1000 -c:v " + codec);
    EXPECT_EQ(believable(path, 1000), 1000) << name;
    EXPECT_EQ(believable(path, 999), 999) << name;
    EXPECT_EQ(believable(path, 1'000'000), 1000) << name;
    EXPECT_GE(most_frames(int64_t(read_file(path).size())), 1000) << name;
  }
}

TEST(FrameBound, APlausibleClaimIsNotCounted) {
  const TestFolder folder;
  const std::string path =
      make_clip(folder, "a.mkv", "-f lavfi -i testsrc2=size=176x144 -frames:v 10 -c:v ffv1");
  const auto bytes = int64_t(read_file(path).size());
  EXPECT_EQ(believable(path, bytes / kPlausibleFrameBytes), bytes / kPlausibleFrameBytes);
  EXPECT_EQ(believable(path, 0), 0) << "not known";
  EXPECT_EQ(most_frames(600), 101);
}

}  // namespace
}  // namespace weft::media
