// SPDX-License-Identifier: Apache-2.0
// Tests video jobs with pictures of varying durations: their times in the file, the file of
// timecodes, sound, and the nominal rate. Edited decisions of decimate give the durations.
#include <cmath>
#include <filesystem>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/worker/video/decision_file.h"
#include "server/worker/video/video_plan.h"
#include "tests/server/worker/jobs.h"
#include "tests/set_filters.h"

namespace weft::worker {
namespace {

constexpr int kClipFrames = 60;
constexpr const char* kDecimate = "decimate=cycle=5";

class VariableRateJobTest : public testing::Test {
 protected:
  VariableRateJobTest() {
    clip_ = media::make_clip(
        folder_, "clip.mp4",
        fmt::format(
            "-f lavfi -i testsrc2=size=96x64:rate=30000/1001 -f lavfi -i sine=sample_rate=48000 -frames:v {} "
            "-t 2.002 -c:v libx264 -qp 20 -pix_fmt yuv420p -c:a aac -video_track_timescale 60000",
            kClipFrames));
  }

  // Returns a job that shows some pictures of the clip for two frames and others for one, by edited
  // decisions. The times are in quarters of 1/60000 of a second.
  TestJob job_of(const std::string& name, const std::string& output, v1::Encoder encoder = v1::ENCODER_X264) {
    if (decisions_.empty()) decisions_ = edited();
    TestJob job(folder_, name, clip_, output);
    set_filters(job.video(), kDecimate);
    job.video().mutable_encoding()->set_encoder(encoder);
    job.video().mutable_encoding()->set_segment_frames(20);
    const std::string path = folder_.path(name + ".json");
    media::write_file(path, decisions_);
    job.video().set_decisions(path);
    return job;
  }

  // The first picture of each third frame is shown for two frames: 1001 * 2 and 1001 * 4 units.
  std::string edited() {
    TestJob analysis(folder_, "analysis", clip_, "analysis.json");
    set_filters(analysis.video(), kDecimate);
    EXPECT_THAT(run_attempt(analysis).end.status, IsOk());
    const std::string text = media::read_file(analysis.finished_path());
    v1::DecisionFile file = *parse_decisions(std::as_bytes(std::span(text)));
    v1::DecisionMap& map = *file.mutable_decisions(0)->mutable_map();
    map.clear_frames();
    for (int64_t frame = 0; frame < kClipFrames; frame++) {
      if (frame % 3 == 1) continue;
      const int64_t duration = frame % 3 == 0 ? 2 : 1;
      map.add_frames(fmt::format("{} {} {}", frame, frame * kFrameUnits, duration * kFrameUnits));
      times_.push_back(frame);
    }
    return *print_decisions(file);
  }
  std::string expected_timecodes(bool whole) const {
    std::string text = "# timecode format v2\n";
    for (const int64_t frame : times_) {
      const double ms = double(frame) * 1001 / 30;
      text += whole ? fmt::format("{}\n", std::llround(ms)) : fmt::format("{:.6f}\n", ms);
    }
    return text;
  }

  static constexpr int64_t kFrameUnits = 2002 * 4;
  media::TestFolder folder_;
  std::string clip_, decisions_;
  std::vector<int64_t> times_;  // times of the pictures in frames of the clip
};

TEST_F(VariableRateJobTest, TimesAndTimecodesAreExact) {
  for (const v1::Encoder encoder : {v1::ENCODER_X264, v1::ENCODER_X265, v1::ENCODER_SVT_AV1}) {
    TestJob job = job_of(fmt::format("job-{}", int(encoder)), "out.mp4", encoder);
    job.video().set_timecodes(folder_.path("times.txt"));
    ASSERT_THAT(run_attempt(job).end.status, IsOk());
    EXPECT_EQ(media::read_file(job.work_folder + "/finished-timecodes"), expected_timecodes(false));
    std::vector<double> shown;
    for (const std::string& line :
         media::ffprobe(job.finished_path(), "-select_streams v:0 -show_entries packet=pts_time"))
      if (!line.empty()) shown.push_back(std::stod(line));
    std::ranges::sort(shown);
    ASSERT_EQ(shown.size(), times_.size());
    for (size_t i = 0; i < shown.size(); i++)
      EXPECT_NEAR(shown[i] - shown[0], double(times_[i]) * 1001 / 30000, 1.1e-6) << i;
  }
}

TEST_F(VariableRateJobTest, SoundKeepsItsTimes) {
  const TestJob job = job_of("sound", "out.mp4");
  ASSERT_THAT(run_attempt(job).end.status, IsOk());
  const auto sound = [](const std::string& path) {
    return media::ffprobe(path, "-select_streams a:0 -show_entries packet=pts,duration,size");
  };
  EXPECT_EQ(sound(job.finished_path()), sound(clip_));
}

TEST_F(VariableRateJobTest, WholeMillisecondsAreACompatibilityMode) {
  TestJob job = job_of("whole", "out.mkv", v1::ENCODER_FFV1);
  job.video().set_timecodes(folder_.path("times.txt"));
  job.video().set_timecode_precision(v1::TIMECODE_PRECISION_MILLISECONDS);
  ASSERT_THAT(run_attempt(job).end.status, IsOk());
  EXPECT_EQ(media::read_file(job.work_folder + "/finished-timecodes"), expected_timecodes(true));
}

// A job that is stopped has no timecodes; continued, with several segments at the same time, it has
// those of an undisturbed run.
TEST_F(VariableRateJobTest, TimecodesComeWithTheFinishedOutput) {
  TestJob job = job_of("stopped", "out.mkv", v1::ENCODER_FFV1);
  job.video().set_timecodes(folder_.path("times.txt"));
  const auto stop = [](VideoRunner& runner, int index) {
    if (index == 0) runner.stop(internal::v1::STOP_KIND_PAUSE);
  };
  EXPECT_FALSE(run_attempt(job, stop).end.status.ok());
  EXPECT_FALSE(std::filesystem::exists(job.work_folder + "/finished-timecodes"));
  const Ran ran = run_attempt(job, {}, nullptr, 2);
  ASSERT_THAT(ran.end.status, IsOk());
  EXPECT_GT(ran.end.result.segments_resumed(), 0);
  EXPECT_EQ(media::read_file(job.work_folder + "/finished-timecodes"), expected_timecodes(false));
  ASSERT_EQ(ran.end.result.output_hashes_size(), 2);
  EXPECT_EQ(ran.end.result.output_hashes(1).sha256(), sha256sum(job.work_folder + "/finished-timecodes"));
}

TEST_F(VariableRateJobTest, TheNominalRateIsTheMeanOne) {
  const TestJob job = job_of("rate", "out.avi");
  const Ran ran = run_attempt(job);
  ASSERT_THAT(ran.end.status, IsOk());
  EXPECT_THAT(media::ffprobe(job.finished_path(), "-select_streams v:0 -show_entries stream=r_frame_rate"),
              testing::Contains("999/50"));
}

TEST_F(VariableRateJobTest, TimecodesNeedPictures) {
  for (const char* output : {"out.json", "out.mkv"}) {
    TestJob job(folder_, output, clip_, output);
    set_filters(job.video(), kDecimate);
    job.video().set_timecodes(folder_.path("times.txt"));
    job.video().mutable_encoding()->set_encoder(v1::ENCODER_NULL);
    EXPECT_THAT(run_attempt(job).end.status, StatusIs(StatusCode::kInvalidArgument, "this job writes none"))
        << output;
  }
}

}  // namespace
}  // namespace weft::worker
