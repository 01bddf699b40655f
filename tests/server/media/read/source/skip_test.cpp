// SPDX-License-Identifier: Apache-2.0
// Tests that a frame reached by a seek equals that of decoding from the start.
#include <random>

#include <gmock/gmock.h>

#include "tests/server/media/clips.h"

namespace weft::media {
namespace {

constexpr int kFrames = 200;

struct SkipCase {
  const char* name;
  const char* file;
  const char* arguments;
};

class SkipTest : public ::testing::TestWithParam<SkipCase> {};

TEST_P(SkipTest, FramesAreThoseOfDecodingFromTheStart) {
  const TestFolder folder;
  const std::string path = make_clip(
      folder, GetParam().file,
      fmt::format("-f lavfi -i testsrc2=size=64x48:rate=25 -frames:v {} {}", kFrames, GetParam().arguments));
  const Decoded whole = decode_all(**open_source(path, {.hardware = false}));
  std::mt19937 random(5);
  int skipped = 0;
  for (int i = 0; i < 12; i++) {
    const auto index = int64_t(random() % whole.frames.size());
    const auto source = open_source(path, {.hardware = false}).value();
    const auto times = source->frame_times({.frames = index + 1});
    ASSERT_THAT(times, IsOk());
    ASSERT_TRUE(times->has_value());
    ASSERT_EQ((*times)->pts.size(), (*times)->is_whole ? whole.frames.size() : size_t(index) + 1);
    const auto is_there = source->skip_to(index, **times);
    ASSERT_THAT(is_there, IsOk());
    size_t at = *is_there ? size_t(index) : 0;
    EXPECT_TRUE(*is_there || index < 70) << index << ": far enough from the start";
    EXPECT_LT(source->frames_skipped(), 70) << "of " << index;
    skipped += *is_there ? 1 : 0;
    const Decoded rest = decode_all(*source);
    ASSERT_EQ(rest.hashes.size(), whole.hashes.size() - at) << index;
    for (const uint64_t hash : rest.hashes) ASSERT_EQ(hash, whole.hashes[at++]) << at;
    for (const SourceFrame& frame : rest.frames)
      ASSERT_EQ(frame.pts, whole.frames[size_t(frame.index)].pts) << frame.index;
  }
  EXPECT_GT(skipped, 3);
}

INSTANTIATE_TEST_SUITE_P(
    Files, SkipTest,
    ::testing::Values(SkipCase{"H264InMatroska", "a.mkv", "-c:v libx264 -bf 3 -g 20"},
                      SkipCase{"H264InMp4", "a.mp4", "-c:v libx264 -bf 3 -g 20"},
                      SkipCase{"H264InTransportStream", "a.ts", "-c:v libx264 -bf 2 -g 20"},
                      SkipCase{"OpenGroupsOfHevc", "b.mkv",
                               "-c:v libx265 -x265-params log-level=none:keyint=20:open-gop=1:bframes=3"},
                      SkipCase{"Mpeg2InTransportStream", "b.ts", "-c:v mpeg2video -bf 2 -g 12"},
                      SkipCase{"Lossless", "c.mkv", "-c:v ffv1 -g 10"}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(Skip, WhatCannotBeCountedIsNotSkippedTo) {
  const TestFolder folder;
  const std::string path = make_clip(
      folder, "a.ts", "-f lavfi -i testsrc2=size=64x48:rate=25 -frames:v 200 -c:v mpeg2video -bf 2 -g 12");
  std::string bytes = read_file(path);
  // The file begins in the middle of a group of pictures, so its first pictures refer to missing
  // ones.
  write_file(folder.path("cut.ts"), bytes.substr(188 * 60));
  const auto cut = open_source(folder.path("cut.ts"), {.hardware = false}).value();
  EXPECT_FALSE(cut->frame_times({.frames = kFrames})->has_value());
  // Packets are lost, which the counters in the packet headers show.
  bytes.erase(bytes.size() / 188 / 2 * 188, 188 * 7);
  write_file(folder.path("lost.ts"), bytes);
  const auto lost = open_source(folder.path("lost.ts"), {.hardware = false}).value();
  EXPECT_FALSE(lost->frame_times({.frames = kFrames})->has_value());
  EXPECT_TRUE(lost->frame_times({.frames = 10})->has_value()) << "what comes before is whole";
  // Not every picture of a program stream has its own time.
  const std::string program = make_clip(
      folder, "b.mpg", "-f lavfi -i testsrc2=size=64x48:rate=25 -frames:v 200 -c:v mpeg2video -bf 2 -g 12");
  const auto untimed = open_source(program, {.hardware = false}).value();
  EXPECT_FALSE(untimed->frame_times({.frames = kFrames})->has_value());
}

// The times are those of another file, so no frame has them.
TEST(Skip, AfterTimesThatAreWrongTheSourceIsAtItsStart) {
  const TestFolder folder;
  const std::string path = make_clip(
      folder, "a.mkv", "-f lavfi -i testsrc2=size=64x48:rate=25 -frames:v 200 -c:v libx264 -bf 3 -g 20");
  const Decoded whole = decode_all(**open_source(path, {.hardware = false}));
  const auto source = open_source(path, {.hardware = false}).value();
  FrameTimes times = **source->frame_times({.frames = kFrames});
  for (size_t i = 100; i < times.pts.size(); i++) times.pts[i] += 7;
  const auto is_there = source->skip_to(150, times);
  ASSERT_THAT(is_there, IsOk());
  EXPECT_FALSE(*is_there);
  EXPECT_EQ(decode_all(*source).hashes, whole.hashes);
}

}  // namespace
}  // namespace weft::media
