// SPDX-License-Identifier: Apache-2.0
// Tests that the properties of a file and those of its frames agree on fields.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/media/read/probe/probe.h"
#include "tests/server/media/clips.h"

namespace weft::media {
namespace {

constexpr auto kTop = ScanOrder::kTopFirst, kBottom = ScanOrder::kBottomFirst;
constexpr auto kProgressive = ScanOrder::kProgressive;

struct OrderCase {
  std::string name;
  // encoder and options; its frames are progressive or without a declaration
  std::string codec;
  std::string container;  // declaration of the container
  ScanOrder expected = ScanOrder::kUnknown;
};

class OrderOfFrames : public testing::TestWithParam<OrderCase> {};

TEST_P(OrderOfFrames, IsThatOfTheFacts) {
  const TestFolder folder;
  const OrderCase& test = GetParam();
  const std::string silent = make_clip(
      folder, "silent.mkv", "-f lavfi -i testsrc2=size=96x64:rate=25 -frames:v 10 -c:v " + test.codec);
  const std::string path =
      make_clip(folder, "said.mkv", "-i '" + silent + "' -c copy -field_order " + test.container);
  const auto source = open_source(path);
  ASSERT_THAT(source, IsOk());
  EXPECT_EQ((*source)->info().video.field_order, test.expected);
  const std::vector<SourceFrame> frames = decode_all(**source).frames;
  EXPECT_EQ(frames.size(), 10u);
  for (const SourceFrame& frame : frames) {
    EXPECT_EQ(frame.interlaced, is_interlaced(test.expected)) << frame.index;
    EXPECT_TRUE(!frame.interlaced || frame.top_field_first == (test.expected == kTop)) << frame.index;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Codecs, OrderOfFrames,
    testing::Values(OrderCase{"huffyuv", "huffyuv -pix_fmt yuv422p", "bb", kBottom},
                    OrderCase{"huffyuv_top", "huffyuv -pix_fmt yuv422p", "tt", kTop},
                    OrderCase{"huffyuv_progressive", "huffyuv -pix_fmt yuv422p", "progressive", kProgressive},
                    OrderCase{"utvideo", "utvideo -pix_fmt yuv420p", "bb", kBottom},
                    OrderCase{"mjpeg", "mjpeg -pix_fmt yuvj420p", "bb", kBottom},
                    OrderCase{"ffv1", "ffv1 -pix_fmt yuv420p", "bb", kBottom},
                    OrderCase{"raw", "rawvideo -pix_fmt yuv420p", "bb", kBottom},
                    OrderCase{"prores", "prores_ks -pix_fmt yuv422p10le", "bb", kBottom},
                    OrderCase{"vp9", "libvpx-vp9 -pix_fmt yuv420p", "tt", kTop},
                    OrderCase{"hevc", "libx265 -x265-params log-level=none -pix_fmt yuv420p", "bb", kBottom},
                    OrderCase{"mpeg2", "mpeg2video -pix_fmt yuv420p", "bb", kProgressive},
                    OrderCase{"mpeg4", "mpeg4 -pix_fmt yuv420p", "tt", kProgressive},
                    OrderCase{"h264", "libx264 -pix_fmt yuv420p", "bb", kProgressive}),
    [](const auto& test) { return test.param.name; });

// The container declares bottom first, the frames declare top first.
TEST(ScanOrder, OfAFrameIsBelievedFirst) {
  const TestFolder folder;
  const std::string top =
      make_clip(folder, "top.mkv",
                "-f lavfi -i testsrc2=size=96x64:rate=50,format=yuv420p,tinterlace=interleave_top "
                "-frames:v 10 -c:v mpeg2video -flags +ildct+ilme -top 1");
  const std::string path = make_clip(folder, "said.mkv", "-i '" + top + "' -c copy -field_order bb");
  const auto source = open_source(path);
  ASSERT_THAT(source, IsOk());
  EXPECT_EQ((*source)->info().video.field_order, ScanOrder::kTopFirst);
  for (const SourceFrame& frame : decode_all(**source).frames)
    EXPECT_TRUE(frame.interlaced && frame.top_field_first);
}

}  // namespace
}  // namespace weft::media
