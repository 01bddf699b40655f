// SPDX-License-Identifier: Apache-2.0
// Tests that a part of a video has its audio, subtitles, chapters and timecode, from the same time
// on.
#include "server/media/write/copied_part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/media/clips.h"

namespace weft::media {
namespace {

using testing::ElementsAre;

constexpr int kPartFrames = 10;
const std::string kMovingPicture = "-f lavfi -i testsrc2=size=64x48:rate=25 ";
const std::string kTone = "-f lavfi -i sine=frequency=440:sample_rate=48000 ";

class CopiedPartTest : public testing::Test {
 protected:
  // Writes the parts `first` to `last` of the input's frames, with the other streams of that time.
  std::string cut(const std::string& input, const std::string& name, size_t first, size_t last,
                  bool has_end = true) {
    const auto segments = encode_segments(input, {.encoder = name.ends_with("mkv") ? "ffv1" : "x264"},
                                          kPartFrames, folder_.path("piece-" + name));
    EXPECT_THAT(segments, IsOk());
    const Decoded frames = decode_all(**open_source(input, {.hardware = false}));
    FinishRequest request;
    request.segments = {segments->begin() + long(first), segments->begin() + long(last) + 1};
    request.source = InputFile::open(input).value();
    request.name = name;
    request.output = {.name = folder_.path(name)};
    request.expected_frames = int64_t(last - first + 1) * kPartFrames;
    request.part = {.first_frame = int64_t(first) * kPartFrames,
                    .begin = frames.frames.at(first * kPartFrames).pts,
                    .end = {}};
    if (has_end) request.part.end = frames.frames.at((last + 1) * kPartFrames).pts;
    EXPECT_THAT(finish(request), IsOk());
    return folder_.path(name);
  }
  std::vector<double> times(const std::string& path, const std::string& stream) {
    std::vector<double> times;
    for (const std::string& line :
         ffprobe(path, "-select_streams " + stream + " -show_entries packet=pts_time"))
      if (!line.empty()) times.push_back(std::stod(line));
    return times;
  }

  TestFolder folder_;
};

TEST_F(CopiedPartTest, AudioIsThePacketsThatBeginInIt) {
  const std::string early =
      make_clip(folder_, "in.mkv", kMovingPicture + kTone + "-t 4 -c:v ffv1 -pix_fmt yuv420p -c:a ac3");
  const std::string late = make_clip(
      folder_, "in.ts",
      kMovingPicture + kTone + "-t 4 -output_ts_offset 100 -c:v libx264 -bf 2 -pix_fmt yuv420p -c:a ac3");
  for (const std::string& input : {early, late}) {
    SCOPED_TRACE(input);
    const std::vector<double> pictures = times(input, "v:0"), all = times(input, "a:0");
    const double begin = *std::ranges::min_element(pictures) + 0.8, end = begin + 1.2;
    const std::string output = cut(input, "out.mkv", 2, 4);
    const std::vector<double> audio = times(output, "a:0");
    ASSERT_NEAR(double(audio.size()), 1.2 / 0.032, 1);
    EXPECT_EQ(times(output, "v:0").at(0), 0);
    size_t next = 0;
    for (const double time : all)
      if (time > begin - 0.0005 && time < end - 0.0005) {
        ASSERT_LT(next, audio.size());
        EXPECT_NEAR(audio[next++], time - begin, 0.0011);
      }
    EXPECT_EQ(next, audio.size());
    EXPECT_NEAR(std::stod(ffprobe(output, "-show_entries format=duration").at(0)), 1.2, 0.032);
  }
}

TEST_F(CopiedPartTest, WithoutAnEndAllThatFollowsIsCopied) {
  const std::string input = make_clip(folder_, "in.mkv",
                                      "-f lavfi -i testsrc2=size=64x48:rate=25:duration=2 " + kTone +
                                          "-t 3 -c:v ffv1 -pix_fmt yuv420p -c:a flac");
  EXPECT_NEAR(times(cut(input, "out.mkv", 3, 4, false), "a:0").back(), 3 - 1.2, 0.1);
}

TEST_F(CopiedPartTest, SubtitlesAndChaptersAreShortened) {
  write_file(
      folder_.path("s.srt"),
      "1\n00:00:00,100 --> 00:00:00,300\nbefore\n\n2\n00:00:00,500 --> 00:00:01,000\nacross the begin\n\n"
      "3\n00:00:01,100 --> 00:00:01,500\nwithin\n\n4\n00:00:01,600 --> 00:00:03,000\nacross the end\n\n"
      "5\n00:00:03,100 --> 00:00:03,500\nbehind\n");
  write_file(folder_.path("c.txt"),
             ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=700\ntitle=Before\n"
             "[CHAPTER]\nTIMEBASE=1/1000\nSTART=700\nEND=1000\ntitle=First\n"
             "[CHAPTER]\nTIMEBASE=1/1000\nSTART=1000\nEND=2500\ntitle=Second\n"
             "[CHAPTER]\nTIMEBASE=1/1000\nSTART=2500\nEND=4000\ntitle=Behind\n");
  const std::string input =
      make_clip(folder_, "in.mkv",
                kMovingPicture + "-i " + folder_.path("s.srt") + " -i " + folder_.path("c.txt") +
                    " -map 0 -map 1 -map_chapters 2 -t 4 -c:v ffv1 -pix_fmt yuv420p -c:s srt");
  const std::string output = cut(input, "out.mkv", 2, 4);  // from 0.8 s to 2 s
  EXPECT_THAT(ffprobe(output, "-select_streams s -show_entries packet=pts,duration"),
              ElementsAre("0,200", "300,400", "800,400"));
  EXPECT_THAT(ffprobe(output, "-show_entries chapter=start_time,end_time:chapter_tags=title"),
              ElementsAre("0.000000,0.200000,First", "0.200000,1.200000,Second"));
}

TEST_F(CopiedPartTest, TheTimecodeIsThatOfTheFirstFrame) {
  const std::string input = make_clip(
      folder_, "in.mov", kMovingPicture + "-t 4 -timecode 10:00:00:00 -c:v libx264 -pix_fmt yuv420p");
  EXPECT_THAT(ffprobe(cut(input, "out.mov", 3, 4), "-show_entries stream_tags=timecode"),
              ElementsAre("10:00:01:05", "10:00:01:05"));
  EXPECT_THAT(ffprobe(cut(input, "out.mkv", 3, 4), "-show_entries stream_tags=timecode"),
              ElementsAre("10:00:01:05"));
}

TEST_F(CopiedPartTest, CoversAndAttachmentsBelongToEveryPart) {
  write_file(folder_.path("font.ttf"), "not really a font");
  const std::string cover = make_clip(folder_, "cover.png", "-f lavfi -i testsrc=size=32x32 -frames:v 1");
  const std::string input = make_clip(
      folder_, "in.mkv",
      kMovingPicture + "-t 4 -c:v ffv1 -pix_fmt yuv420p -attach " + folder_.path("font.ttf") +
          " -metadata:s:t:0 mimetype=font/ttf -attach " + cover + " -metadata:s:t:1 mimetype=image/png");
  const auto streams = ffprobe(input, "-show_entries stream=codec_name");
  EXPECT_EQ(streams.size(), 3u);
  EXPECT_THAT(ffprobe(cut(input, "out.mkv", 2, 4), "-show_entries stream=codec_name"),
              testing::UnorderedElementsAreArray(streams));
}

}  // namespace
}  // namespace weft::media
