// SPDX-License-Identifier: Apache-2.0
// Tests the quantisers of frames from real files. The judges are the encoder's fixed quantiser, and
// the tables that the ffmpeg program prints while it decodes (-debug qp).
#include "server/media/read/pictures/quantisers.h"

#include <random>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/media/read/probe/probe.h"
#include "tests/server/media/clips.h"

extern "C" {
#include <libavutil/video_enc_params.h>
}

namespace weft::media {
namespace {

using testing::Each;
using testing::IsEmpty;

constexpr int kFrames = 40;
constexpr const char* kPictures = "-f lavfi -i mandelbrot=size=180x140:rate=25:start_scale=1:end_scale=0.2";

std::string make(const TestFolder& folder, const std::string& name, const std::string& codec,
                 int frames = kFrames) {
  return make_clip(folder, name,
                   fmt::format("{} -frames:v {} -pix_fmt yuv420p {}", kPictures, frames, codec));
}

std::vector<FrameQuantisers> quantisers_of(const std::string& path) {
  const auto source = open_source(path, {.quantisers = true}).value();
  EXPECT_FALSE(source->asks_hardware());
  std::vector<FrameQuantisers> all;
  for (const SourceFrame& frame : decode_all(*source).frames) all.push_back(frame.quantisers);
  return all;
}

// A table as the ffmpeg program prints it, in the order of display.
struct Printed {
  char type = ' ';
  std::vector<std::vector<int>> rows;
};
std::vector<Printed> printed_by_ffmpeg(const std::string& path) {
  std::istringstream lines(run("ffmpeg -nostdin -threads 1 -debug qp -i '" + path + "' -f null - 2>&1"));
  std::vector<Printed> tables;
  bool has_begun = false;  // before, ffmpeg decodes frames to know the stream
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("Stream mapping")) has_begun = true;
    const size_t at = line.find("] ");
    if (!has_begun || at == std::string::npos) continue;
    const std::string text = line.substr(at + 2);
    if (text.starts_with("New frame, type: ")) tables.push_back({.type = text.at(17), .rows = {}});
    if (tables.empty() || text.empty() || text.find_first_not_of("0123456789 ") != std::string::npos)
      continue;
    std::vector<int>& row = tables.back().rows.emplace_back();
    for (size_t i = 0; i + 1 < text.size(); i += 2) row.push_back(std::stoi(text.substr(i, 2)));
  }
  return tables;
}

struct JudgedCase {
  const char* name;
  const char* file;
  const char* codec;
  int factor;  // of the printed value
};
class JudgedQuantisers : public testing::TestWithParam<JudgedCase> {};

TEST_P(JudgedQuantisers, AreThoseThatFfmpegPrints) {
  const TestFolder folder;
  const std::string path = make(folder, GetParam().file, GetParam().codec);
  const std::vector<Printed> judged = printed_by_ffmpeg(path);
  const std::vector<FrameQuantisers> found = quantisers_of(path);
  ASSERT_EQ(found.size(), size_t(kFrames));
  // FFmpeg 5.1 has no table for the last picture of a stream of MPEG-2.
  ASSERT_GE(judged.size() + 1, found.size());
  size_t reference = judged.size(), different = 0, of_b = 0;
  for (size_t i = 0; i < judged.size(); i++) {
    ASSERT_NE(found[i].own, nullptr) << i;
    const Quantisers& own = *found[i].own;
    EXPECT_GE(own.columns, 12);
    EXPECT_GE(own.rows, 9);
    for (int row = 0; row < own.rows && row < 9; row++)
      for (int column = 0; column < 12; column++)
        ASSERT_EQ(own.values[size_t(row * own.columns + column)],
                  GetParam().factor * judged[i].rows[size_t(row)][size_t(column)])
            << "frame " << i << ", " << column << ", " << row;
    if (judged[i].type != 'B') reference = i;
    of_b += judged[i].type == 'B' ? 1 : 0;
    ASSERT_LT(reference, judged.size());
    ASSERT_NE(found[i].reference, nullptr) << i;
    EXPECT_EQ(found[i].reference->values, found[reference].own->values) << i;
    different += found[i].reference->values != own.values ? 1 : 0;
  }
  EXPECT_EQ(found.back().own->values,
            found[judged.size() == found.size() ? judged.size() - 1 : reference].own->values);
  EXPECT_GT(of_b, 10u);
  EXPECT_GT(different, 10u) << "of the B pictures";
}

INSTANTIATE_TEST_SUITE_P(
    Codecs, JudgedQuantisers,
    testing::Values(JudgedCase{"Mpeg2", "a.ts", "-c:v mpeg2video -b:v 300k -bf 2 -g 9 -b_qfactor 2", 2},
                    JudgedCase{
                        "Mpeg2NonLinear", "b.mkv",
                        "-c:v mpeg2video -b:v 400k -bf 2 -g 9 -b_qfactor 2 -non_linear_quant 1 -qmax 28", 2},
                    JudgedCase{"Mpeg4", "c.mkv", "-c:v mpeg4 -b:v 200k -bf 2 -g 9 -b_qfactor 2", 4},
                    JudgedCase{"H264", "d.mkv", "-c:v libx264 -crf 30 -bf 3 -g 12", 1},
                    JudgedCase{"H264InTransportStream", "e.ts", "-c:v libx264 -b:v 150k -bf 2 -g 20", 1}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(Quantisers, AFixedQuantiserIsThatOfTheEncoder) {
  const TestFolder folder;
  for (const int scale : {2, 5, 31})
    for (const FrameQuantisers& each :
         quantisers_of(make(folder, "a.mpg", fmt::format("-c:v mpeg2video -qscale:v {} -qmax 31", scale), 6)))
      EXPECT_THAT(each.own->values, Each(4 * scale)) << "twice the quantiser_scale, twice the coded value";
  for (const char* format : {"yuv420p", "yuv420p10le"}) {
    const std::string path =
        make_clip(folder, "b.mkv",
                  fmt::format("{} -frames:v 6 -pix_fmt {} -c:v libx264 -x264-params "
                              "qp={}:ipratio=1:pbratio=1:aq-mode=0",
                              kPictures, format, std::string(format) == "yuv420p" ? 33 : 33 + 12));
    for (const FrameQuantisers& each : quantisers_of(path)) EXPECT_THAT(each.own->values, Each(33)) << format;
  }
}

TEST(Quantisers, FilesTellWhetherTheyHaveThem) {
  const TestFolder folder;
  const auto scale = [&](const char* name, const char* codec) {
    return probe(make(folder, name, codec, 3)).value().video.quantisers;
  };
  EXPECT_EQ(scale("a.mpg", "-c:v mpeg2video"), QuantiserScale::kLinear);
  EXPECT_EQ(scale("b.mpg", "-c:v mpeg1video"), QuantiserScale::kLinear);
  EXPECT_EQ(scale("c.mkv", "-c:v mpeg4"), QuantiserScale::kLinear);
  EXPECT_EQ(scale("d.mkv", "-c:v libx264"), QuantiserScale::kLogarithmic);
  EXPECT_EQ(scale("e.mkv", "-c:v libx265 -x265-params log-level=none"), QuantiserScale::kNone);
  EXPECT_EQ(scale("f.y4m", ""), QuantiserScale::kNone);
  for (const FrameQuantisers& each : quantisers_of(folder.path("e.mkv"))) EXPECT_EQ(each.own, nullptr);
}

TEST(Quantisers, OnlyASourceThatIsAskedReturnsThem) {
  const TestFolder folder;
  const std::string path = make(folder, "a.mpg", "-c:v mpeg2video", 6);
  for (const SourceFrame& frame : decode_all(**open_source(path, {.hardware = false})).frames)
    EXPECT_EQ(frame.quantisers.own, nullptr);
}

// A segment that begins in the middle has the tables of the whole file, the reference included.
TEST(Quantisers, AfterASeekTheyAreThoseOfTheWholeFile) {
  const TestFolder folder;
  for (const char* codec :
       {"-c:v mpeg2video -b:v 300k -bf 2 -g 9 -b_qfactor 2", "-c:v libx264 -crf 30 -bf 3 -g 12"}) {
    const std::string path = make(folder, "a.mkv", codec, 120);
    const std::vector<FrameQuantisers> whole = quantisers_of(path);
    ASSERT_EQ(whole.size(), 120u);
    std::mt19937 random(3);
    int skipped = 0;
    for (int i = 0; i < 12; i++) {
      const auto index = int64_t(40 + random() % 70);
      const auto source = open_source(path, {.quantisers = true}).value();
      const auto times = source->frame_times({.frames = index + 1}).value();
      ASSERT_TRUE(times.has_value());
      if (!source->skip_to(index, *times).value()) continue;
      skipped++;
      for (const SourceFrame& frame : decode_all(*source).frames) {
        const FrameQuantisers& expected = whole[size_t(frame.index)];
        ASSERT_EQ(frame.quantisers.own->values, expected.own->values) << codec << " " << frame.index;
        ASSERT_EQ(frame.quantisers.reference->values, expected.reference->values)
            << codec << " " << frame.index;
      }
    }
    EXPECT_GT(skipped, 6);
  }
}

FramePtr picture_with(AVVideoEncParamsType type, unsigned blocks, int qp, AVPictureType picture_type) {
  FramePtr picture(av_frame_alloc());
  AVVideoEncParams* const parameters = av_video_enc_params_create_side_data(picture.get(), type, blocks);
  parameters->qp = qp;
  picture->pict_type = picture_type;
  return picture;
}

TEST(Quantisers, MissingAndDamagedTables) {
  QuantiserReader reader;
  const FramePtr first = picture_with(AV_VIDEO_ENC_PARAMS_MPEG2, 0, 10, AV_PICTURE_TYPE_I);
  EXPECT_THAT(reader.read(*first, 8).own->values, testing::ElementsAre(20)) << "one quantiser for all";
  const FramePtr without(av_frame_alloc());
  EXPECT_THAT(reader.read(*without, 8).own->values, testing::ElementsAre(20)) << "that of the reference";
  const FramePtr other = picture_with(AV_VIDEO_ENC_PARAMS_VP9, 0, 10, AV_PICTURE_TYPE_P);
  EXPECT_THAT(reader.read(*other, 8).own->values, testing::ElementsAre(20)) << "another scale";
  // The first block is outside of the picture, and the second one's quantiser beyond the range.
  const FramePtr damaged = picture_with(AV_VIDEO_ENC_PARAMS_MPEG2, 2, 0, AV_PICTURE_TYPE_B);
  auto& parameters = *reinterpret_cast<AVVideoEncParams*>(damaged->side_data[0]->data);
  av_video_enc_params_block(&parameters, 0)->src_x = -400;
  av_video_enc_params_block(&parameters, 1)->src_x = 16;
  av_video_enc_params_block(&parameters, 1)->delta_qp = 5000;
  const FrameQuantisers found = reader.read(*damaged, 8);
  EXPECT_THAT(found.own->values, testing::ElementsAre(0, 255));
  EXPECT_THAT(found.reference->values, testing::ElementsAre(20)) << "that of the picture before";
  av_video_enc_params_block(&parameters, 1)->src_x = 1 << 30;
  EXPECT_THAT(reader.read(*damaged, 8).own->values, testing::ElementsAre(20)) << "no table of that size";
  reader.start();
  EXPECT_EQ(reader.read(*damaged, 8).own, nullptr) << "no picture before";
  av_video_enc_params_block(&parameters, 1)->src_x = 16;
  EXPECT_EQ(reader.read(*damaged, 8).reference, nullptr) << "no picture before";
}

}  // namespace
}  // namespace weft::media
