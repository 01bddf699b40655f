// SPDX-License-Identifier: Apache-2.0
#include "client_cli/pipe/y4m.h"

#include <gmock/gmock.h>

namespace weft::cli {
namespace {

using ::testing::ElementsAre;

TEST(Y4mTest, ReadsAHeaderAndWritesItAtAnotherRate) {
  const auto header = parse_y4m_header(
      "YUV4MPEG2 W720 H480 F30000:1001 Ib A10:11 C420mpeg2 XYSCSS=420MPEG2 XCOLORRANGE=LIMITED");
  ASSERT_THAT(header, IsOk());
  EXPECT_EQ(header->format.width(), 720);
  EXPECT_EQ(header->format.chroma(), v1::CHROMA_FORMAT_420);
  EXPECT_EQ(header->field_order, v1::FIELD_ORDER_BOTTOM_FIRST);
  EXPECT_EQ(header->rate.denominator(), 1001);
  EXPECT_THAT(header->extras, ElementsAre("YSCSS=420MPEG2", "COLORRANGE=LIMITED"));
  v1::FrameRate rate;
  rate.set_numerator(60000);
  rate.set_denominator(1001);
  EXPECT_EQ(format_y4m_header(*header, rate),
            "YUV4MPEG2 W720 H480 F60000:1001 Ib A10:11 C420mpeg2 XYSCSS=420MPEG2 XCOLORRANGE=LIMITED\n");
}

TEST(Y4mTest, PicturesAreAsFramesButForWhatFiltersChange) {
  const Y4mHeader frames = *parse_y4m_header(
      "YUV4MPEG2 W720 H480 F25:1 Im A10:11 C420mpeg2 XYSCSS=420MPEG2 XCOLORRANGE=LIMITED XMINE=1");
  EXPECT_EQ(frames.chroma_position, v1::CHROMA_POSITION_LEFT);
  v1::OpenStream open;
  *open.mutable_sample_aspect() = parse_y4m_aspect(frames.aspect);
  v1::StreamOpened pictures;
  *pictures.mutable_format() = frames.format;
  *pictures.mutable_sample_aspect() = open.sample_aspect();
  pictures.set_chroma_position(frames.chroma_position);
  EXPECT_EQ(format_y4m_header(header_of_pictures(frames, open, pictures), frames.rate),
            "YUV4MPEG2 W720 H480 F25:1 Im A10:11 C420mpeg2 XYSCSS=420MPEG2 XCOLORRANGE=LIMITED XMINE=1\n");

  pictures.mutable_format()->set_width(640);
  pictures.mutable_format()->set_chroma(v1::CHROMA_FORMAT_444);
  pictures.mutable_format()->set_bit_depth(10);
  pictures.mutable_sample_aspect()->set_numerator(1);
  pictures.mutable_sample_aspect()->set_denominator(1);
  pictures.mutable_colour()->set_is_full_range(true);
  pictures.set_field_order(v1::FIELD_ORDER_PROGRESSIVE);
  EXPECT_EQ(format_y4m_header(header_of_pictures(frames, open, pictures), frames.rate),
            "YUV4MPEG2 W640 H480 F25:1 Ip A1:1 C444p10 XMINE=1 XYSCSS=444P10 XCOLORRANGE=FULL\n");

  pictures.mutable_format()->set_chroma(v1::CHROMA_FORMAT_420);
  pictures.mutable_format()->set_bit_depth(8);
  pictures.set_chroma_position(v1::CHROMA_POSITION_CENTRE);
  EXPECT_EQ(header_of_pictures(frames, open, pictures).colour_space, "420jpeg");
  pictures.mutable_format()->set_chroma(v1::CHROMA_FORMAT_GRAY);
  pictures.mutable_format()->set_bit_depth(16);
  EXPECT_EQ(header_of_pictures(frames, open, pictures).colour_space, "mono16");
}

TEST(Y4mTest, AnAspectThatMakesNoSenseIsNotKnown) {
  EXPECT_EQ(parse_y4m_aspect("16:11").numerator(), 16);
  for (const char* text : {"", "1", "0:0", "a:b", "4:-3", "4:"})
    EXPECT_EQ(parse_y4m_aspect(text).numerator(), 0) << text;
}

TEST(Y4mTest, WritesTheInterlacingThatItReads) {
  v1::FrameRate rate;
  rate.set_numerator(25);
  rate.set_denominator(1);
  for (const std::string line :
       {"YUV4MPEG2 W8 H8 F25:1 Ip", "YUV4MPEG2 W8 H8 F25:1 It", "YUV4MPEG2 W8 H8 F25:1 Ib",
        "YUV4MPEG2 W8 H8 F25:1 Im", "YUV4MPEG2 W8 H8 F25:1 I?"}) {
    const auto header = parse_y4m_header(line);
    ASSERT_THAT(header, IsOk()) << line;
    EXPECT_EQ(format_y4m_header(*header, rate), line + "\n");
  }
}

TEST(Y4mTest, KnowsTheColourSpacesThatFiltersTake) {
  struct Case {
    const char* name;
    v1::ChromaFormat chroma;
    int depth;
  };
  const Case cases[] = {{"420", v1::CHROMA_FORMAT_420, 8},      {"420jpeg", v1::CHROMA_FORMAT_420, 8},
                        {"420paldv", v1::CHROMA_FORMAT_420, 8}, {"422", v1::CHROMA_FORMAT_422, 8},
                        {"444", v1::CHROMA_FORMAT_444, 8},      {"420p9", v1::CHROMA_FORMAT_420, 9},
                        {"422p10", v1::CHROMA_FORMAT_422, 10},  {"444p16", v1::CHROMA_FORMAT_444, 16},
                        {"mono", v1::CHROMA_FORMAT_GRAY, 8},    {"mono12", v1::CHROMA_FORMAT_GRAY, 12}};
  for (const Case& each : cases) {
    const auto header = parse_y4m_header(fmt::format("YUV4MPEG2 W8 H8 C{}", each.name));
    ASSERT_THAT(header, IsOk()) << each.name;
    EXPECT_EQ(header->format.chroma(), each.chroma) << each.name;
    EXPECT_EQ(header->format.bit_depth(), each.depth) << each.name;
  }
  for (const char* name :
       {"444alpha", "411", "410", "rgb", "422jpeg", "420p7", "420p17", "420p", "mono7", "monox", ""})
    EXPECT_THAT(parse_y4m_header(fmt::format("YUV4MPEG2 W8 H8 C{}", name)),
                StatusIs(StatusCode::kInvalidArgument))
        << name;
}

TEST(Y4mTest, RefusesWhatIsNone) {
  for (const char* line :
       {"", "RIFF", "YUV4MPEG3 W8 H8", "YUV4MPEG2", "YUV4MPEG2 W8", "YUV4MPEG2 W-8 H8", "YUV4MPEG2 W0 H8",
        "YUV4MPEG2 W99999999999 H8", "YUV4MPEG2 W8 H8 F25", "YUV4MPEG2 W8 H8 Fx:y", "YUV4MPEG2 W8 H8 Iz"})
    EXPECT_THAT(parse_y4m_header(line), StatusIs(StatusCode::kInvalidArgument)) << line;
  EXPECT_THAT(parse_y4m_frame("FRAMES", false), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(parse_y4m_frame("", false), StatusIs(StatusCode::kInvalidArgument));
}

TEST(Y4mTest, MixedFramesSayTheirOwnOrder) {
  EXPECT_EQ(parse_y4m_frame("FRAME Itip", true)->field_order(), v1::FIELD_ORDER_TOP_FIRST);
  EXPECT_EQ(parse_y4m_frame("FRAME Ibii", true)->field_order(), v1::FIELD_ORDER_BOTTOM_FIRST);
  EXPECT_EQ(parse_y4m_frame("FRAME I1pp", true)->field_order(), v1::FIELD_ORDER_PROGRESSIVE);
  EXPECT_EQ(parse_y4m_frame("FRAME Xabc", true)->field_order(), v1::FIELD_ORDER_UNSPECIFIED);
  EXPECT_EQ(parse_y4m_frame("FRAME Itip", false)->field_order(), v1::FIELD_ORDER_UNSPECIFIED);
}

TEST(Y4mTest, FrameRatesAsPeopleWriteThem) {
  struct Case {
    const char* text;
    int numerator;
    int denominator;
  };
  for (const Case& each :
       {Case{"25", 25, 1}, Case{"29.97", 30000, 1001}, Case{"59.94", 60000, 1001},
        Case{"23.976", 24000, 1001}, Case{"23.98", 24000, 1001}, Case{"119.88", 120000, 1001},
        Case{"30000/1001", 30000, 1001}, Case{"50:1", 50, 1}, Case{"12.5", 25, 2}, Case{"30", 30, 1}}) {
    const auto rate = parse_frame_rate(each.text);
    ASSERT_THAT(rate, IsOk()) << each.text;
    EXPECT_EQ(rate->numerator(), each.numerator) << each.text;
    EXPECT_EQ(rate->denominator(), each.denominator) << each.text;
  }
  for (const char* text :
       {"", "0", "-25", "x", "25fps", "0/1", "1/0", "1e3", "nan", "inf", "0.0001", "1000000"})
    EXPECT_THAT(parse_frame_rate(text), StatusIs(StatusCode::kInvalidArgument)) << text;
}

// Pictures last from their times to the next one's; the ticks in that time are their frames.
TEST(Y4mTest, PicturesAreRepeatedForTheirDurations) {
  v1::StreamOpened opened;
  opened.mutable_picture_rate()->set_numerator(60000);
  opened.mutable_picture_rate()->set_denominator(1001);
  opened.mutable_time_base()->set_numerator(120000);
  opened.mutable_time_base()->set_denominator(1001);
  const auto frames_of = [&](std::vector<int64_t> durations, int64_t begin) {
    Y4mTicks ticks(opened);
    std::vector<int64_t> frames;
    int64_t pts = begin;
    for (const int64_t duration : durations) {
      v1::PictureFacts facts;
      facts.set_pts(pts);
      facts.set_duration(duration);
      frames.push_back(ticks.frames_of(facts));
      pts += duration;
    }
    return frames;
  };
  EXPECT_THAT(frames_of({4, 6, 4, 6, 2, 2, 4}, 0), testing::ElementsAre(2, 3, 2, 3, 1, 1, 2));
  EXPECT_THAT(frames_of({5, 5, 5, 5, 2}, 7), testing::ElementsAre(3, 2, 3, 2, 1));
  EXPECT_THAT(frames_of({1, 1, 1, 1}, 0), testing::ElementsAre(1, 0, 1, 0)) << "a rate that is too high";
}

}  // namespace
}  // namespace weft::cli
