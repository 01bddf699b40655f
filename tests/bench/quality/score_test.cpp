// SPDX-License-Identifier: Apache-2.0
// Tests scores of clips against the ffmpeg program's filters psnr and ssim, and refused inputs.
#include "bench/quality/score.h"

#include <cmath>
#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/media/clips.h"

namespace weft::quality {
namespace {

using media::make_clip;
using media::TestFolder;

std::string source(const std::string& size, const std::string& filters, const std::string& format,
                   int frames = 16) {
  return fmt::format("-f lavfi -i testsrc2=size={}:rate=25,{} -frames:v {} -pix_fmt {} -c:v ffv1", size,
                     filters, frames, format);
}

// Returns the last line of the ffmpeg program's filter for the frames [begin, end) of both clips.
// The option -cpuflags 0 avoids its assembly for ssim (5.1, x86), which counts windows at the right
// edge twice if a row has 4n + 1 of them.
std::string line_of_ffmpeg(const std::string& filter, const std::string& truth, const std::string& output,
                           int begin, int end) {
  const std::string cut = fmt::format("trim=start_frame={}:end_frame={},setpts=PTS-STARTPTS", begin, end);
  const std::string said =
      media::run(fmt::format("ffmpeg -nostdin -hide_banner -nostats -cpuflags 0 -i '{}' -i '{}' -lavfi "
                             "'[0:v]{}[a];[1:v]{}[b];[a][b]{}' -f null - 2>&1",
                             output, truth, cut, cut, filter));
  const size_t at = said.rfind(filter == "psnr" ? "PSNR " : "SSIM ");
  return at == std::string::npos ? "" : said.substr(at);
}
double number_of(const std::string& line, const std::string& name) {
  const std::string mark = " " + name + ":";
  const size_t at = line.find(mark);
  return at == std::string::npos ? NAN : std::strtod(line.c_str() + at + mark.size(), nullptr);
}

class Formats : public testing::TestWithParam<const char*> {};

TEST_P(Formats, AgreeWithFfmpeg) {
  const TestFolder folder;
  const std::string format = GetParam();
  const std::string noise = fmt::format("noise=alls=8:all_seed=7,format={}", format);
  const std::string truth = make_clip(folder, "truth.mkv", source("106x70", noise, format));
  const std::string output = make_clip(
      folder, "output.mkv", fmt::format("-i '{}' -vf avgblur=1 -pix_fmt {} -c:v ffv1", truth, format));
  const auto score = score_clips(truth, output, {3});
  ASSERT_THAT(score, IsOk());
  EXPECT_EQ(score->frames, 10);
  EXPECT_EQ(score->shift, 0);
  const std::string psnr = line_of_ffmpeg("psnr", truth, output, 3, 13),
                    ssim = line_of_ffmpeg("ssim", truth, output, 3, 13);
  for (size_t i = 0; i < score->planes.size(); i++) {
    const std::string small(1, "yuv"[i]), large(1, "YUV"[i]);
    EXPECT_NEAR(score->planes[i].psnr, number_of(psnr, small), 0.0001) << psnr;
    EXPECT_NEAR(score->planes[i].ssim.value_or(0), number_of(ssim, large), 0.00002) << ssim;
    EXPECT_LT(score->planes[i].psnr, 60);  // the clips differ
  }
}
// yuv440p12 is missing, since ffmpeg's filters convert it.
INSTANTIATE_TEST_SUITE_P(Quality, Formats,
                         testing::Values("yuv420p", "yuv422p", "yuv444p", "yuv411p", "yuv440p", "yuv410p",
                                         "gray", "yuv420p9le", "yuv420p10le", "yuv422p10le", "yuv444p12le",
                                         "gray12le", "yuv420p14le", "yuv444p16le", "gray16le"));

TEST(Score, ClipsThatAreEqualArePerfect) {
  const TestFolder folder;
  const std::string clip = make_clip(folder, "a.mkv", source("128x96", "null", "yuv420p"));
  const auto score = score_clips(clip, clip, {});
  ASSERT_THAT(score, IsOk());
  for (const PlaneScore& plane : score->planes) {
    EXPECT_TRUE(std::isinf(plane.psnr));
    EXPECT_DOUBLE_EQ(plane.ssim.value(), 1);
  }
  EXPECT_EQ(score->flicker, 0);
  EXPECT_GT(score->still_share, 0);
  EXPECT_FALSE(score->worst.has_value());
  EXPECT_EQ(score->frames, 6);
}

TEST(Score, ShiftsAreFound) {
  const TestFolder folder;
  const std::string whole =
      make_clip(folder, "whole.mkv", source("128x96", "noise=alls=3:all_seed=7", "yuv420p", 24));
  const auto part = [&](int begin) {
    return make_clip(folder, fmt::format("{}.mkv", begin),
                     fmt::format("-i '{}' -vf trim=start_frame={}:end_frame={},setpts=PTS-STARTPTS -c:v ffv1",
                                 whole, begin, begin + 20));
  };
  const std::string truth = part(2);
  for (int shift = -2; shift <= 2; shift++) {
    const auto score = score_clips(truth, part(2 - shift), {});
    ASSERT_THAT(score, IsOk());
    EXPECT_EQ(score->shift, shift);
    EXPECT_TRUE(std::isinf(score->planes[0].psnr)) << shift;
    EXPECT_EQ(score->frames, 20 - std::abs(shift) - 10);
  }
}

TEST(Score, TheWorstRegionIsFound) {
  const TestFolder folder;
  const std::string truth = make_clip(folder, "a.mkv", source("320x240", "null", "yuv420p"));
  const std::string output = make_clip(
      folder, "b.mkv",
      fmt::format("-i '{}' -vf \"drawbox=x=128:y=64:w=96:h=96:color=gray:t=fill:enable='eq(n,8)'\" -c:v ffv1",
                  truth));
  const auto score = score_clips(truth, output, {});
  ASSERT_THAT(score, IsOk());
  ASSERT_TRUE(score->worst.has_value());
  EXPECT_EQ(score->worst->frame, 8);
  EXPECT_EQ(score->worst->x, 128);
  EXPECT_EQ(score->worst->y, 64);
  EXPECT_EQ(score->worst->width, kRegion);
  EXPECT_EQ(score->worst->height, kRegion);
  EXPECT_LT(score->worst->psnr, 30);
}

// The input is interlaced and made of a still picture.
TEST(Score, LineDoublingFlickers) {
  const TestFolder folder;
  const std::string still = "loop=loop=-1:size=1,setpts=N";
  const std::string truth = make_clip(folder, "a.mkv", source("320x240", still, "yuv420p", 20));
  const auto deinterlaced = [&](const std::string& name, const std::string& filter) {
    return make_clip(folder, name,
                     fmt::format("-i '{}' -vf tinterlace=interleave_top,{} -c:v ffv1", truth, filter));
  };
  const auto doubled =
      score_clips(truth, deinterlaced("doubled.mkv", "separatefields,scale=320:240:flags=neighbor"), {});
  const auto adaptive = score_clips(truth, deinterlaced("bwdif.mkv", "bwdif"), {});
  ASSERT_THAT(doubled, IsOk());
  ASSERT_THAT(adaptive, IsOk());
  EXPECT_EQ(doubled->still_share, 1);
  EXPECT_GT(doubled->flicker.value(), 5);
  EXPECT_LT(adaptive->flicker.value(), 0.5);
}

TEST(Score, WhatCannotBeComparedIsRefused) {
  const TestFolder folder;
  const std::string truth = make_clip(folder, "a.mkv", source("128x96", "null", "yuv420p"));
  const auto error = [&](const std::string& output, ScoreOptions options = {}) {
    return score_clips(truth, output, options).status();
  };
  EXPECT_THAT(error(make_clip(folder, "b.mkv", source("96x96", "null", "yuv420p"))),
              StatusIs(StatusCode::kInvalidArgument, "96x96, 4:2:0, 8 bits"));
  EXPECT_THAT(error(make_clip(folder, "c.mkv", source("128x96", "null", "yuv420p10le"))),
              StatusIs(StatusCode::kInvalidArgument, "10 bits"));
  EXPECT_THAT(error(make_clip(folder, "d.mkv", source("128x96", "null", "yuv422p"))),
              StatusIs(StatusCode::kInvalidArgument, "4:2:2"));
  EXPECT_THAT(error(make_clip(folder, "full.mkv",
                              source("128x96", "scale=out_range=full", "yuv420p") + " -color_range pc")),
              StatusIs(StatusCode::kInvalidArgument, "full range"));
  EXPECT_THAT(error(make_clip(folder, "e.mkv", source("128x96", "null", "yuv420p", 8))),
              StatusIs(StatusCode::kFailedPrecondition, "rate=field"));
  EXPECT_THAT(error(make_clip(folder, "f.mkv", source("128x96", "null", "yuv420p", 13))),
              StatusIs(StatusCode::kFailedPrecondition, "has 13, and TRUTH has 16"));
  EXPECT_THAT(error(make_clip(folder, "g.mkv", source("128x96", "null", "yuv420p", 19))),
              StatusIs(StatusCode::kFailedPrecondition, "has 19 frames, and TRUTH has 16"));
  EXPECT_THAT(error(truth, {8}), StatusIs(StatusCode::kFailedPrecondition, "too few frames (16)"));
  EXPECT_THAT(error(folder.path("none.mkv")), StatusIs(StatusCode::kNotFound, "none.mkv"));
  media::write_file(folder.path("text.mkv"), "no video");
  EXPECT_THAT(error(folder.path("text.mkv")), StatusIs(StatusCode::kInvalidArgument, "text.mkv"));
}

}  // namespace
}  // namespace weft::quality
