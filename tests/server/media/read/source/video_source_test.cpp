// SPDX-License-Identifier: Apache-2.0
#include "server/media/read/source/video_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/media/clips.h"

namespace weft::media {
namespace {

// Returns ffmpeg arguments for moving pictures at the field rate, woven into interlaced frames.
std::string interlaced(const std::string& size, int frames, const std::string& mode = "interleave_top") {
  return "-f lavfi -i testsrc2=size=" + size + ":rate=50,format=yuv420p,tinterlace=" + mode + " -frames:v " +
         std::to_string(frames);
}

struct ClipCase {
  std::string name;
  std::string arguments;
  std::string pixel_format;  // pixel format for ffmpeg's output
};

class DecodesAsFfmpeg : public testing::TestWithParam<ClipCase> {};

TEST_P(DecodesAsFfmpeg, EveryFrame) {
  const TestFolder folder;
  const ClipCase& clip = GetParam();
  const std::string path = make_clip(folder, clip.name, clip.arguments);
  const auto source = open_source(path);
  ASSERT_THAT(source, IsOk());
  const Decoded decoded = decode_all(**source);
  const auto expected = hashes_by_ffmpeg(path, (*source)->info().video.format, clip.pixel_format);
  EXPECT_GT(expected.size(), 5u);
  EXPECT_EQ(decoded.hashes, expected);
  for (size_t i = 0; i < decoded.frames.size(); i++) {
    EXPECT_EQ(decoded.frames[i].index, int64_t(i));
    EXPECT_GE(decoded.frames[i].duration, 1);
    EXPECT_TRUE(i == 0 || decoded.frames[i].pts > decoded.frames[i - 1].pts) << i;
  }
  EXPECT_EQ((*source)->counters().corrupt_packets, 0);
  EXPECT_EQ((*source)->counters().frames, int64_t(expected.size()));
}

const std::string kPattern = "-f lavfi -i testsrc2=size=70x50:rate=25 -frames:v 12 ";

INSTANTIATE_TEST_SUITE_P(
    Formats, DecodesAsFfmpeg,
    testing::Values(
        ClipCase{"a.ts", interlaced("352x288", 40) + " -c:v mpeg2video -flags +ildct+ilme -bf 2 -g 12",
                 "yuv420p"},
        ClipCase{"b.mkv", interlaced("320x240", 40) + " -c:v libx264 -flags +ildct -bf 3 -g 12", "yuv420p"},
        ClipCase{"c.mp4", kPattern + "-c:v libx265 -x265-params log-level=none -pix_fmt yuv420p10le",
                 "yuv420p10le"},
        ClipCase{"gray.mkv", kPattern + "-c:v ffv1 -pix_fmt gray", "gray"},
        ClipCase{"gray16.mkv", kPattern + "-c:v ffv1 -pix_fmt gray16le", "gray16le"},
        ClipCase{"p9.mkv", kPattern + "-c:v ffv1 -pix_fmt yuv444p9le", "yuv444p9le"},
        ClipCase{"p14.mkv", kPattern + "-c:v ffv1 -pix_fmt yuv422p14le", "yuv422p14le"},
        ClipCase{"p16.mkv", kPattern + "-c:v ffv1 -pix_fmt yuv444p16le", "yuv444p16le"},
        ClipCase{"full.mov", kPattern + "-c:v mjpeg -pix_fmt yuvj422p", "yuvj422p"},
        ClipCase{"nv12.nut", kPattern + "-c:v rawvideo -pix_fmt nv12", "yuv420p"},
        ClipCase{"nv21.nut", kPattern + "-c:v rawvideo -pix_fmt nv21", "yuv420p"},
        ClipCase{"uyvy.avi", kPattern + "-c:v rawvideo -pix_fmt uyvy422", "yuv422p"},
        ClipCase{"be.nut", kPattern + "-c:v rawvideo -pix_fmt yuv420p10be", "yuv420p10le"},
        ClipCase{"odd.y4m", "-f lavfi -i testsrc2=size=71x51:rate=25 -frames:v 9 -pix_fmt yuv420p",
                 "yuv420p"},
        ClipCase{
            "ntsc.dv",
            "-f lavfi -i testsrc2=size=720x480:rate=30000/1001 -frames:v 9 -c:v dvvideo -pix_fmt yuv411p",
            "yuv411p"},
        ClipCase{"p410.mkv", kPattern + "-c:v ffv1 -pix_fmt yuv410p", "yuv410p"},
        ClipCase{"p440.mkv", kPattern + "-c:v ffv1 -pix_fmt yuv440p12le", "yuv440p12le"},
        // Filters of ffmpeg would blend the picture with a background, so the planes are extracted
        // one by one.
        ClipCase{"alpha.mkv", kPattern + "-c:v ffv1 -pix_fmt yuva422p10le", "yuv422p10le"},
        ClipCase{"grayalpha.mkv", kPattern + "-c:v ffv1 -pix_fmt ya8", "gray"},
        ClipCase{"prores.mov", kPattern + "-c:v prores_ks -pix_fmt yuv422p10le", "yuv422p10le"}),
    [](const auto& test) { return test.param.name.substr(0, test.param.name.find('.')); });

TEST(VideoSource, TellsFieldsOfEachFrame) {
  const TestFolder folder;
  for (const bool top : {true, false}) {
    const std::string path =
        make_clip(folder, "i.ts",
                  interlaced("176x144", 20, top ? "interleave_top" : "interleave_bottom") +
                      " -c:v mpeg2video -flags +ildct+ilme -top " + (top ? "1" : "0"));
    const auto source = open_source(path);
    ASSERT_THAT(source, IsOk());
    EXPECT_EQ((*source)->info().video.field_order, top ? ScanOrder::kTopFirst : ScanOrder::kBottomFirst);
    for (const SourceFrame& frame : decode_all(**source).frames) {
      EXPECT_TRUE(frame.interlaced);
      EXPECT_EQ(frame.top_field_first, top);
    }
  }
}

// An HEVC stream codes each field as a picture.
TEST(VideoSource, WeavesFieldsThatArePictures) {
  const TestFolder folder;
  for (const std::string order : {"top", "bottom"}) {
    for (const std::string container : {"ts", "mkv"}) {
      const std::string path =
          make_clip(folder, order + "." + container,
                    interlaced("176x144", 60, "interleave_" + order + ",separatefields") +
                        " -c:v libx265 "
                        "-x265-params log-level=none:keyint=15:bframes=3:interlace=" +
                        (order == "top" ? "tff" : "bff"));
      SCOPED_TRACE(path);
      const auto source = open_source(path);
      ASSERT_THAT(source, IsOk());
      const VideoInfo& video = (*source)->info().video;
      EXPECT_EQ(video.format.height, 144);
      EXPECT_EQ(video.frame_rate, (Ratio{25, 1}));
      EXPECT_EQ(video.field_order, order == "top" ? ScanOrder::kTopFirst : ScanOrder::kBottomFirst);
      EXPECT_NEAR(double(video.frames), 30, 1);
      const Decoded decoded = decode_all(**source);
      EXPECT_EQ(decoded.hashes, hashes_by_ffmpeg(path, video.format, "yuv420p", "weave=" + order));
      ASSERT_EQ(decoded.frames.size(), 30u);
      const auto times = ffprobe(path, "-select_streams v -show_entries frame=pts");
      for (const SourceFrame& frame : decoded.frames) {
        EXPECT_TRUE(frame.interlaced);
        EXPECT_EQ(frame.top_field_first, order == "top");
        EXPECT_EQ(std::to_string(frame.pts), times[2 * size_t(frame.index)]);
        EXPECT_EQ(frame.duration, container == "ts" ? 3600 : 40);
      }
      EXPECT_THAT((*source)->notes(), testing::ElementsAre(testing::HasSubstr("two are woven to a frame")));
    }
  }
}

TEST(VideoSource, DoublesAFieldWhosePartnerIsLost) {
  const TestFolder folder;
  const std::string whole = make_clip(
      folder, "whole.mkv",
      interlaced("176x144", 60, "interleave_top,separatefields") +
          " -c:v libx265 "
          "-x265-params log-level=none:keyint=30:bframes=3:b-adapt=0:b-pyramid=0:open-gop=0:interlace=tff");
  // The file lacks a picture that no other picture refers to.
  const std::string path =
      make_clip(folder, "lost.mkv", "-i '" + whole + "' -c copy -bsf:v 'noise=drop=not(n-7)'");
  const auto source = open_source(path);
  ASSERT_THAT(source, IsOk());
  const Decoded decoded = decode_all(**source);
  const Decoded expected = decode_all(**open_source(whole));
  ASSERT_EQ(decoded.hashes.size(), expected.hashes.size());
  int other = 0;
  for (size_t i = 0; i < decoded.hashes.size(); i++) {
    other += decoded.hashes[i] != expected.hashes[i];
    EXPECT_EQ(decoded.frames[i].pts, expected.frames[i].pts) << i;
  }
  EXPECT_EQ(other, 1);
  EXPECT_THAT((*source)->notes(), testing::Contains(testing::HasSubstr("without their partner")));
}

TEST(VideoSource, GivesTheTimesThatFfprobeShows) {
  const TestFolder folder;
  const std::string path = make_clip(folder, "t.ts", interlaced("176x144", 30) + " -c:v libx264 -bf 2");
  const auto source = open_source(path);
  ASSERT_THAT(source, IsOk());
  std::vector<std::string> times;
  for (const SourceFrame& frame : decode_all(**source).frames) times.push_back(std::to_string(frame.pts));
  EXPECT_EQ(times, ffprobe(path, "-select_streams v -show_entries frame=pts"));
}

TEST(VideoSource, KeepsFramesAliveWithTheirOwner) {
  const TestFolder folder;
  const std::string path = make_clip(folder, "k.mkv", kPattern + "-c:v ffv1 -pix_fmt yuv420p");
  std::vector<SourceFrame> frames;
  {
    const auto source = open_source(path);
    ASSERT_THAT(source, IsOk());
    while (auto frame = *(*source)->next()) frames.push_back(*frame);
  }
  std::vector<uint64_t> hashes;
  for (const SourceFrame& frame : frames) hashes.push_back(hash_packed(frame.picture));
  EXPECT_EQ(hashes, hashes_by_ffmpeg(path, frames[0].picture.format, "yuv420p"));
}

TEST(VideoSource, TellsOfFieldsThatAreToBeShownAgain) {
  const TestFolder folder;
  const std::string path =
      make_clip(folder, "telecine.m2v",
                "-f lavfi -i testsrc2=size=64x48:rate=24000/1001 -frames:v 5 -c:v mpeg2video -g 1");
  // The bit is repeat_first_field of the third picture, in its picture coding extension (ISO/IEC
  // 13818-2, 6.2.3.1).
  std::string bytes = read_file(path);
  const std::string extension("\x00\x00\x01\xB5\x8F", 5);
  size_t at = 0;
  for (int picture = 0; picture < 3; picture++) at = bytes.find(extension, at + 1);
  ASSERT_NE(at, std::string::npos);
  bytes[at + 7] = char(bytes[at + 7] | 0x02);
  write_file(path, bytes);
  const auto source = open_source(path);
  ASSERT_THAT(source, IsOk());
  const std::vector<SourceFrame> frames = decode_all(**source).frames;
  ASSERT_EQ(frames.size(), 5u);
  for (size_t i = 0; i < 5; i++) EXPECT_EQ(frames[i].repeats_field, i == 2) << i;
}

TEST(VideoSource, RunsOnAcrossAJumpOfTheClock) {
  const TestFolder folder;
  const std::string arguments = interlaced("176x144", 25) + " -c:v mpeg2video -bf 2 -muxdelay 0 ";
  const std::string first = make_clip(folder, "1.ts", arguments + "-output_ts_offset 5000");
  const std::string second = make_clip(folder, "2.ts", arguments);
  const std::string both = folder.path("both.ts");
  write_file(both, read_file(first) + read_file(second));
  const auto source = open_source(both);
  ASSERT_THAT(source, IsOk());
  const std::vector<SourceFrame> frames = decode_all(**source).frames;
  ASSERT_GE(frames.size(), 48u);
  int jumps = 0;
  for (size_t i = 1; i < frames.size(); i++) {
    EXPECT_GT(frames[i].pts, frames[i - 1].pts);
    EXPECT_LE(frames[i].pts - frames[i - 1].pts, 90000 / 2) << i;
    if (frames[i].discontinuity) {
      EXPECT_EQ(frames.size() - i, 25u) << "the second clip";
    }
    jumps += frames[i].discontinuity;
  }
  EXPECT_EQ(jumps, 1);
}

class SmallJumpOfTheClock : public testing::TestWithParam<double> {};

TEST_P(SmallJumpOfTheClock, KeepsEvenSteps) {
  const TestFolder folder;
  const std::string arguments =
      interlaced("64x48", 300) + " -c:v mpeg2video -bf 2 -muxdelay 0 -output_ts_offset ";
  const std::string first = make_clip(folder, "1.ts", arguments + "20");
  const std::string second = make_clip(folder, "2.ts", arguments + std::to_string(32 - GetParam()));
  const std::string both = folder.path("both.ts");
  write_file(both, read_file(first) + read_file(second));
  const auto source = open_source(both);
  ASSERT_THAT(source, IsOk());
  const std::vector<SourceFrame> frames = decode_all(**source).frames;
  EXPECT_EQ(frames.size(), 600u);
  for (size_t i = 1; i < frames.size(); i++) {
    EXPECT_EQ(frames[i].pts - frames[i - 1].pts, 3600) << i;
    EXPECT_EQ(frames[i].discontinuity, i == 300) << i;
  }
  EXPECT_EQ((*source)->counters().repaired_timestamps, 0);
}

INSTANTIATE_TEST_SUITE_P(BackBySeconds, SmallJumpOfTheClock, testing::Values(0.2, 2, 9));

TEST(VideoSource, ConcealsAndCountsDamage) {
  const TestFolder folder;
  const std::string path =
      make_clip(folder, "d.ts", interlaced("352x288", 50) + " -c:v mpeg2video -b:v 4M -g 10");
  std::string bytes = read_file(path);
  for (size_t at = bytes.size() / 3; at < bytes.size() / 3 + 40 * 188; at += 188)
    bytes.replace(at + 20, 100, 100, '\x5a');
  write_file(path, bytes);
  const auto source = open_source(path);
  ASSERT_THAT(source, IsOk());
  const Decoded decoded = decode_all(**source);
  EXPECT_GE(decoded.frames.size(), 45u);
  EXPECT_GT((*source)->counters().corrupt_packets, 0);
}

TEST(VideoSource, RefusesAChangeOfSize) {
  const TestFolder folder;
  const std::string first =
      make_clip(folder, "1.ts", "-f lavfi -i testsrc2=size=176x144 -frames:v 20 -c:v mpeg2video");
  const std::string second =
      make_clip(folder, "2.ts", "-f lavfi -i testsrc2=size=352x288 -frames:v 20 -c:v mpeg2video");
  const std::string both = folder.path("both.ts");
  write_file(both, read_file(first) + read_file(second));
  const auto source = open_source(both);
  ASSERT_THAT(source, IsOk());
  Status status = ok_status();
  for (int i = 0; i < 60 && status.ok(); i++) status = (*source)->next().status();
  EXPECT_THAT(status, StatusIs(StatusCode::kInvalidArgument, "352x288"));
  EXPECT_EQ((*source)->next().status(), status);
}

TEST(VideoSource, UsesTheSoftwareWithANoteWhereThereIsNoNvdec) {
  const TestFolder folder;
  const auto source =
      open_source(make_clip(folder, "h.mp4", kPattern + "-c:v libx264 -pix_fmt yuv420p"), {.hardware = true});
  ASSERT_THAT(source, IsOk());
  EXPECT_GT(decode_all(**source).frames.size(), 0u);
  EXPECT_THAT((*source)->notes(),
              testing::Contains(testing::HasSubstr((*source)->hardware() ? "NVDEC decodes" : "CPU decodes")));
}

}  // namespace
}  // namespace weft::media
