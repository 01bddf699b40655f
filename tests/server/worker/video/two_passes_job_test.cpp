// SPDX-License-Identifier: Apache-2.0
// Tests two passes of the encoder over whole jobs on the CPU device. ffprobe lists the packets of
// the files, and ffmpeg encodes the same clip with one encoder.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "options/validate.h"
#include "server/worker/video/encoder_settings.h"
#include "tests/server/worker/jobs.h"

namespace weft::worker {
namespace {

using internal::v1::STOP_KIND_PAUSE;
using testing::HasSubstr;

class TwoPassesTest : public testing::TestWithParam<v1::Encoder> {
 protected:
  static constexpr int kRate = 25, kFrames = 240, kSegmentFrames = 40;
  static constexpr int kBitRate = 600;  // kbit/s

  static void SetUpTestSuite() {
    folder_ = new media::TestFolder;
    // The third and the fourth of six segments are noisy.
    clip_ = media::make_clip(
        *folder_, "clip.mkv",
        fmt::format("-f lavfi -i testsrc2=size=320x240:rate={} -frames:v {} -vf "
                    "noise=alls=12:allf=t:enable='between(n\\,80\\,159)' -c:v ffv1 -g 5 -pix_fmt yuv420p",
                    kRate, kFrames));
  }
  static void TearDownTestSuite() { delete folder_; }

  static TestJob job_of(const std::string& name, int passes) {
    TestJob job(*folder_, fmt::format("{}-{}", int(GetParam()), name), clip_);
    job.video().clear_filters();
    v1::VideoEncoding& encoding = *job.video().mutable_encoding();
    encoding.set_encoder(GetParam());
    encoding.set_bitrate(kBitRate);
    encoding.set_segment_frames(kSegmentFrames);
    encoding.set_encoder_preset("veryfast");
    encoding.set_passes(passes);
    return job;
  }

  // Returns the bits of each segment by the packets' times.
  static std::vector<double> bits_of(const std::string& path) {
    std::vector<double> bits(kFrames / kSegmentFrames);
    for (const std::string& line :
         media::ffprobe(path, "-select_streams v -show_entries packet=pts_time,size")) {
      const size_t comma = line.find(',');
      const auto segment = size_t(std::stod(line) * kRate + 0.5) / kSegmentFrames;
      if (segment < bits.size()) bits[segment] += 8 * std::stod(line.substr(comma + 1));
    }
    return bits;
  }
  static double sum(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum;
  }

  static inline media::TestFolder* folder_ = nullptr;
  static inline std::string clip_;
};

TEST_P(TwoPassesTest, TheWholeFileHasTheRateAndNoisyPicturesMostOfIt) {
  const TestJob twice = job_of("twice", 2), once = job_of("once", 1);
  ASSERT_THAT(run_attempt(twice).end.status, IsOk());
  ASSERT_THAT(run_attempt(once).end.status, IsOk());
  constexpr double kBits = 1000.0 * kBitRate * kFrames / kRate;
  const std::vector<double> bits = bits_of(twice.finished_path());
  EXPECT_NEAR(sum(bits) / kBits, 1, 0.05);
  const auto noisy_share = [](const std::vector<double>& of) { return (of[2] + of[3]) / sum(of); };
  EXPECT_GT(noisy_share(bits), 1.1 * noisy_share(bits_of(once.finished_path())));
  EXPECT_TRUE(std::filesystem::is_empty(scratch_folder())) << "statistics remain";
}

// The segments share the bits as in a file of one quality and about the same size.
TEST_P(TwoPassesTest, TheSharesAreThoseOfAConstantQuality) {
  const TestJob job = job_of("shares", 2);
  ASSERT_THAT(run_attempt(job).end.status, IsOk());
  const std::vector<double> bits = bits_of(job.finished_path());
  const char* const encoder =
      GetParam() == v1::ENCODER_X264 ? "-c:v libx264" : "-c:v libx265 -x265-params log-level=none:weightp=0";
  std::vector<double> expected;
  for (int crf = 20; expected.empty() || (sum(expected) > sum(bits) && crf < 40); crf += 2)
    expected = bits_of(media::make_clip(
        *folder_, "constant.mkv",
        fmt::format("-i {} {} -preset veryfast -g {} -crf {}", clip_, encoder, kSegmentFrames, crf)));
  for (size_t segment = 0; segment < bits.size(); segment++)
    EXPECT_NEAR(bits[segment] / sum(bits), expected[segment] / sum(expected), 0.05) << "segment " << segment;
}

TEST_P(TwoPassesTest, AStopInEitherPassAndLanesGiveTheSameBytes) {
  const TestJob undisturbed = job_of("undisturbed", 2);
  ASSERT_THAT(run_attempt(undisturbed).end.status, IsOk());
  const std::string expected = media::read_file(undisturbed.finished_path());
  EXPECT_EQ(undisturbed.segments().size(), size_t(kFrames / kSegmentFrames));
  const TestJob lanes = job_of("lanes", 2);
  ASSERT_THAT(run_attempt(lanes, {}, nullptr, 3).end.status, IsOk());
  EXPECT_TRUE(same_bytes(media::read_file(lanes.finished_path()), expected));
  const TestJob stopped = job_of("stopped", 2);
  const auto stop = [](VideoRunner& runner, int index) {
    if (index == 2) runner.stop(STOP_KIND_PAUSE);
  };
  EXPECT_THAT(run_attempt(stopped, stop, nullptr, 2).end.status, StatusIs(StatusCode::kCancelled, "paused"));
  // As after a stop in the first pass: a part of its segments exists, and none of the second.
  for (const auto& entry : std::filesystem::directory_iterator(stopped.work_folder)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("segment-") || name == "first-pass-0-000001.weft" ||
        name == "first-pass-0-000004.weft")
      std::filesystem::remove(entry.path());
  }
  ASSERT_THAT(run_attempt(stopped).end.status, IsOk());
  EXPECT_TRUE(same_bytes(media::read_file(stopped.finished_path()), expected));
}

TEST_P(TwoPassesTest, ASegmentOfAnotherRateIsNotReused) {
  TestJob job = job_of("changed", 2);
  const auto stop = [](VideoRunner& runner, int) { runner.stop(STOP_KIND_PAUSE); };
  EXPECT_THAT(run_attempt(job, stop).end.status, StatusIs(StatusCode::kCancelled, "paused"));
  job.video().mutable_encoding()->set_bitrate(2 * kBitRate);
  const Ran ran = run_attempt(job);
  ASSERT_THAT(ran.end.status, IsOk());
  EXPECT_EQ(ran.end.result.segments_resumed(), 0);
  EXPECT_NEAR(sum(bits_of(job.finished_path())) / (2000.0 * kBitRate * kFrames / kRate), 1, 0.1);
}

TEST_P(TwoPassesTest, HoldTheRateAndTheBuffer) {
  TestJob job = job_of("limited", 2);
  auto& options = *job.video().mutable_encoding()->mutable_encoder_options();
  options["maxrate"] = "800k";
  options["bufsize"] = "600k";
  ASSERT_THAT(run_attempt(job).end.status, IsOk());
  EXPECT_NEAR(sum(bits_of(job.finished_path())) / (1000.0 * kBitRate * kFrames / kRate), 1, 0.15);
  constexpr double kSize = 600e3, kBitsAFrame = 800e3 / kRate;
  double fullness = kSize / 3, least = fullness;
  for (const std::string& bytes :
       media::ffprobe(job.finished_path(), "-select_streams v -show_entries packet=size")) {
    fullness -= 8 * std::stod(bytes);
    least = std::min(least, fullness);
    fullness = std::min(fullness + kBitsAFrame, kSize);
  }
  EXPECT_GE(least, 0);
}

INSTANTIATE_TEST_SUITE_P(Encoders, TwoPassesTest, testing::Values(v1::ENCODER_X264, v1::ENCODER_X265),
                         [](const auto& test) { return test.param == v1::ENCODER_X264 ? "x264" : "x265"; });

TEST(TwoPasses, RefusesEncodersAndModesWithoutThem) {
  const auto refused = [](v1::Encoder encoder, bool has_rate) {
    v1::VideoEncoding encoding;
    encoding.set_encoder(encoder);
    encoding.set_passes(2);
    if (has_rate) encoding.set_bitrate(800);
    const auto settings = encoder_of(encoding, "out.mkv", "spec.video.encoding");
    const std::vector<options::Violation> violations = options::violations_of(settings.status());
    EXPECT_EQ(violations.size(), 1u) << settings.status();
    return violations.size() == 1 ? violations[0].field + ": " + violations[0].description : "";
  };
  constexpr const char* kField = "spec.video.encoding.passes: ";
  for (const v1::Encoder encoder : {v1::ENCODER_SVT_AV1, v1::ENCODER_H264_NVENC, v1::ENCODER_HEVC_NVENC})
    EXPECT_THAT(refused(encoder, true), testing::AllOf(HasSubstr(kField), HasSubstr("use x264 or x265")));
  EXPECT_THAT(refused(v1::ENCODER_FFV1, false), HasSubstr("use x264 or x265"));
  EXPECT_THAT(refused(v1::ENCODER_X264, false),
              testing::AllOf(HasSubstr(kField), HasSubstr("add --bitrate")));
}

TEST(TwoPasses, RefuseARateThatThePicturesCannotHave) {
  const media::TestFolder folder;
  TestJob job(folder, "low", make_interlaced(folder, "clip.ts", 48));
  job.video().mutable_encoding()->set_encoder(v1::ENCODER_X264);
  job.video().mutable_encoding()->set_bitrate(1);
  job.video().mutable_encoding()->set_passes(2);
  job.video().mutable_encoding()->set_segment_frames(12);
  EXPECT_THAT(run_attempt(job).end.status,
              StatusIs(StatusCode::kInvalidArgument, "too low for these pictures"));
}

}  // namespace
}  // namespace weft::worker
