// SPDX-License-Identifier: Apache-2.0
// Tests static HDR metadata from input to output, as ffprobe reads it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/media/read/probe/probe.h"
#include "server/media/write/output_check.h"
#include "tests/server/media/clips.h"

namespace weft::media {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr int kFrames = 6;

std::string make_hdr(const TestFolder& folder, const std::string& name, const std::string& more = "") {
  return make_clip(
      folder, name,
      "-f lavfi -i testsrc2=size=96x64:rate=25 -frames:v 6 -pix_fmt yuv420p10le -color_primaries bt2020 "
      "-color_trc smpte2084 -colorspace bt2020nc -c:v libx265 -x265-params \"log-level=none" +
          more + "\"");
}

const std::string kDisplay =
    ":master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50)";
const std::string kLight = ":max-cll=1000,400";

std::string transcode(const TestFolder& folder, const std::string& input, const std::string& name,
                      const std::string& encoder) {
  const auto segments = encode_segments(input, {.encoder = encoder}, 3, folder.path(name + "-"));
  EXPECT_THAT(segments, IsOk());
  const std::string output = folder.path(name);
  EXPECT_THAT(finish_file(input, *segments, output, kFrames), IsOk());
  return output;
}

// Returns lines "key=value" with numbers as ffprobe writes them.
std::string of_stream(const std::string& path) {
  return run("ffprobe -v error -of flat -select_streams v -show_entries stream_side_data '" + path + "'");
}
std::string of_first_frame(const std::string& path) {
  return run(
      "ffprobe -v error -of flat -select_streams v -read_intervals %+#1 -show_entries frame_side_data '" +
      path + "'");
}

double number_of(const std::string& text, const std::string& key) {
  const size_t at = text.find("." + key + "=");
  if (at == std::string::npos) return -1;
  std::string value = text.substr(at + key.size() + 2, text.find('\n', at) - at - key.size() - 2);
  std::erase(value, '"');
  const size_t slash = value.find('/');
  return slash == std::string::npos ? std::stod(value)
                                    : std::stod(value.substr(0, slash)) / std::stod(value.substr(slash + 1));
}

void expect_all(const std::string& text, const std::string& what) {
  EXPECT_NEAR(number_of(text, "red_x"), 0.68, 1e-4) << what << "\n" << text;
  EXPECT_NEAR(number_of(text, "red_y"), 0.32, 1e-4) << what;
  EXPECT_NEAR(number_of(text, "green_x"), 0.265, 1e-4) << what;
  EXPECT_NEAR(number_of(text, "green_y"), 0.69, 1e-4) << what;
  EXPECT_NEAR(number_of(text, "blue_x"), 0.15, 1e-4) << what;
  EXPECT_NEAR(number_of(text, "blue_y"), 0.06, 1e-4) << what;
  EXPECT_NEAR(number_of(text, "white_point_x"), 0.3127, 1e-4) << what;
  EXPECT_NEAR(number_of(text, "white_point_y"), 0.329, 1e-4) << what;
  EXPECT_NEAR(number_of(text, "max_luminance"), 1000, 0.1) << what;
  EXPECT_NEAR(number_of(text, "min_luminance"), 0.005, 1e-4) << what;
  EXPECT_EQ(number_of(text, "max_content"), 1000) << what;
  EXPECT_EQ(number_of(text, "max_average"), 400) << what;
}

TEST(Hdr10, IsReadFromTheFirstFrame) {
  const TestFolder folder;
  const auto info = probe(make_hdr(folder, "in.ts", kDisplay + kLight));
  ASSERT_THAT(info, IsOk());
  const Hdr10& hdr10 = info->video.hdr10;
  EXPECT_TRUE(hdr10.has_display_colours);
  EXPECT_EQ(hdr10.chromaticities[0].value(), 0.68);
  EXPECT_EQ(hdr10.chromaticities[7].value(), 0.329);
  EXPECT_TRUE(hdr10.has_display_light);
  EXPECT_EQ(hdr10.brightest.value(), 1000);
  EXPECT_EQ(hdr10.brightest_pixel, 1000);
  EXPECT_EQ(hdr10.brightest_frame, 400);
  EXPECT_FALSE(probe(make_hdr(folder, "plain.ts"))->video.hdr10.known());
}

TEST(Hdr10, StandsInTheContainer) {
  const TestFolder folder;
  const std::string input = make_hdr(folder, "in.ts", kDisplay + kLight);
  for (const auto& [name, encoder] : {std::pair("a.mkv", "ffv1"), std::pair("b.mp4", "x265"),
                                      std::pair("c.mov", "x264"), std::pair("d.webm", "svt-av1")}) {
    const std::string output = transcode(folder, input, name, encoder);
    expect_all(of_stream(output), name);
    EXPECT_EQ(probe(output)->video.hdr10.brightest_pixel, 1000);
    EXPECT_EQ(hdr10_note(name, encoder, output_like(*probe(input))), "");
  }
}

// These containers have no HDR metadata of their own. FFmpeg 5.1 reads only the messages of H.265.
TEST(Hdr10, StandsInTheStreamOfEncodersThatSayIt) {
  const TestFolder folder;
  const std::string input = make_hdr(folder, "in.mkv", kDisplay + kLight);
  expect_all(of_first_frame(transcode(folder, input, "a.ts", "x265")), "x265");
  const auto headers = [&](const std::string& name, const std::string& encoder) {
    return run("ffmpeg -nostdin -v trace -i '" + transcode(folder, input, name, encoder) +
               "' -c copy -bsf:v trace_headers -f null - 2>&1 | "
               "grep -E 'luminance_max|max_display_mastering_luminance|max_cll|max_content_light_level' | "
               "sed -E 's/.* ([a-z_]+) .* = /\\1=/' | sort -u");
  };
  EXPECT_EQ(headers("b.ts", "x264"),
            "max_content_light_level=1000\nmax_display_mastering_luminance=10000000\n");
  EXPECT_EQ(headers("c.nut", "svt-av1"), "luminance_max=256000\nmax_cll=1000\n") << "in 1/256 cd/m2";
}

TEST(Hdr10, KnowsLightAlone) {
  const TestFolder folder;
  const std::string input = make_hdr(folder, "in.ts", kLight);
  const std::string text = of_stream(transcode(folder, input, "a.mkv", "x265"));
  EXPECT_EQ(number_of(text, "max_content"), 1000);
  EXPECT_EQ(number_of(text, "red_x"), -1);
}

// The user's options are applied last.
TEST(Hdr10, GivesWayToTheOptionsOfTheEncoder) {
  const TestFolder folder;
  const std::string input = make_hdr(folder, "in.ts", kDisplay + kLight);
  const auto segments = encode_segments(
      input, {.encoder = "x265", .options = {{"x265-params", "max-cll=777,111"}}}, 0, folder.path("s"));
  ASSERT_THAT(segments, IsOk());
  const std::string output = folder.path("out.ts");
  ASSERT_THAT(finish_file(input, *segments, output, kFrames), IsOk());
  const std::string text = of_first_frame(output);
  EXPECT_EQ(number_of(text, "max_content"), 777);
  EXPECT_NEAR(number_of(text, "max_luminance"), 1000, 0.1);
}

TEST(Hdr10, IsSaidToBeLostWhereNothingHoldsIt) {
  OutputVideo video;
  video.hdr10.brightest_pixel = 1000;
  EXPECT_THAT(hdr10_note("out.avi", "ffv1", video), HasSubstr("neither ffv1 nor avi holds it"));
  EXPECT_THAT(hdr10_note("out.y4m", "raw", video), HasSubstr("neither raw nor y4m holds it"));
  EXPECT_EQ(hdr10_note("out.ts", "x265", video), "");
  EXPECT_EQ(hdr10_note("out.mkv", "ffv1", video), "");
  EXPECT_EQ(hdr10_note("out.avi", "ffv1", {}), "");
}

// Returns an H.265 stream with an HDR10+ message (SMPTE ST 2094-40 in ITU-T T.35) before its first
// picture.
std::string with_hdr10_plus(const std::string& stream) {
  std::string message = {'\x4e', '\x01', '\x04'};  // SEI message of registered user data
  // one window
  std::string data = {'\xb5', '\x00', '\x3c', '\x00', '\x01', '\x04', '\x01', '\x40'};
  data.append(15, '\0');
  message += char(data.size());
  message += data;
  message += '\x80';
  std::string unit = {'\0', '\0', '\0', '\x01'};
  int zeros = 0;
  for (const char byte : message) {
    if (zeros == 2 && uint8_t(byte) <= 3) {
      unit += '\x03';
      zeros = 0;
    }
    zeros = byte == 0 ? zeros + 1 : 0;
    unit += byte;
  }
  // The position is before the first slice of a picture (NAL unit types below 32).
  size_t at = stream.find(std::string("\0\0\1", 3));
  while (at != std::string::npos && ((uint8_t(stream[at + 3]) >> 1) & 63) >= 32)
    at = stream.find(std::string("\0\0\1", 3), at + 3);
  if (at == std::string::npos) return "";
  return stream.substr(0, at) + unit.substr(1) + stream.substr(at);
}

std::vector<std::string> notes_of_decoding(const std::string& path) {
  auto source = open_source(path);
  EXPECT_THAT(source, IsOk());
  while (true) {
    const auto frame = (*source)->next();
    EXPECT_THAT(frame, IsOk());
    if (!frame.ok() || !frame->has_value()) return (*source)->notes();
  }
}

TEST(Hdr10, WhatChangesFromFrameToFrameIsSaidToBeLeftOut) {
  const TestFolder folder;
  const std::string plain = make_hdr(folder, "plain.hevc", kDisplay);
  const std::string dynamic = folder.path("dynamic.hevc");
  write_file(dynamic, with_hdr10_plus(read_file(plain)));
  EXPECT_THAT(run("ffprobe -v error -show_entries frame_side_data '" + dynamic + "'"), HasSubstr("HDR10+"));
  EXPECT_THAT(notes_of_decoding(dynamic), Contains(HasSubstr("The HDR10+ metadata")));
  EXPECT_THAT(notes_of_decoding(plain), Not(Contains(HasSubstr("metadata"))));
}

}  // namespace
}  // namespace weft::media
