// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/media/write/output_check.h"

namespace weft::media {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

MediaInfo info_with(const std::vector<StreamInfo>& others) {
  MediaInfo info;
  info.others = others;
  return info;
}

TEST(CheckOutput, NamesTheStreamAndTheContainersThatCan) {
  const MediaInfo srt = info_with({{.stream = 2, .kind = StreamKind::kSubtitle, .codec = "subrip"}});
  EXPECT_THAT(check_output("a.mkv", "x264", srt), IsOk());
  EXPECT_THAT(check_output("a.mp4", "x264", srt, {.unsupported = Unsupported::kRefuse}),
              StatusIs(StatusCode::kInvalidArgument, "subtitle stream 2 (subrip); use mkv"));
  const MediaInfo klv = info_with({{.stream = 1, .kind = StreamKind::kData, .codec = "klv"}});
  EXPECT_THAT(check_output("a.mkv", "x264", klv, {.unsupported = Unsupported::kRefuse}),
              StatusIs(StatusCode::kInvalidArgument, "data stream 1 (klv)"));
  const MediaInfo audio = info_with({{.stream = 1, .kind = StreamKind::kAudio, .codec = "pcm_s16le"}});
  EXPECT_THAT(check_output("a.mp4", "x264", audio),
              StatusIs(StatusCode::kInvalidArgument, "audio stream 1 (pcm_s16le); use mkv, mov"));
  EXPECT_THAT(check_output("a.mp4", "ffv1", audio),
              StatusIs(StatusCode::kInvalidArgument, "use mkv, avi, nut"));
  EXPECT_THAT(check_output("a.xyz", "x264", audio), StatusIs(StatusCode::kInvalidArgument, "xyz"));
  EXPECT_THAT(check_output("folder.mkv/a", "x264", audio), StatusIs(StatusCode::kInvalidArgument, "none"));
  EXPECT_THAT(check_output("a.y4m", "x264", audio), StatusIs(StatusCode::kInvalidArgument, "use mkv"));
  EXPECT_THAT(check_output("a.mkv", "raw", audio), StatusIs(StatusCode::kInvalidArgument, "use y4m"));
  EXPECT_THAT(check_output("whatever", "null", audio), IsOk());
}

TEST(CheckOutput, LeavesOutWithANote) {
  const MediaInfo info =
      info_with({{.stream = 1, .kind = StreamKind::kAudio, .codec = "aac"},
                 {.stream = 2, .kind = StreamKind::kAttachment, .codec = "ttf"},
                 {.stream = 3, .kind = StreamKind::kData, .codec = "klv"},
                 {.stream = 5, .kind = StreamKind::kSubtitle, .codec = "dvb_teletext"},
                 {.stream = 4, .kind = StreamKind::kAudio, .codec = "mp2", .other_programme = "2 (96x64)"}});
  const auto mp4 = check_output("A.MP4", "x264", info);
  ASSERT_THAT(mp4, IsOk());
  EXPECT_THAT(mp4->copied, ElementsAre(1));
  EXPECT_THAT(
      mp4->notes,
      ElementsAre(
          "The streams of other programmes are left out: 2 (96x64); --programme takes one of these instead.",
          HasSubstr("attachment stream 2 (ttf)"), HasSubstr("data stream 3"),
          HasSubstr("subtitle stream 5 (dvb_teletext) is left out: mp4 does not hold it, ts, nut would")));
  const auto y4m = check_output("a.y4m", "raw", info);
  ASSERT_THAT(y4m, IsOk());
  EXPECT_EQ(y4m->notes.size(), 5u);
}

TEST(CheckOutput, SaysWhyAStreamIsNotForTheContainer) {
  MediaInfo info =
      info_with({{.stream = 1, .kind = StreamKind::kVideo, .codec = "hevc"},
                 {.stream = 2, .kind = StreamKind::kAudio, .codec = "mp3", .no_format = true, .packets = 0},
                 {.stream = 3, .kind = StreamKind::kData, .codec = "tmcd", .timecode = true}});
  const auto notes = [&](const char* name) {
    const auto plan = check_output(name, "x264", info);
    EXPECT_THAT(plan, IsOk());
    EXPECT_TRUE(plan->copied.empty());
    return plan->notes;
  };
  const auto second = "The second video stream 1 (hevc) is left out: a job's output has one video stream.";
  const auto silent = "The audio stream 2 (mp3) is left out: it has no packet.";
  EXPECT_THAT(notes("a.mov"),
              ElementsAre(second, silent, HasSubstr("(tmcd) is left out: mov gets a new timecode track")));
  EXPECT_THAT(notes("a.mkv"), ElementsAre(second, silent, HasSubstr("its start is kept as a tag")));
  EXPECT_THAT(notes("a.ts"), ElementsAre(second, silent, HasSubstr("ts does not hold it")));
  EXPECT_THAT(check_output("a.ts", "x264", info, {.unsupported = Unsupported::kRefuse}),
              StatusIs(StatusCode::kInvalidArgument, "second video stream 1"));
  info.others.erase(info.others.begin());
  EXPECT_THAT(check_output("a.ts", "x264", info, {.unsupported = Unsupported::kRefuse}),
              StatusIs(StatusCode::kInvalidArgument, "data stream 3 (tmcd)"));
}

TEST(EncoderFor, GoesByTheExtension) {
  EXPECT_EQ(encoder_for("a.y4m"), "raw");
  EXPECT_EQ(encoder_for("a.webm"), "svt-av1");
  EXPECT_EQ(encoder_for("a.mkv"), "x264");
}

}  // namespace
}  // namespace weft::media
