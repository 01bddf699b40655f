// SPDX-License-Identifier: Apache-2.0
// Tests inverse telecine of whole jobs on the CPU device: the pictures of the ffmpeg program, also
// from segments that begin in the middle of a cycle, at a constant rate.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/worker/video/video_runner.h"
#include "tests/server/worker/jobs.h"
#include "tests/set_filters.h"

namespace weft::worker {
namespace {

class IvtcJobTest : public testing::Test {
 protected:
  // Returns film at 24000/1001, telecined to 30000/1001.
  std::string telecined(const std::string& first_field, int frames = 147) const {
    const bool is_top = first_field == "top";
    return media::make_clip(
        folder_, first_field + ".ts",
        fmt::format(
            "-f lavfi -i testsrc2=size=96x64:rate=24000/1001 -vf "
            "telecine=first_field={},setfield={} -frames:v {} -c:v mpeg2video -flags +ildct+ilme -b:v "
            "6M -field_order {}",
            first_field, is_top ? "tff" : "bff", frames, is_top ? "tt" : "bb"));
  }
  TestJob job_of(const std::string& name, const std::string& clip, int frames) const {
    TestJob job(folder_, name, clip);
    set_filters(job.video(), "ivtc=combmatch=full");
    job.video().mutable_encoding()->set_segment_frames(frames);
    return job;
  }
  media::TestFolder folder_;
};

TEST_F(IvtcJobTest, SegmentsThatBeginInTheMiddleOfACycleHaveThePicturesOfFfmpeg) {
  for (const std::string first_field : {"top", "bottom"}) {
    const std::string clip = telecined(first_field);
    const auto expected = picture_hashes(clip, "fieldmatch=combmatch=full,decimate");
    ASSERT_EQ(expected.size(), 118u) << "29 cycles of five frames, and two frames more";
    for (const auto& [frames, lanes] : {std::pair(1000, 1), {23, 1}, {21, 3}, {34, 2}}) {
      SCOPED_TRACE(
          fmt::format("{} field first, segments of {} frames, {} lanes", first_field, frames, lanes));
      const TestJob job = job_of(fmt::format("{}-{}", first_field, frames), clip, frames);
      const Ran ran = run_attempt(job, {}, nullptr, lanes);
      ASSERT_THAT(ran.end.status, IsOk());
      EXPECT_EQ(ran.end.result.units_in(), 147);
      EXPECT_EQ(ran.end.result.units_out(), 118);
      EXPECT_EQ(picture_hashes(job.finished_path()), expected);
    }
  }
}

// The last frame makes no picture. In segments of 39 frames it is the only one of its segment.
TEST_F(IvtcJobTest, FramesWithoutAPictureAtTheEndAreCounted) {
  const std::string clip = telecined("top", 40);
  for (const auto& [frames, lanes] : {std::pair(600, 1), {39, 1}, {39, 3}, {20, 2}}) {
    SCOPED_TRACE(fmt::format("segments of {} frames, {} lanes", frames, lanes));
    const TestJob job = job_of(fmt::format("end-{}-{}", frames, lanes), clip, frames);
    const Ran ran = run_attempt(job, {}, nullptr, lanes);
    ASSERT_THAT(ran.end.status, IsOk());
    EXPECT_EQ(ran.end.result.units_in(), 40);
    EXPECT_EQ(ran.end.result.units_out(), 32);
  }
}

}  // namespace
}  // namespace weft::worker
