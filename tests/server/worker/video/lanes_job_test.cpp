// SPDX-License-Identifier: Apache-2.0
// Tests that segments which are rendered at the same time give the bytes of segments that follow
// each other, for whole jobs on the CPU device.
#include <atomic>
#include <filesystem>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/worker/video/video_runner.h"
#include "tests/server/worker/jobs.h"
#include "tests/set_filters.h"

namespace weft::worker {
namespace {

using internal::v1::STOP_KIND_PAUSE;
using testing::Contains;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kBeginsBehind = "Segment [0-9]+ begins at frame";

struct Case {
  std::string name;
  std::string codec;
  std::string filters;
  v1::Encoder encoder = v1::ENCODER_FFV1;
  bool has_lanes = true;  // whether the packets show the starts of segments
  std::string container = "ts";
  int two_pass_rate = 0;  // kbit/s; 0: one pass at a constant quality
  decltype(&make_interlaced) make = make_interlaced;
};

class LanesTest : public testing::TestWithParam<Case> {
 protected:
  static TestJob job_of(const Case& param, const std::string& name, const std::string& clip, int frames) {
    TestJob job(folder_, param.name + name, clip);
    set_filters(job.video(), param.filters);
    job.video().mutable_encoding()->set_encoder(param.encoder);
    job.video().mutable_encoding()->set_segment_frames(frames);
    if (param.two_pass_rate > 0) {
      job.video().mutable_encoding()->set_passes(2);
      job.video().mutable_encoding()->set_bitrate(param.two_pass_rate);
    }
    return job;
  }
  static std::string clip_of(const Case& param) {
    return param.make(folder_, param.name + "." + param.container, 90, param.codec, "176x144");
  }
  static inline media::TestFolder folder_;
};

TEST_P(LanesTest, GiveTheBytesOfSegmentsThatFollowEachOther) {
  const std::string clip = clip_of(GetParam());
  for (const int frames : {7, 12}) {
    const TestJob alone = job_of(GetParam(), fmt::format("-alone-{}", frames), clip, frames);
    const Ran expected = run_attempt(alone);
    ASSERT_THAT(expected.end.status, IsOk());
    EXPECT_THAT(expected.log, Not(Contains(ContainsRegex(kBeginsBehind))));
    EXPECT_EQ(expected.end.result.units_in(), 90);
    for (const int lanes : {2, 3, 5}) {
      SCOPED_TRACE(fmt::format("{} frames, {} lanes", frames, lanes));
      const TestJob job = job_of(GetParam(), fmt::format("-{}-{}", frames, lanes), clip, frames);
      const Ran ran = run_attempt(job, {}, nullptr, lanes);
      ASSERT_THAT(ran.end.status, IsOk());
      if (GetParam().has_lanes) {
        EXPECT_THAT(ran.log, Contains(ContainsRegex(kBeginsBehind)));
      }
      EXPECT_TRUE(same_bytes(media::read_file(job.finished_path()), media::read_file(alone.finished_path())));
      EXPECT_EQ(ran.end.result.units_in(), expected.end.result.units_in());
      EXPECT_EQ(ran.end.result.units_out(), expected.end.result.units_out());
      EXPECT_EQ(ran.end.result.segments(), expected.end.result.segments());
      EXPECT_EQ(ran.end.result.corrupt_packets(), expected.end.result.corrupt_packets());
    }
  }
}

// A stop leaves finished segments with gaps between them.
TEST_P(LanesTest, StoppedAtRandomItGivesTheSameBytes) {
  const std::string clip = clip_of(GetParam());
  const TestJob alone = job_of(GetParam(), "-whole", clip, 6);
  ASSERT_THAT(run_attempt(alone).end.status, IsOk());
  const TestJob stopped = job_of(GetParam(), "-stopped", clip, 6);
  std::mt19937 random(7);
  int stops = 0;
  while (true) {
    ASSERT_LT(stops, 40);
    std::atomic<int> left{stops == 0 ? 1 : int(random() % 4) + 1};
    const int lanes = int(random() % 4) + 1;
    const auto stop = [&](VideoRunner& runner, int) {
      if (--left == 0) runner.stop(STOP_KIND_PAUSE);
    };
    const Ran ran = run_attempt(stopped, stop, nullptr, lanes);
    if (ran.end.status.ok()) break;
    stops++;
    ASSERT_THAT(ran.end.status, StatusIs(StatusCode::kCancelled, "paused"));
  }
  EXPECT_GT(stops, 0);
  EXPECT_TRUE(same_bytes(media::read_file(stopped.finished_path()), media::read_file(alone.finished_path())));
}

INSTANTIATE_TEST_SUITE_P(
    Jobs, LanesTest,
    testing::Values(Case{"mpeg2bwdif", "-c:v mpeg2video -flags +ildct+ilme -b:v 3M", "bwdif"},
                    Case{"h264yadif", "-c:v libx264 -flags +ildct+ilme -preset veryfast -g 10", "yadif",
                         v1::ENCODER_X264},
                    Case{"h264opengop",
                         "-c:v libx264 -preset veryfast -x264-params open-gop=1:keyint=10:bframes=3", "bob",
                         v1::ENCODER_X264},
                    Case{"mkv", "-c:v libx264 -preset veryfast -g 9", "bwdif", v1::ENCODER_FFV1, true, "mkv"},
                    Case{"mp4", "-c:v libx264 -preset veryfast -g 9 -bf 2", "yadif=frame,resize=96x80",
                         v1::ENCODER_FFV1, true, "mp4"},
                    Case{"decimate", "-c:v mpeg2video -flags +ildct+ilme -b:v 3M", "yadif=frame,decimate",
                         v1::ENCODER_X264},
                    Case{"twopasses", "-c:v mpeg2video -flags +ildct+ilme -b:v 3M", "bwdif", v1::ENCODER_X264,
                         true, "ts", 400},
                    Case{"bwdifdecimate", "-c:v mpeg2video -flags +ildct+ilme -b:v 3M", "bwdif,decimate"},
                    Case{"ivtc", "-c:v mpeg2video -flags +ildct+ilme -b:v 3M", "ivtc"},
                    Case{"kfm", "-c:v mpeg2video -flags +ildct+ilme -b:v 3M", "kfm=preset=draft:timing=120",
                         v1::ENCODER_FFV1, true, "ts", 0, make_mixed_cadence},
                    Case{"flagged", "-c:v mpeg2video -flags +ildct+ilme -b:v 3M", "bwdif=frames=flagged"},
                    Case{"qtgmc", "-c:v mpeg2video -flags +ildct+ilme -b:v 3M", "qtgmc=preset=draft"},
                    Case{"programstream", "-c:v mpeg2video -flags +ildct+ilme -b:v 3M", "bwdif",
                         v1::ENCODER_FFV1, false, "mpg"}),
    [](const auto& test) { return test.param.name; });

class DamagedLanesTest : public testing::Test {
 protected:
  media::TestFolder folder_;
};

// Damaged packets and a lost piece shift frames, so that computed starts are wrong.
TEST_F(DamagedLanesTest, DamageGivesTheBytesOfSegmentsThatFollowEachOther) {
  const std::string whole =
      make_interlaced(folder_, "whole.ts", 120, "-c:v mpeg2video -flags +ildct+ilme -b:v 3M");
  const std::string bytes = media::read_file(whole);
  std::mt19937 random(3);
  for (int n = 0; n < 6; n++) {
    SCOPED_TRACE(n);
    std::string damaged = bytes;
    const size_t at = bytes.size() / 8 + random() % (bytes.size() / 2);
    if (n % 2 == 0)
      for (size_t i = 0; i < 2000; i++) damaged[at + i] = char(random());
    else
      damaged.erase(at / 188 * 188, 188 * (20 + random() % 100));
    const std::string clip = folder_.path(fmt::format("damaged-{}.ts", n));
    media::write_file(clip, damaged);
    const auto make = [&](const std::string& name) {
      TestJob job(folder_, fmt::format("damaged-{}-{}", n, name), clip);
      job.video().mutable_encoding()->set_segment_frames(10);
      return job;
    };
    const TestJob alone = make("alone"), job = make("lanes");
    const Ran expected = run_attempt(alone), ran = run_attempt(job, {}, nullptr, 3);
    ASSERT_THAT(expected.end.status, IsOk());
    ASSERT_THAT(ran.end.status, IsOk());
    EXPECT_TRUE(same_bytes(media::read_file(job.finished_path()), media::read_file(alone.finished_path())));
    EXPECT_EQ(ran.end.result.corrupt_packets(), expected.end.result.corrupt_packets());
  }
}

// The packets do not show that the flags of frames change, on which the number of pictures depends.
TEST_F(DamagedLanesTest, FramesWithOtherFlagsGiveTheBytesOfSegmentsThatFollowEachOther) {
  const std::string first =
      make_interlaced(folder_, "a.ts", 50, "-c:v mpeg2video -flags +ildct+ilme -b:v 3M");
  const std::string second = make_interlaced(folder_, "b.ts", 50, "-c:v mpeg2video -b:v 3M");
  media::write_file(folder_.path("list"), fmt::format("file {}\nfile {}\nfile {}\n", first, second, first));
  const std::string clip =
      media::make_clip(folder_, "mixed.ts", "-f concat -safe 0 -i " + folder_.path("list") + " -c copy");
  const auto make = [&](const std::string& name) {
    TestJob job(folder_, name, clip);
    set_filters(job.video(), "bwdif=frames=flagged");
    job.video().mutable_encoding()->set_segment_frames(10);
    return job;
  };
  const TestJob alone = make("mixed-alone"), job = make("mixed-lanes");
  const Ran expected = run_attempt(alone), ran = run_attempt(job, {}, nullptr, 4);
  ASSERT_THAT(expected.end.status, IsOk());
  EXPECT_GT(expected.end.result.units_out(), expected.end.result.units_in());
  EXPECT_LT(expected.end.result.units_out(), 2 * expected.end.result.units_in());
  ASSERT_THAT(ran.end.status, IsOk());
  EXPECT_THAT(ran.log, Contains(HasSubstr("does not continue the one before it")));
  EXPECT_TRUE(same_bytes(media::read_file(job.finished_path()), media::read_file(alone.finished_path())));
}

TEST_F(DamagedLanesTest, APartOfTheInputHasTheSameFrames) {
  const std::string clip = make_interlaced(folder_, "part.ts", 120, "-c:v libx264 -preset veryfast -g 8");
  const auto make = [&](const std::string& name) {
    TestJob job(folder_, name, clip);
    job.video().mutable_encoding()->set_segment_frames(9);
    job.video().set_from("21f");
    job.video().set_to("97f");
    return job;
  };
  const TestJob alone = make("part-alone"), job = make("part-lanes");
  ASSERT_THAT(run_attempt(alone).end.status, IsOk());
  const Ran ran = run_attempt(job, {}, nullptr, 4);
  ASSERT_THAT(ran.end.status, IsOk());
  EXPECT_THAT(ran.log, Contains(ContainsRegex(kBeginsBehind)));
  EXPECT_EQ(ran.end.result.units_in(), 76);
  EXPECT_TRUE(same_bytes(media::read_file(job.finished_path()), media::read_file(alone.finished_path())));
}

}  // namespace
}  // namespace weft::worker
