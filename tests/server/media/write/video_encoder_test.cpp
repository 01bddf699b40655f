// SPDX-License-Identifier: Apache-2.0
#include "server/media/write/video_encoder.h"

#include <numeric>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/media/write/encoder_table.h"
#include "tests/server/media/clips.h"

namespace weft::media {
namespace {

OutputVideo small_video(Chroma chroma = Chroma::k420, int bit_depth = 8) {
  OutputVideo video;
  video.format = {.width = 176, .height = 96, .chroma = chroma, .bit_depth = bit_depth};
  video.time_base = {1, 90000};
  video.frame_rate = {50, 1};
  return video;
}

// A picture with samples that depend on `number`.
struct Picture {
  explicit Picture(const VideoFormat& format, int number = 0) : samples(format.packed_bytes()) {
    for (size_t i = 0; i < samples.size(); i++)
      samples[i] = uint8_t(format.bit_depth > 8 && i % 2 == 1 ? 0 : i / 7 + size_t(number) * 3);
    view.format = format;
    size_t offset = 0;
    for (int plane = 0; plane < format.planes(); plane++) {
      view.plane[size_t(plane)] = samples.data() + offset;
      view.stride_bytes[size_t(plane)] = format.plane_width(plane) * format.sample_bytes();
      offset += size_t(view.stride_bytes[size_t(plane)]) * size_t(format.plane_height(plane));
    }
  }
  std::vector<uint8_t> samples;
  PictureView view;
};

Status encode(const EncoderSettings& settings, const OutputVideo& video, int frames,
              const FileLocation& location) {
  ASSIGN_OR_RETURN(const auto encoder, VideoEncoder::open(settings, video));
  ASSIGN_OR_RETURN(const auto writer, SegmentWriter::create(location, encoder->header(0, 0)));
  for (int i = 0; i < frames; i++)
    RETURN_IF_ERROR(encoder->send(Picture(video.format, i).view, 1000 + i * 1800, 1800, *writer));
  RETURN_IF_ERROR(encoder->flush(*writer));
  return writer->finish("");
}

class EveryEncoder : public testing::TestWithParam<const char*> {};

TEST_P(EveryEncoder, GivesEachFrameOnceInASegmentThatBeginsWithAKeyframe) {
  const TestFolder folder;
  const FileLocation location{.name = folder.path("s")};
  ASSERT_THAT(encode({.encoder = GetParam()}, small_video(), 40, location), IsOk());
  const auto reader = SegmentReader::open(location);
  ASSERT_THAT(reader, IsOk());
  EXPECT_THAT((*reader)->verify(), IsOk());
  ASSERT_EQ((*reader)->packets().size(), 40u);
  EXPECT_TRUE((*reader)->packets()[0].key);
  std::vector<int64_t> times;
  for (const SegmentPacket& packet : (*reader)->packets()) times.push_back(packet.pts);
  std::ranges::sort(times);
  for (int i = 0; i < 40; i++) EXPECT_EQ(times[size_t(i)], 1000 + i * 1800);
}

TEST_P(EveryEncoder, GivesTheSameBytesAgain) {
  const TestFolder folder;
  ASSERT_THAT(encode({.encoder = GetParam(), .threads = 3}, small_video(), 40, {.name = folder.path("a")}),
              IsOk());
  ASSERT_THAT(encode({.encoder = GetParam(), .threads = 3}, small_video(), 40, {.name = folder.path("b")}),
              IsOk());
  EXPECT_TRUE(read_file(folder.path("a")) == read_file(folder.path("b")));
}

// On a busy machine the order of an encoder's threads differs each time.
TEST_P(EveryEncoder, GivesTheSameBytesBesideOthers) {
  constexpr int kAtOnce = 4;
  constexpr int kRounds = 3;
  const TestFolder folder;
  const auto name = [&](int which, int round) { return folder.path(fmt::format("{}-{}", which, round)); };
  {
    std::vector<std::jthread> others;
    for (int which = 0; which < kAtOnce; which++)
      others.emplace_back([&, which] {
        for (int round = 0; round < kRounds; round++)
          EXPECT_THAT(
              encode({.encoder = GetParam(), .threads = 3}, small_video(), 40, {.name = name(which, round)}),
              IsOk());
      });
  }
  const std::string first = read_file(name(0, 0));
  for (int which = 0; which < kAtOnce; which++)
    for (int round = 0; round < kRounds; round++)
      EXPECT_TRUE(read_file(name(which, round)) == first) << which << " " << round;
}

TEST_P(EveryEncoder, NamesAnUnknownOption) {
  EXPECT_THAT(check_encoder({.encoder = GetParam(), .options = {{"speediness", "9"}}}, small_video()),
              StatusIs(StatusCode::kInvalidArgument, "speediness"));
}

TEST_P(EveryEncoder, EstimatesEnoughRoom) {
  const TestFolder folder;
  const FileLocation location{.name = folder.path("s")};
  const EncoderSettings settings{.encoder = GetParam()};
  ASSERT_THAT(encode(settings, small_video(), 40, location), IsOk());
  const auto size = int64_t(std::filesystem::file_size(location.name));
  EXPECT_GE(estimate_bytes(settings, small_video(), 40) + 2500, size);
}

// The estimate is at most a small multiple of the real size, since reserved space makes other jobs
// wait.
TEST(EstimateBytes, IsAboutHalfOfTheSamplesForFfv1) {
  OutputVideo video = small_video();
  const double raw = double(video.format.packed_bytes()) * 1000;
  ASSERT_EQ(video.format.bit_depth, 8);
  EXPECT_NEAR(double(estimate_bytes({.encoder = "ffv1"}, video, 1000)) / raw, 0.5, 0.02);
  // Ten bits are stored in sixteen; the stored bits count in the same way as the coded bits.
  video.format.bit_depth = 10;
  EXPECT_NEAR(double(estimate_bytes({.encoder = "ffv1"}, video, 1000)) / raw, 0.75, 0.02);
}

INSTANTIATE_TEST_SUITE_P(Encoders, EveryEncoder,
                         testing::Values("x264", "x265", "svt-av1", "ffv1", "raw", "null"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(CheckEncoder, TakesGoodOptions) {
  EXPECT_THAT(
      check_encoder({.encoder = "x264",
                     .options = {{"crf", "18"}, {"preset", "slow"}, {"x264-params", "ref=2:bframes=5"}}},
                    small_video()),
      IsOk());
  EXPECT_THAT(
      check_encoder({.encoder = "libx264", .options = {{"b:v", "1M"}, {"profile:v", "high"}}}, small_video()),
      IsOk());
  EXPECT_THAT(check_encoder({.encoder = "x265", .options = {{"crf", "20"}, {"x265-params", "keyint=10"}}},
                            small_video()),
              IsOk());
  EXPECT_THAT(
      check_encoder({.encoder = "svt-av1", .options = {{"crf", "30"}, {"preset", "12"}}}, small_video()),
      IsOk());
  EXPECT_THAT(
      check_encoder({.encoder = "ffv1", .options = {{"slices", "9"}, {"coder", "range_tab"}}}, small_video()),
      IsOk());
}

TEST(CheckEncoder, RefusesBadOnesNamingThem) {
  const auto check = [](const char* encoder, const char* key, const char* value) {
    return check_encoder({.encoder = encoder, .options = {{key, value}}}, small_video());
  };
  EXPECT_THAT(check("x264", "crf", "good"), StatusIs(StatusCode::kInvalidArgument, "crf"));
  EXPECT_THAT(check("x264", "preset", "warp"), StatusIs(StatusCode::kInvalidArgument, "warp"));
  EXPECT_THAT(check("x264", "x264-params", "speediness=1"),
              StatusIs(StatusCode::kInvalidArgument, "speediness"));
  EXPECT_THAT(check("x265", "x265-params", "speediness=1"),
              StatusIs(StatusCode::kInvalidArgument, "speediness"));
  EXPECT_THAT(check("svt-av1", "preset", "99"), StatusIs(StatusCode::kInvalidArgument, "preset"));
  EXPECT_THAT(check("ffv1", "level", "99"), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(check("x264", "threads", "3"), StatusIs(StatusCode::kInvalidArgument, "threads"));
}

TEST(CheckEncoder, RefusesOptionsThatNameFiles) {
  const auto check = [](const char* encoder, const char* key, const char* value) {
    return check_encoder({.encoder = encoder, .options = {{key, value}}}, small_video());
  };
  EXPECT_THAT(check("x264", "stats", "/tmp/x"), StatusIs(StatusCode::kInvalidArgument, "names a file"));
  EXPECT_THAT(check("x264", "x264-params", "ref=2:dump-yuv=/tmp/x"),
              StatusIs(StatusCode::kInvalidArgument, "dump-yuv"));
  EXPECT_THAT(check("x264", "x264opts", "stats=/tmp/x"), StatusIs(StatusCode::kInvalidArgument, "stats"));
  EXPECT_THAT(check("x265", "x265-params", "csv=/tmp/x"), StatusIs(StatusCode::kInvalidArgument, "csv"));
}

TEST(CheckEncoder, SaysWhoTakesTheFormat) {
  const Status status = check_encoder({.encoder = "x264"}, small_video(Chroma::k444, 12));
  EXPECT_THAT(status, StatusIs(StatusCode::kInvalidArgument, "12-bit 4:4:4"));
  EXPECT_THAT(status, StatusIs(StatusCode::kInvalidArgument, "use x265, ffv1, raw"));
  const OutputVideo gray14 = small_video(Chroma::kGray, 14);
  for (const char* encoder : {"x264", "x265", "svt-av1", "ffv1", "raw"})
    EXPECT_THAT(check_encoder({.encoder = encoder}, gray14),
                StatusIs(StatusCode::kInvalidArgument, "no encoder here takes them: convert the video"))
        << encoder;
  EXPECT_THAT(check_encoder({.encoder = "null"}, gray14), IsOk());
  EXPECT_THAT(check_encoder({.encoder = "mpeg2"}, small_video()),
              StatusIs(StatusCode::kInvalidArgument, "x264, x265"));
}

TEST(CheckEncoder, WidensChromaThatFewEncodersTake) {
  const OutputVideo dv = small_video(Chroma::k411);
  EXPECT_THAT(check_encoder({.encoder = "ffv1"}, dv), IsOk());
  EXPECT_EQ(widening_note("ffv1", dv), "");
  EXPECT_EQ(widening_note("raw", dv), "");
  EXPECT_THAT(check_encoder({.encoder = "x264"}, dv), IsOk());
  EXPECT_THAT(widening_note("x264", dv), testing::HasSubstr("from 4:1:1 to 4:2:2: the encoder x264"));
  EXPECT_THAT(check_encoder({.encoder = "svt-av1"}, dv),
              StatusIs(StatusCode::kInvalidArgument, "8-bit 4:1:1 pictures (it takes 8-bit 4:2:0"));
  EXPECT_THAT(check_encoder({.encoder = "svt-av1"}, dv),
              StatusIs(StatusCode::kInvalidArgument, "use x264, x265, ffv1, raw"));
  EXPECT_THAT(check_encoder({.encoder = "svt-av1"}, small_video(Chroma::k410)), IsOk());
  EXPECT_THAT(check_encoder({.encoder = "x265"}, small_video(Chroma::k440, 12)), IsOk());
  EXPECT_THAT(check_encoder({.encoder = "raw"}, small_video(Chroma::k440)),
              StatusIs(StatusCode::kInvalidArgument, "y4m has no name"));
  EXPECT_EQ(widening_note("x264", small_video()), "");
}

TEST(VideoEncoder, SaysWhatTheWidenedPicturesAre) {
  const TestFolder folder;
  const FileLocation location{.name = folder.path("s")};
  ASSERT_THAT(encode({.encoder = "x264", .options = {{"qp", "0"}}}, small_video(Chroma::k411), 2, location),
              IsOk());
  const auto reader = SegmentReader::open(location);
  ASSERT_THAT(reader, IsOk());
  EXPECT_EQ((*reader)->header().format.chroma, Chroma::k422);
  EXPECT_EQ((*reader)->header().pixel_format, "yuv422p");
}

TEST(CheckEncoder, TakesDeepPicturesAsTheyAre) {
  for (const Chroma chroma : {Chroma::kGray, Chroma::k420, Chroma::k422, Chroma::k444}) {
    EXPECT_THAT(check_encoder({.encoder = "x264"}, small_video(chroma, 10)), IsOk());
    EXPECT_THAT(check_encoder({.encoder = "ffv1"}, small_video(chroma, 16)), IsOk());
    EXPECT_THAT(check_encoder({.encoder = "raw"}, small_video(chroma, chroma == Chroma::kGray ? 16 : 14)),
                IsOk());
  }
}

// FFV1 has its own rules about the permitted numbers of slices.
TEST(CheckEncoder, Ffv1TakesPicturesOfEverySize) {
  const auto check = [](int width, int height, Chroma chroma) {
    const OutputVideo video{.format = {.width = width, .height = height, .chroma = chroma},
                            .time_base = {1, 25}};
    EXPECT_THAT(check_encoder({.encoder = "ffv1", .threads = 1}, video), IsOk()) << width << "x" << height;
  };
  for (const Chroma chroma : {Chroma::k420, Chroma::k422, Chroma::k410}) {
    for (int width = 1; width <= 40; width++)
      for (int height = 1; height <= 40; height++) check(width, height, chroma);
    for (const auto& [width, height] : {std::pair(351, 287), std::pair(351, 400), std::pair(641, 361),
                                        std::pair(1, 200), std::pair(2001, 1501)})
      check(width, height, chroma);
  }
}

TEST(VideoEncoder, RefusesTimesThatDoNotRise) {
  const TestFolder folder;
  const auto encoder = VideoEncoder::open({.encoder = "ffv1"}, small_video());
  ASSERT_THAT(encoder, IsOk());
  const auto writer = SegmentWriter::create({.name = folder.path("s")}, (*encoder)->header(0, 0));
  ASSERT_THAT(writer, IsOk());
  const Picture picture(small_video().format);
  EXPECT_THAT((*encoder)->send(picture.view, 10, 1, **writer), IsOk());
  EXPECT_THAT((*encoder)->send(picture.view, 10, 1, **writer),
              StatusIs(StatusCode::kInternal, "does not rise"));
}

TEST(EncoderTable, EveryEncoderOfProcessorsOpens) {
  for (const EncoderEntry& entry : encoder_table())
    if (!entry.on_gpu) {
      EXPECT_THAT(check_encoder({.encoder = std::string(entry.name)}, small_video()), IsOk()) << entry.name;
    }
}

}  // namespace
}  // namespace weft::media
