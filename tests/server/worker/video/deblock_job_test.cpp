// SPDX-License-Identifier: Apache-2.0
// Tests jobs with the filter deblock on files of ffmpeg's encoders: the quality, which the ffmpeg
// program measures, and the same pictures for all segments.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/worker/video/video_plan.h"
#include "tests/server/worker/jobs.h"
#include "tests/set_filters.h"

namespace weft::worker {
namespace {

constexpr const char* kLow = "-c:v mpeg2video -b:v 300k -bf 2 -g 12 -b_qfactor 1.8";

class DeblockJobTest : public testing::Test {
 protected:
  // Makes a clip without loss of soft shapes that move.
  std::string truth(int frames) const {
    return media::make_clip(
        folder_, "truth.mkv",
        fmt::format("-f lavfi -i "
                    "life=size=44x36:mold=10:rate=25:ratio=0.5:seed=7:death_color=#C83232:life_color=#00ff00,"
                    "scale=352:288:flags=bicubic,gblur=sigma=4 -frames:v {} -pix_fmt yuv420p -c:v ffv1",
                    frames));
  }
  std::string coded(const std::string& clip, const std::string& name, const std::string& codec) const {
    return media::make_clip(folder_, name, fmt::format("-i '{}' -pix_fmt yuv420p {}", clip, codec));
  }
  TestJob job_of(const std::string& name, const std::string& input, const std::string& filters,
                 int segment_frames = 1000) const {
    TestJob job(folder_, name, input);
    set_filters(job.video(), filters);
    job.video().mutable_encoding()->set_encoder(v1::ENCODER_FFV1);
    job.video().mutable_encoding()->set_segment_frames(segment_frames);
    return job;
  }
  media::TestFolder folder_;
};

// Returns the mean luma PSNR in dB as the ffmpeg program measures it.
double psnr(const std::string& path, const std::string& truth) {
  const std::string text = media::run("ffmpeg -nostdin -i '" + path + "' -i '" + truth +
                                      "' -lavfi psnr -f null - 2>&1 | grep -o 'PSNR y:[0-9.]*'");
  return text.size() > 7 ? std::stod(text.substr(7)) : 0;
}

TEST_F(DeblockJobTest, APictureAtALowRateComesNearerToTheTruth) {
  const std::string clip = truth(24);
  const std::string low = coded(clip, "low.mkv", kLow);
  const double before = psnr(low, clip);
  for (const char* strength : {"medium", "strong"}) {
    const TestJob job = job_of(strength, low, fmt::format("deblock={}", strength));
    ASSERT_THAT(run_attempt(job).end.status, IsOk());
    EXPECT_GT(psnr(job.finished_path(), clip), before + 1) << strength << ", before " << before;
  }
  // High quantisers alone are filtered: at a high rate nothing changes.
  const std::string high = coded(clip, "high.mkv", "-c:v mpeg2video -qscale:v 2 -bf 2");
  const TestJob job = job_of("high", high, "deblock=medium");
  ASSERT_THAT(run_attempt(job).end.status, IsOk());
  EXPECT_EQ(picture_hashes(job.finished_path()), picture_hashes(high));
}

// The weak strength reads the quantisers of the newest I or P picture, which may lie before the
// segment.
TEST_F(DeblockJobTest, SegmentsAndLanesGiveTheSamePictures) {
  const std::string clip = truth(90);
  for (const auto& [name, codec] :
       {std::pair("low.mkv", kLow), std::pair("low.ts", "-c:v libx264 -crf 40 -bf 3 -g 12")})
    for (const char* filters : {"deblock=weak:thr=12", "bwdif,deblock=weak:thr=12:bratio=0.5"}) {
      SCOPED_TRACE(fmt::format("{} {}", name, filters));
      const std::string low = coded(clip, name, codec);
      const TestJob whole = job_of(fmt::format("{}{}whole", name, filters), low, filters);
      ASSERT_THAT(run_attempt(whole).end.status, IsOk());
      const std::vector<std::string> expected = picture_hashes(whole.finished_path());
      EXPECT_NE(expected, picture_hashes(low));
      for (const int lanes : {0, 3}) {
        const TestJob parts = job_of(fmt::format("{}{}parts{}", name, filters, lanes), low, filters, 7);
        const Ran ran = run_attempt(parts, {}, nullptr, lanes);
        ASSERT_THAT(ran.end.status, IsOk());
        EXPECT_GE(ran.segments, 12);
        EXPECT_EQ(picture_hashes(parts.finished_path()), expected) << lanes << " lanes";
      }
    }
}

// A stopped job goes on in the middle of the file.
TEST_F(DeblockJobTest, AnAttemptThatGoesOnGivesTheSameBytes) {
  const std::string low = coded(truth(60), "low.mkv", kLow);
  const TestJob whole = job_of("whole", low, "deblock=weak:thr=12", 7);
  ASSERT_THAT(run_attempt(whole).end.status, IsOk());
  const TestJob stopped = job_of("stopped", low, "deblock=weak:thr=12", 7);
  run_attempt(stopped, [](VideoRunner& runner, int index) {
    if (index == 4) runner.stop(internal::v1::STOP_KIND_PAUSE);
  });
  ASSERT_THAT(run_attempt(stopped).end.status, IsOk());
  EXPECT_TRUE(same_bytes(media::read_file(stopped.finished_path()), media::read_file(whole.finished_path())));
}

TEST_F(DeblockJobTest, TheSourceExportsQuantisersIfAFilterReadsThem) {
  const std::string clip = truth(3);
  const auto plan_of = [&](const std::string& name, const std::string& codec, const std::string& filters) {
    const TestJob job = job_of("job of " + name, coded(clip, name, codec), filters);
    return plan_video(job.spec, media::open_source(job.input).value()->info(), "out.mkv", {});
  };
  const auto read = plan_of("a.mkv", kLow, "deblock");
  ASSERT_THAT(read, IsOk());
  EXPECT_TRUE(read->source.quantisers);
  EXPECT_FALSE(read->source.hardware);
  for (const char* filters : {"bwdif", "deblock=qp=40"}) {
    const auto plan = plan_of("b.mkv", kLow, filters);
    ASSERT_THAT(plan, IsOk());
    EXPECT_FALSE(plan->source.quantisers) << filters;
    EXPECT_TRUE(plan->source.hardware) << filters;
  }
  EXPECT_THAT(plan_of("c.mkv", "-c:v libx265 -x265-params log-level=none", "deblock").status(),
              StatusIs(StatusCode::kInvalidArgument, "has no quantisers for deblock"));
}

}  // namespace
}  // namespace weft::worker
