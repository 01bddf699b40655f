// SPDX-License-Identifier: Apache-2.0
#include "server/media/write/common_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/media/write/video_encoder.h"
#include "tests/server/media/clips.h"

namespace weft::media {
namespace {

OutputVideo plain_output() {
  OutputVideo video;
  video.format = {.width = 176, .height = 96, .chroma = Chroma::k420, .bit_depth = 8};
  video.time_base = {1, 90000};
  video.frame_rate = {50, 1};
  return video;
}

// Each encoder accepts its options of the table.
TEST(CommonOptions, AreTakenByTheEncoders) {
  const struct {
    const char* encoder;
    CommonOption option;
    const char* text;
  } cases[] = {
      {"x264", CommonOption::kCrf, "0"},          {"x264", CommonOption::kCrf, "51"},
      {"x264", CommonOption::kCrf, "22.5"},       {"x265", CommonOption::kCrf, "0"},
      {"x265", CommonOption::kCrf, "51"},         {"svt-av1", CommonOption::kCrf, "1"},
      {"svt-av1", CommonOption::kCrf, "63"},      {"x264", CommonOption::kBitRate, "800"},
      {"x265", CommonOption::kBitRate, "800"},    {"svt-av1", CommonOption::kBitRate, "800"},
      {"x264", CommonOption::kPreset, "placebo"}, {"x265", CommonOption::kPreset, "ultrafast"},
      {"svt-av1", CommonOption::kPreset, "8"},    {"svt-av1", CommonOption::kPreset, "13"},
  };
  for (const auto& each : cases) {
    const auto value = common_value(each.encoder, each.option, each.text);
    ASSERT_THAT(value, IsOk());
    EXPECT_THAT(
        check_encoder({.encoder = each.encoder, .options = {{std::string(ffmpeg_key(each.option)), *value}}},
                      plain_output()),
        IsOk())
        << each.encoder << " " << each.text;
  }
}

TEST(CommonOptions, AreRefusedByEncodersWithoutThem) {
  const auto refused = [](const char* encoder, CommonOption option, const char* text, const char* message) {
    EXPECT_THAT(common_value(encoder, option, text), StatusIs(StatusCode::kInvalidArgument, message));
  };
  refused("ffv1", CommonOption::kCrf, "20",
          "The encoder ffv1 has no crf (20); leave it out, or use the encoder x264, x265 or svt-av1.");
  refused("raw", CommonOption::kBitRate, "800", "The encoder raw has no bit rate (800)");
  refused("null", CommonOption::kPreset, "slow", "The encoder null has no preset (slow)");
  refused("h264-nvenc", CommonOption::kCrf, "20",
          "The encoder h264-nvenc has no crf (20); use --bitrate, or --encoder-option cq=VALUE (1 to 51).");
  refused("x264", CommonOption::kCrf, "52", "The crf (52) is out of the range of x264 (0 to 51)");
  refused("svt-av1", CommonOption::kCrf, "0", "out of the range of svt-av1 (1 to 63)");
  refused("svt-av1", CommonOption::kCrf, "20.5", "The crf (20.5) of svt-av1 is not a whole number");
  refused("svt-av1", CommonOption::kPreset, "medium", "unknown to svt-av1; use one of 0, 1, 2");
  refused("hevc-nvenc", CommonOption::kPreset, "veryslow", "unknown to hevc-nvenc; use one of p1, p2");
}

TEST(CommonOptions, ConflictWithTheEncodersOwn) {
  const auto conflict = [](CommonOption option, const char* key, const char* value) {
    return check_conflict(option, "20", {{"g", "48"}, {key, value}});
  };
  EXPECT_THAT(conflict(CommonOption::kCrf, "crf", "18"),
              StatusIs(StatusCode::kInvalidArgument,
                       "The crf (20) and the option crf=18 exclude each other; leave one of them out."));
  EXPECT_THAT(conflict(CommonOption::kBitRate, "b:v", "5M"),
              StatusIs(StatusCode::kInvalidArgument, "b:v=5M"));
  EXPECT_THAT(conflict(CommonOption::kCrf, "qp", "18"), StatusIs(StatusCode::kInvalidArgument, "qp=18"));
  EXPECT_THAT(conflict(CommonOption::kCrf, "x264-params", "ref=2:crf=18"),
              StatusIs(StatusCode::kInvalidArgument, "x264-params=crf=18"));
  EXPECT_THAT(conflict(CommonOption::kPreset, "preset", "slow"), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(conflict(CommonOption::kBitRate, "maxrate", "8M"), IsOk());
  EXPECT_THAT(conflict(CommonOption::kBitRate, "cq", "20"), IsOk()) << "NVENC takes both";
  EXPECT_THAT(conflict(CommonOption::kPreset, "x264-params", "ref=2"), IsOk());
}

}  // namespace
}  // namespace weft::media
