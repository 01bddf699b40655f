// SPDX-License-Identifier: Apache-2.0
// Tests that a video made of segments keeps within the buffer of its decoder. The judge is the
// definition of the buffer, for random sizes of frames and for files of the encoders, whose packets
// ffprobe lists.
#include "server/media/write/rate_buffer.h"

#include <algorithm>
#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/media/clips.h"

namespace weft::media {
namespace {

// A buffer that is filled at a constant rate and loses a frame's bits when it is decoded.
struct Decoder {
  double size = 0, rate = 0;  // bits, bits a frame
  double fullness = 0;
  double least = fullness;  // least fullness after a frame was taken

  void decode(double bits) {
    least = std::min(least, fullness - bits);
    fullness = std::min(fullness - bits + rate, size);
  }
};

TEST(SegmentBuffer, FramesThatFitEverySegmentsBufferFitTheWholeOne) {
  std::mt19937 random(11);
  const auto uniform = [&random](double low, double high) {
    return std::uniform_real_distribution<>(low, high)(random);
  };
  int emptied = 0;  // number of cases in which a frame takes all bits of the whole buffer but a few
  for (int n = 0; n < 400; n++) {
    const double rate = uniform(1e5, 1e7), size = rate * uniform(0.3, 5);
    const int frames = int(uniform(20, 200));
    constexpr int kRate = 25;
    const auto buffer = segment_buffer(int64_t(rate), int64_t(size), double(frames) / kRate, {kRate, 1});
    ASSERT_THAT(buffer, IsOk());
    const auto start = double(buffer->start);
    Decoder whole{.size = size, .rate = rate / kRate, .fullness = start};
    for (int segment = 0; segment < 30; segment++) {
      Decoder own{.size = double(buffer->size), .rate = double(buffer->rate) / kRate, .fullness = start};
      // Frames take all, nothing or a part; long pauses fill the buffers.
      const int kind = int(random() % 3);
      const int last = frames + int(random() % 2) * int(random() % 50);
      for (int frame = 0; frame < last; frame++) {
        const bool takes_all = kind == 0 || frame + 1 == last || (kind == 1 && random() % 20 == 0);
        const double bits = takes_all ? own.fullness : kind == 2 ? uniform(0, own.fullness) / 2 : 0;
        own.decode(bits);
        whole.decode(bits);
      }
      ASSERT_GE(whole.fullness, start * (1 - 1e-9)) << "case " << n << ", segment " << segment;
    }
    ASSERT_GE(whole.least, -1e-6 * size) << "case " << n;
    if (whole.least < size / 100) emptied++;
  }
  EXPECT_GT(emptied, 100) << "the frames are as large as they may be";
}

TEST(SegmentBuffer, RefusesBuffersAndSegmentsThatCannotHoldAFirstFrame) {
  EXPECT_THAT(segment_buffer(1'000'000, 200'000, 24, {25, 1}),
              StatusIs(StatusCode::kInvalidArgument, "give at least 240000 bits"));
  EXPECT_THAT(segment_buffer(1'000'000, 240'000, 24, {25, 1}), IsOk());
  EXPECT_THAT(segment_buffer(1'000'000, 1'000'000, 15.0 / 25, {25, 1}),
              StatusIs(StatusCode::kInvalidArgument, "0.6 s, at least 0.64 s"));
  EXPECT_THAT(segment_buffer(1'000'000, 1'000'000, 16.0 / 25, {25, 1}), IsOk());
}

constexpr int kFrames = 200, kSegmentFrames = 40, kRate = 25;
constexpr double kMaxRate = 400e3, kSize = 200e3;

class LimitedEncoder : public testing::TestWithParam<const char*> {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TestFolder;
    // Every second second is noise. Segments begin in the noise and in front of it.
    clip_ =
        make_clip(*folder_, "hard.mkv",
                  fmt::format("-f lavfi -i testsrc2=size=320x240:rate={} -frames:v {} -vf "
                              "noise=alls=90:allf=t:enable='lt(mod(t\\,2)\\,1)' -c:v ffv1 -pix_fmt yuv420p",
                              kRate, kFrames));
  }
  static void TearDownTestSuite() { delete folder_; }

  // Encodes the clip in segments and returns the decoder's buffer after the file's packets.
  static Decoder decoder_of(const std::vector<std::pair<std::string, std::string>>& options,
                            const std::string& name) {
    const EncoderSettings settings{.encoder = GetParam(),
                                   .options = options,
                                   .threads = 2,
                                   .segment_seconds = double(kSegmentFrames) / kRate};
    const auto segments = encode_segments(clip_, settings, kSegmentFrames, folder_->path(GetParam() + name));
    EXPECT_THAT(segments, IsOk());
    const std::string file = folder_->path(GetParam() + name + ".mkv");
    EXPECT_THAT(finish_file(clip_, *segments, file, kFrames), IsOk());
    Decoder decoder{.size = kSize, .rate = kMaxRate / kRate, .fullness = kSize / 3};
    const std::vector<std::string> sizes = ffprobe(file, "-select_streams v -show_entries packet=size");
    EXPECT_EQ(sizes.size(), size_t(kFrames));
    for (const std::string& bytes : sizes) decoder.decode(8 * std::stod(bytes));
    return decoder;
  }

  static inline TestFolder* folder_ = nullptr;
  static inline std::string clip_;
};

TEST_P(LimitedEncoder, KeepsTheBufferOfTheWholeFileFilled) {
  const auto rate = std::pair<std::string, std::string>("maxrate", "400k");
  const auto size = std::pair<std::string, std::string>("bufsize", "200000");
  EXPECT_LT(decoder_of({{"crf", "20"}}, "-free").least, 0) << "the pictures need the limit";
  EXPECT_GE(decoder_of({{"crf", "20"}, rate, size}, "-crf").least, 0);
  EXPECT_GE(decoder_of({{"b", "350k"}, rate, size}, "-rate").least, 0);
}

TEST_P(LimitedEncoder, GivesTheSameBytesBesideOthers) {
  constexpr int kRuns = 4;
  const auto name = [](int run) { return folder_->path(fmt::format("{}-again-{}-", GetParam(), run)); };
  std::vector<std::vector<FileLocation>> segments(kRuns);
  {
    std::vector<std::jthread> others;
    for (int run = 0; run < kRuns; run++)
      others.emplace_back([&, run] {
        const EncoderSettings settings{
            .encoder = GetParam(),
            .options = {{"b", "350k"}, {"maxrate", "400k"}, {"bufsize", "200k"}, {"preset", "veryfast"}},
            .threads = 3,
            .segment_seconds = double(kSegmentFrames) / kRate};
        auto encoded = encode_segments(clip_, settings, kSegmentFrames, name(run));
        ASSERT_THAT(encoded, IsOk());
        segments[size_t(run)] = *std::move(encoded);
      });
  }
  for (int run = 1; run < kRuns; run++)
    for (size_t segment = 0; segment < segments[0].size(); segment++)
      EXPECT_TRUE(read_file(segments[size_t(run)][segment].name) == read_file(segments[0][segment].name))
          << "run " << run << ", segment " << segment;
}

TEST_P(LimitedEncoder, NeedsRateAndSizeUnderTheirNames) {
  const auto check = [](const std::vector<std::pair<std::string, std::string>>& options) {
    OutputVideo video;
    video.format = {.width = 176, .height = 96, .chroma = Chroma::k420, .bit_depth = 8};
    video.time_base = {1, 90000};
    video.frame_rate = {kRate, 1};
    return check_encoder({.encoder = GetParam(), .options = options, .segment_seconds = 24}, video);
  };
  EXPECT_THAT(check({{"maxrate", "1M"}, {"bufsize", "1M"}}), IsOk());
  EXPECT_THAT(check({{"maxrate", "1M"}}), StatusIs(StatusCode::kInvalidArgument, "bufsize is missing"));
  EXPECT_THAT(check({{"bufsize", "1M"}}), StatusIs(StatusCode::kInvalidArgument, "maxrate is missing"));
  EXPECT_THAT(check({{"maxrate", "fast"}, {"bufsize", "1M"}}),
              StatusIs(StatusCode::kInvalidArgument, "maxrate (fast)"));
  for (const char* own : {"vbv-maxrate=1000", "vbv_bufsize=1000", "vbv-init=0.9", "pass=1"})
    EXPECT_THAT(check({{fmt::format("{}-params", GetParam()), own}}),
                StatusIs(StatusCode::kInvalidArgument, "not the user's to set"))
        << own;
}

INSTANTIATE_TEST_SUITE_P(Encoders, LimitedEncoder, testing::Values("x264", "x265"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace weft::media
