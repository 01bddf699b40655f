// SPDX-License-Identifier: Apache-2.0
// Tests whole jobs in this process on the CPU device against the ffmpeg program.
#include "server/worker/video/video_runner.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/worker/jobs.h"
#include "tests/set_filters.h"

namespace weft::worker {
namespace {

using internal::v1::STOP_KIND_CANCEL;
using internal::v1::STOP_KIND_CHECKPOINT;
using internal::v1::STOP_KIND_PAUSE;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class VideoRunnerTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new media::TestFolder;
    clip_ = make_interlaced(*folder_, "clip.ts", 40);
  }
  static void TearDownTestSuite() { delete folder_; }

  static media::TestFolder* folder_;
  static std::string clip_;
};
media::TestFolder* VideoRunnerTest::folder_ = nullptr;
std::string VideoRunnerTest::clip_;

TEST_F(VideoRunnerTest, BwdifAndYadifGiveFfmpegsPictures) {
  for (const char* name : {"bwdif", "yadif"}) {
    for (const v1::OutputRate rate : {v1::OUTPUT_RATE_FIELD, v1::OUTPUT_RATE_FRAME}) {
      TestJob job(*folder_, fmt::format("judged-{}-{}", name, int(rate)), clip_);
      set_filters(job.video(), fmt::format("{}={}", name, rate == v1::OUTPUT_RATE_FIELD ? "field" : "frame"));
      const Ran ran = run_attempt(job);
      ASSERT_THAT(ran.end.status, IsOk());
      const std::string mode = rate == v1::OUTPUT_RATE_FIELD ? "send_field" : "send_frame";
      const auto expected = picture_hashes(clip_, fmt::format("{}={}:auto:all", name, mode));
      EXPECT_EQ(picture_hashes(job.finished_path()), expected) << name << " " << mode;
      EXPECT_EQ(ran.end.result.units_in(), 40);
      EXPECT_EQ(ran.end.result.units_out(), int64_t(expected.size()));
    }
  }
}

TEST_F(VideoRunnerTest, ResultAndLogTellWhatWasDone) {
  const TestJob job(*folder_, "told", clip_);
  const Ran ran = run_attempt(job);
  ASSERT_THAT(ran.end.status, IsOk());
  const v1::JobResult& result = ran.end.result;
  EXPECT_EQ(result.output_bytes(), int64_t(media::read_file(job.finished_path()).size()));
  ASSERT_EQ(result.output_hashes_size(), 1);
  EXPECT_EQ(result.output_hashes(0).path(), job.spec.video().output());
  EXPECT_EQ(result.output_hashes(0).sha256(), sha256sum(job.finished_path()));
  EXPECT_GT(result.gpu_time().nanos(), 0);
  EXPECT_GT(result.wall_time().nanos(), 0);
  EXPECT_EQ(result.segments(), 1);
  EXPECT_EQ(result.segments_resumed(), 0);
  ASSERT_EQ(result.stages_size(), 4);
  EXPECT_EQ(result.stages(0).units(), 40);  // decode
  EXPECT_EQ(result.stages(3).units(), 80);  // encode
  EXPECT_THAT(ran.log, Contains(HasSubstr("Input: mpeg2video 176x144")));
  EXPECT_GT(ran.heartbeat, 100u);
}

TEST_F(VideoRunnerTest, SegmentsOfEverySizeGiveTheSamePictures) {
  const auto expected = picture_hashes(clip_, "bwdif=send_field:auto:all");
  TestJob whole(*folder_, "segments-whole", clip_);
  ASSERT_THAT(run_attempt(whole).end.status, IsOk());
  const auto times = picture_times(whole.finished_path());
  for (const int frames : {1, 2, 3, 7, 13, 39, 40, 41}) {
    TestJob job(*folder_, fmt::format("segments-{}", frames), clip_);
    job.video().mutable_encoding()->set_segment_frames(frames);
    const Ran ran = run_attempt(job);
    ASSERT_THAT(ran.end.status, IsOk()) << frames;
    EXPECT_EQ(ran.segments, (40 + frames - 1) / frames);
    EXPECT_EQ(picture_hashes(job.finished_path()), expected) << frames;
    EXPECT_EQ(picture_times(job.finished_path()), times) << frames;
  }
}

struct Resumed {
  std::string name;
  v1::Encoder encoder;
  const char* filter;
  std::string codec;
  int segments = 7;
};
class ResumeTest : public VideoRunnerTest, public testing::WithParamInterface<Resumed> {};

TEST_P(ResumeTest, StoppedAtEverySegmentItGivesTheSameBytes) {
  const Resumed& param = GetParam();
  const std::string clip = make_interlaced(*folder_, param.name + ".ts", 40, param.codec);
  const auto make = [&](const std::string& name) {
    TestJob job(*folder_, param.name + name, clip);
    set_filters(job.video(), param.filter);
    job.video().mutable_encoding()->set_encoder(param.encoder);
    job.video().mutable_encoding()->set_segment_frames(6);
    return job;
  };
  const TestJob whole = make("-whole");
  ASSERT_THAT(run_attempt(whole).end.status, IsOk());
  const TestJob stopped = make("-stopped");
  for (int attempt = 0; attempt < 7; attempt++) {
    const Ran ran = run_attempt(stopped, [](VideoRunner& runner, int) { runner.stop(STOP_KIND_PAUSE); });
    if (ran.end.status.ok()) break;  // The stop came after the end of the job.
    ASSERT_THAT(ran.end.status, StatusIs(StatusCode::kCancelled, "paused"));
    EXPECT_FALSE(ran.end.retriable);
    EXPECT_EQ(ran.end.result.segments_resumed(), attempt);
    EXPECT_GE(stopped.segments().size(), size_t(attempt + 1));
  }
  const Ran last = run_attempt(stopped);
  ASSERT_THAT(last.end.status, IsOk());
  EXPECT_EQ(last.end.result.units_in(), 40);
  EXPECT_EQ(last.end.result.segments(), param.segments);
  EXPECT_GT(last.end.result.segments_resumed(), 0);
  EXPECT_TRUE(same_bytes(media::read_file(stopped.finished_path()), media::read_file(whole.finished_path())));
}

INSTANTIATE_TEST_SUITE_P(
    Jobs, ResumeTest,
    testing::Values(
        Resumed{"ffv1-bwdif", v1::ENCODER_FFV1, "bwdif", "-c:v mpeg2video -flags +ildct+ilme -b:v 3M"},
        Resumed{"x264-yadif", v1::ENCODER_X264, "yadif", "-c:v mpeg2video -flags +ildct+ilme -b:v 3M -bf 2"},
        Resumed{"x264-bwdif-h264", v1::ENCODER_X264, "bwdif",
                "-c:v libx264 -flags +ildct+ilme -preset veryfast -g 15"},
        Resumed{"x264-decimate", v1::ENCODER_X264, "yadif=field,decimate,resize=96x80",
                "-c:v mpeg2video -flags +ildct+ilme -b:v 3M"},
        Resumed{"ffv1-decimate", v1::ENCODER_FFV1, "decimate,deband",
                "-c:v mpeg2video -flags +ildct+ilme -b:v 3M", 2},
        Resumed{"ffv1-chain", v1::ENCODER_FFV1, "yadif,resize=96x80,deband",
                "-c:v mpeg2video -flags +ildct+ilme -b:v 3M"},
        Resumed{"ffv1-bob", v1::ENCODER_FFV1, "bob", "-c:v mpeg2video -flags +ildct+ilme -b:v 3M"}),
    [](const auto& test) {
      std::string name = test.param.name;
      std::erase(name, '-');
      return name;
    });

// The note appears once, whether the records are measured or read again.
TEST_F(VideoRunnerTest, TheReportOfADecisionIsANote) {
  TestJob job(*folder_, "report", clip_);
  set_filters(job.video(), "yadif=frame,decimate");
  for (int attempt = 0; attempt < 2; attempt++) {
    const Ran ran = run_attempt(job);
    ASSERT_THAT(ran.end.status, IsOk());
    EXPECT_EQ(ran.end.result.units_out(), 32);
    EXPECT_THAT(ran.end.result.notes(), testing::ElementsAre("decimate drops 8 of 40 pictures."));
  }
}

TEST_F(VideoRunnerTest, AfterTheLastSegmentOnlyTheFileIsMade) {
  TestJob job(*folder_, "only-finish", clip_);
  job.video().mutable_encoding()->set_segment_frames(10);
  ASSERT_THAT(run_attempt(job).end.status, IsOk());
  const std::string bytes = media::read_file(job.finished_path());
  const Ran again = run_attempt(job);
  ASSERT_THAT(again.end.status, IsOk());
  EXPECT_EQ(again.segments, 0);
  EXPECT_EQ(again.end.result.segments_resumed(), 4);
  EXPECT_EQ(again.end.result.units_out(), 80);
  EXPECT_TRUE(same_bytes(media::read_file(job.finished_path()), bytes));
}

TEST_F(VideoRunnerTest, OnlyADamagedSegmentIsMadeAgain) {
  TestJob job(*folder_, "damaged", clip_);
  job.video().mutable_encoding()->set_segment_frames(10);
  ASSERT_THAT(run_attempt(job).end.status, IsOk());
  const std::string bytes = media::read_file(job.finished_path());
  const std::string path = job.work_folder + "/" + job.segments().at(1);
  std::string segment = media::read_file(path);
  segment[segment.size() / 2] = char(segment[segment.size() / 2] ^ 1);
  media::write_file(path, segment);
  const Ran again = run_attempt(job);
  ASSERT_THAT(again.end.status, IsOk());
  EXPECT_EQ(again.end.result.segments_resumed(), 3);
  EXPECT_EQ(again.segments, 1);
  EXPECT_TRUE(same_bytes(media::read_file(job.finished_path()), bytes));
}

TEST_F(VideoRunnerTest, ACheckpointFinishesAShortSegmentFirst) {
  TestJob job(*folder_, "checkpoint", clip_);
  job.video().mutable_encoding()->set_segment_frames(4);
  const Ran ran = run_attempt(job, [](VideoRunner& runner, int index) {
    if (index == 1) runner.stop(STOP_KIND_CHECKPOINT);
  });
  ASSERT_THAT(ran.end.status, StatusIs(StatusCode::kCancelled));
  EXPECT_GE(ran.segments, 2);
  EXPECT_EQ(job.segments().size(), size_t(ran.segments)) << "nothing unfinished stays";
}

// Calls a function when the first segment is finished. The job waits meanwhile, and most of it is
// not done yet.
class AtFirstSegment final : public JobEvents {
 public:
  void then(std::function<void()> what) { what_ = std::move(what); }
  int segments() const { return segments_; }
  void on_segment_finished(int, int64_t) override {
    if (segments_++ == 0) what_();
  }
  void on_log(std::string_view, std::string_view) override {}

 private:
  std::function<void()> what_;
  int segments_ = 0;
};

TEST_F(VideoRunnerTest, ACancelActsSoonAndLeavesNothingUnfinished) {
  TestJob job(*folder_, "cancelled", make_interlaced(*folder_, "long.ts", 300));
  job.video().mutable_encoding()->set_segment_frames(10);
  AtFirstSegment events;
  DeviceLoop loop;
  VideoRunner runner(job.start(), {cpu_device(), loop, caches()}, events);
  events.then([&] { runner.stop(STOP_KIND_CANCEL); });
  const JobEnd end = runner.run();
  EXPECT_THAT(end.status, StatusIs(StatusCode::kCancelled));
  EXPECT_FALSE(end.retriable);
  EXPECT_LE(events.segments(), 2) << "of 30: at most the one that was about to be finished";
  EXPECT_EQ(job.segments().size(), size_t(events.segments())) << "nothing unfinished stays";
}

TEST_F(VideoRunnerTest, AChangeOfClassAndPriorityActsWhileItRuns) {
  TestJob job(*folder_, "changed", make_interlaced(*folder_, "changed.ts", 300));
  job.video().mutable_encoding()->set_segment_frames(10);
  AtFirstSegment events;
  DeviceLoop loop;
  JobOrder order = job.start();
  order.source.work_class = schedule::SourceClass::kSpare;
  VideoRunner runner(std::move(order), {cpu_device(), loop, caches()}, events);
  uint64_t changed = 0;
  events.then([&] {
    runner.change({0, schedule::SourceClass::kNormal, 9, 1, 1});
    changed = loop.decisions_after(0, schedule::DecisionRing::kCapacity).back().serial;
  });
  EXPECT_THAT(runner.run().status, IsOk());
  const auto before = loop.decisions_after(0, size_t(changed));
  const auto after = loop.decisions_after(changed, schedule::DecisionRing::kCapacity);
  ASSERT_THAT(before, Not(IsEmpty()));
  ASSERT_THAT(after, Not(IsEmpty()));
  EXPECT_EQ(before.front().work_class, schedule::SourceClass::kSpare);
  for (const schedule::Decision& decision : after)
    EXPECT_EQ(decision.work_class, schedule::SourceClass::kNormal);
}

TEST_F(VideoRunnerTest, AStopBeforeTheStartEndsAtOnce) {
  const TestJob job(*folder_, "never", clip_);
  class Silent final : public JobEvents {
    void on_segment_finished(int, int64_t) override {}
    void on_log(std::string_view, std::string_view) override {}
  } silent;
  DeviceLoop loop;
  VideoRunner runner(job.start(), {cpu_device(), loop, caches()}, silent);
  runner.stop(STOP_KIND_CANCEL);
  EXPECT_THAT(runner.run().status, StatusIs(StatusCode::kCancelled));
}

TEST_F(VideoRunnerTest, TheNullEncoderWritesNoFileAndSaysSo) {
  TestJob job(*folder_, "null", clip_, "nothing.null");
  job.video().mutable_encoding()->set_encoder(v1::ENCODER_NULL);
  const Ran ran = run_attempt(job);
  ASSERT_THAT(ran.end.status, IsOk());
  EXPECT_EQ(ran.end.result.units_out(), 80);
  EXPECT_EQ(ran.end.result.output_bytes(), 0);
  EXPECT_EQ(ran.end.result.output_hashes_size(), 0);
  EXPECT_THAT(ran.end.result.notes(), Contains(HasSubstr("No file is written")));
  EXPECT_EQ(media::read_file(job.finished_path()), "");
}

// A GPU's decoder works within the schedule of the GPU's own worker. To it, a job on the CPU would
// be another program.
TEST_F(VideoRunnerTest, AJobOnTheCpuAsksNoGpuToDecode) {
  TestJob job(*folder_, "cpu_decodes", clip_, "nothing.null");
  job.video().mutable_encoding()->set_encoder(v1::ENCODER_NULL);
  const Ran ran = run_attempt(job);
  ASSERT_THAT(ran.end.status, IsOk());
  EXPECT_THAT(ran.end.result.notes(), Not(Contains(HasSubstr("NVDEC"))));
}

TEST_F(VideoRunnerTest, RawOutputHoldsTheSamePictures) {
  TestJob job(*folder_, "raw", clip_, "out.y4m");
  job.video().mutable_encoding()->set_encoder(v1::ENCODER_AUTO);
  job.video().mutable_encoding()->set_segment_frames(9);
  ASSERT_THAT(run_attempt(job).end.status, IsOk());
  EXPECT_EQ(picture_hashes(job.finished_path()), picture_hashes(clip_, "bwdif=send_field:auto:all"));
}

TEST_F(VideoRunnerTest, AudioIsCopied) {
  const std::string clip = media::make_clip(*folder_, "audio.ts",
                                            "-f lavfi -i testsrc2=size=176x144:rate=50 -f lavfi -i "
                                            "sine=frequency=440 -t 2 -vf tinterlace=interleave_top "
                                            "-c:v mpeg2video -flags +ildct+ilme -b:v 2M -c:a mp2");
  TestJob job(*folder_, "audio", clip);
  job.video().mutable_encoding()->set_segment_frames(11);
  ASSERT_THAT(run_attempt(job).end.status, IsOk());
  const auto packets = [](const std::string& path) {
    return media::run("ffmpeg -nostdin -v error -i '" + path + "' -map 0:a -c copy -f md5 -");
  };
  EXPECT_EQ(packets(job.finished_path()), packets(clip));
}

}  // namespace
}  // namespace weft::worker
