// SPDX-License-Identifier: Apache-2.0
// Tests streams that begin after the probed start of a file: they are copied, noted or refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/media/read/probe/probe.h"
#include "server/media/write/muxer.h"
#include "tests/server/media/clips.h"

namespace weft::media {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr int kFirstSeconds = 12, kBroadcastFrames = (kFirstSeconds + 2) * 25;
const std::string kBroadcastPicture = "-f lavfi -i testsrc2=size=64x64:rate=25 ";
const std::string kSecondPicture = "-f lavfi -i testsrc2=size=32x32:rate=25 ";
const std::string kBroadcastAudio = "-f lavfi -i sine=frequency=440:sample_rate=48000 ";

class LateStreams : public testing::Test {
 protected:
  // Makes a video with the streams of `first`, and after 2 s with those of `second`, as a broadcast
  // declares them.
  std::string broadcast(const std::string& first, const std::string& second) {
    const std::string begin =
        make_clip(folder_, "begin.ts", kBroadcastPicture + first + fmt::format(" -t {} ", kFirstSeconds));
    const std::string end = make_clip(folder_, "end.ts",
                                      kBroadcastPicture + second +
                                          fmt::format(" -t 2 -output_ts_offset {} -mpegts_flags "
                                                      "initial_discontinuity -tables_version 1",
                                                      kFirstSeconds));
    write_file(folder_.path("in.ts"), read_file(begin) + read_file(end));
    return folder_.path("in.ts");
  }
  StatusOr<FinishResult> write(const std::string& input, const std::string& name,
                               Unsupported unsupported = Unsupported::kDrop) {
    const bool is_webm = name.ends_with("webm"), is_y4m = name.ends_with("y4m");
    EncoderSettings settings{.encoder = is_webm ? "svt-av1" : is_y4m ? "raw" : "x264"};
    if (is_webm) settings.options = {{"preset", "12"}};
    ASSIGN_OR_RETURN(const auto segments, encode_segments(input, settings, 0, folder_.path(name + "-")));
    FinishRequest request{.segments = segments, .name = name, .output = {.name = folder_.path(name)}};
    ASSIGN_OR_RETURN(request.source, InputFile::open(input));
    request.choices.unsupported = unsupported;
    request.expected_frames = kBroadcastFrames;
    return finish(request);
  }

  TestFolder folder_;
};

TEST_F(LateStreams, BecomeTracks) {
  const std::string input =
      broadcast(kBroadcastAudio + "-c:v mpeg2video -c:a mp2",
                kBroadcastAudio + "-map 0 -map 1 -map 1 -c:v mpeg2video -c:a:0 mp2 -c:a:1 ac3");
  for (const std::string name : {"a.mkv", "a.mp4", "a.ts"}) {
    const auto result = write(input, name, Unsupported::kRefuse);
    ASSERT_THAT(result, IsOk()) << name;
    EXPECT_THAT(result->notes, Not(testing::Contains(HasSubstr("left out")))) << name;
    EXPECT_THAT(ffprobe(folder_.path(name),
                        "-probesize 100M -analyzeduration 100M -select_streams a:1 -show_entries "
                        "stream=codec_name,sample_rate,channels"),
                testing::Contains("ac3,48000,1"));
    const auto times = ffprobe(folder_.path(name), "-select_streams a:1 -show_entries packet=pts_time");
    ASSERT_NEAR(double(times.size()), 2 / 0.032, 2) << name;
    const double start = name == "a.ts" ? 1.4 : 0;
    EXPECT_NEAR(std::stod(times.front()), start + kFirstSeconds, 0.1) << name;
  }
}

TEST_F(LateStreams, AreNotedWithTheirBeginWhereTheContainerDoesNotHoldThem) {
  const std::string input = broadcast(
      "-c:v mpeg2video", kSecondPicture + kBroadcastAudio + "-map 0 -map 1 -map 2 -c:v mpeg2video -c:a ac3");
  const auto webm = write(input, "a.webm");
  ASSERT_THAT(webm, IsOk());
  EXPECT_THAT(webm->notes,
              testing::UnorderedElementsAre(
                  HasSubstr("The second video stream 1 (mpeg2video)"),
                  testing::MatchesRegex("The audio stream 2 \\(ac3\\), which begins at 1[12].* s \\(packets: "
                                        "6.\\), is left out: webm does not hold it, mkv, mp4, nut would.")));
  const auto y4m = write(input, "a.y4m");
  ASSERT_THAT(y4m, IsOk());
  EXPECT_THAT(y4m->notes, testing::Contains(HasSubstr("(packets: 6")));
  EXPECT_THAT(write(input, "b.webm", Unsupported::kRefuse),
              StatusIs(StatusCode::kInvalidArgument, "second video stream 1"));
}

// The stream is declared from the start on, but has no packets for a while.
TEST_F(LateStreams, OfWhichTheStartOfTheFileTellsNoFormatBecomeTracks) {
  const std::string input =
      make_clip(folder_, "in.ts",
                kBroadcastPicture + fmt::format("-itsoffset {} ", kFirstSeconds) + kBroadcastAudio +
                    "-t 14 -max_interleave_delta 1 -c:v mpeg2video -c:a mp2");
  ASSERT_TRUE(probe(input)->others.at(0).no_format);
  const auto result = write(input, "a.mkv");
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(result->notes, IsEmpty());
  EXPECT_THAT(ffprobe(folder_.path("a.mkv"), "-select_streams a -show_entries stream=codec_name,channels"),
              ElementsAre("mp2,1"));
}

TEST_F(LateStreams, AreFoundByReadingTheWholeFile) {
  const std::string input = broadcast("-c:v mpeg2video", kBroadcastAudio + "-c:v mpeg2video -c:a ac3");
  EXPECT_TRUE(probe(input)->may_gain_streams);
  const auto streams = probe_streams(*InputFile::open(input), 0, {});
  ASSERT_THAT(streams, IsOk());
  ASSERT_EQ(streams->size(), 1u);
  EXPECT_TRUE(streams->at(0).late);
  EXPECT_EQ(streams->at(0).codec, "ac3");
  EXPECT_NEAR(double(streams->at(0).packets), 2 / 0.032, 2);
  EXPECT_NEAR(std::chrono::duration<double>(streams->at(0).begin).count(), kFirstSeconds, 0.1);
  EXPECT_THAT(probe_streams(*InputFile::open(input), 0, [] { return cancelled("Enough."); }),
              StatusIs(StatusCode::kCancelled));
}

}  // namespace
}  // namespace weft::media
