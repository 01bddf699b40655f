// SPDX-License-Identifier: Apache-2.0
// Tests jobs on a part of a video, in this process on the CPU device. The output equals that of a
// file cut by the ffmpeg program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "options/validate.h"
#include "tests/server/worker/jobs.h"
#include "tests/set_filters.h"

namespace weft::worker {
namespace {

using internal::v1::STOP_KIND_PAUSE;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kMpeg2 = "-c:v mpeg2video -flags +ildct+ilme -b:v 3M -bf 2 -g 12";
constexpr const char* kH264 = "-c:v libx264 -flags +ildct+ilme -preset veryfast -bf 2 -g 10";

class VideoPartJobTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new media::TestFolder;
    // The first picture of this file is shown at 1.4 s, as ffmpeg writes transport streams.
    clips_ = {make_interlaced(*folder_, "mpeg2.ts", 90, kMpeg2),
              make_interlaced(*folder_, "h264.mkv", 90, kH264)};
  }
  static void TearDownTestSuite() { delete folder_; }

  static TestJob make_job(const std::string& name, const std::string& clip, const std::string& from,
                          const std::string& to, const std::string& filters = "bwdif") {
    TestJob job(*folder_, name, clip);
    set_filters(job.video(), filters);
    job.video().set_from(from);
    job.video().set_to(to);
    return job;
  }
  // Makes a lossless file of the frames that ffmpeg's `trim` selects.
  static std::string cut(const std::string& clip, const std::string& name, const std::string& trim) {
    return media::make_clip(*folder_, name,
                            "-i '" + clip + "' -vf trim=" + trim +
                                ",setpts=PTS-STARTPTS -vsync passthrough -flags +ildct+ilme -c:v ffv1");
  }

  // Returns the times of the pictures in seconds.
  static std::vector<double> shown_at(const std::string& path) {
    std::vector<double> times;
    for (const std::string& line : media::ffprobe(path, "-select_streams v -show_entries packet=pts_time"))
      if (!line.empty()) times.push_back(std::stod(line));
    std::ranges::sort(times);
    return times;
  }

  static media::TestFolder* folder_;
  static std::vector<std::string> clips_;
};
media::TestFolder* VideoPartJobTest::folder_ = nullptr;
std::vector<std::string> VideoPartJobTest::clips_;

struct AskedPart {
  const char* from;
  const char* to;
  const char* trim;
  int64_t frames;
};
constexpr AskedPart kParts[] = {{"33f", "71f", "start_frame=33:end_frame=71", 38},
                                {"1.2", "0:02.5", "start=1.2:end=2.5", 39},
                                {"", "1", "end=1", 30},
                                {"70f", "", "start_frame=70", 20},
                                {"2.5", "100f", "start=2.5", 15}};

TEST_F(VideoPartJobTest, PicturesAndTimesAreThoseThatFfmpegMakesOfTheTrimmedClip) {
  for (const std::string& clip : clips_) {
    for (const AskedPart& part : kParts) {
      SCOPED_TRACE(fmt::format("{} from {} to {}", clip, part.from, part.to));
      const TestJob job =
          make_job(fmt::format("judged-{}-{}-{}", clip.back(), part.from, part.to), clip, part.from, part.to);
      const Ran ran = run_attempt(job);
      ASSERT_THAT(ran.end.status, IsOk());
      EXPECT_EQ(ran.end.result.units_in(), part.frames);
      EXPECT_EQ(ran.end.result.units_out(), 2 * part.frames);
      EXPECT_EQ(picture_hashes(job.finished_path()),
                picture_hashes(
                    clip, fmt::format("trim={},setpts=PTS-STARTPTS,bwdif=send_field:auto:all", part.trim)));
      const std::vector<double> times = shown_at(job.finished_path());
      ASSERT_EQ(times.size(), size_t(2 * part.frames));
      EXPECT_EQ(times[0], 0);
      // Matroska has times in milliseconds, in the input and in the output.
      for (size_t i = 0; i < times.size(); i++) ASSERT_NEAR(times[i], double(i) * 1001 / 60000, 0.0016) << i;
    }
  }
}

// The chains cover filters that read frames on both sides, output at field rate, a changed size, an
// analysis of the whole clip, and no filter.
TEST_F(VideoPartJobTest, ChainsGiveWhatTheyGiveOfAFileThatWasCutThere) {
  for (const char* chain :
       {"bwdif=frame,temporal_nr,resize=96x80,deband", "yadif=field,decimate", "decimate=3", ""}) {
    SCOPED_TRACE(chain);
    const std::string name = fmt::format("chain-{}", std::string_view(chain).substr(0, 7));
    const std::string file = cut(clips_[0], name + ".mkv", "start_frame=33:end_frame=71");
    const TestJob whole = make_job(name + "-cut", file, "", "", chain);
    ASSERT_THAT(run_attempt(whole).end.status, IsOk());
    const TestJob part = make_job(name + "-part", clips_[0], "33f", "71f", chain);
    const Ran ran = run_attempt(part);
    ASSERT_THAT(ran.end.status, IsOk());
    EXPECT_EQ(ran.end.result.units_in(), 38);
    EXPECT_EQ(picture_hashes(part.finished_path()), picture_hashes(whole.finished_path()));
    const auto times = shown_at(part.finished_path()), expected = shown_at(whole.finished_path());
    ASSERT_EQ(times.size(), expected.size());
    for (size_t i = 0; i < times.size(); i++)  // The cut file has times in milliseconds.
      ASSERT_NEAR(times[i], expected[i], 0.00101) << i;
  }
}

TEST_F(VideoPartJobTest, SegmentsOfEverySizeGiveTheSamePictures) {
  const auto expected = picture_hashes(
      clips_[1], "trim=start_frame=33:end_frame=71,setpts=PTS-STARTPTS,bwdif=send_field:auto:all");
  for (const int frames : {1, 5, 19, 37, 38}) {
    TestJob job = make_job(fmt::format("segments-{}", frames), clips_[1], "33f", "71f");
    job.video().mutable_encoding()->set_segment_frames(frames);
    const Ran ran = run_attempt(job);
    ASSERT_THAT(ran.end.status, IsOk()) << frames;
    EXPECT_EQ(ran.segments, (38 + frames - 1) / frames);
    EXPECT_EQ(picture_hashes(job.finished_path()), expected) << frames;
  }
}

TEST_F(VideoPartJobTest, StoppedAtEverySegmentItGivesTheSameBytes) {
  for (const char* chain : {"bwdif", "yadif=field,decimate,resize=96x80"}) {
    for (const std::string& clip : clips_) {
      SCOPED_TRACE(clip + " " + chain);
      const auto make = [&](const char* name) {
        TestJob job =
            make_job(fmt::format("{}-{}-{}", name, chain[0], clip.back()), clip, "33f", "2.4", chain);
        job.video().mutable_encoding()->set_encoder(v1::ENCODER_X264);
        job.video().mutable_encoding()->set_segment_frames(6);
        return job;
      };
      const TestJob whole = make("whole"), stopped = make("stopped");
      ASSERT_THAT(run_attempt(whole).end.status, IsOk());
      int attempts = 0;
      Ran ran;
      do {
        ran = run_attempt(stopped, [](VideoRunner& runner, int) { runner.stop(STOP_KIND_PAUSE); });
        ASSERT_LT(++attempts, 20) << ran.end.status;
      } while (!ran.end.status.ok());
      EXPECT_GT(attempts, 1);
      EXPECT_EQ(ran.end.result.units_in(), 39);
      EXPECT_THAT(ran.end.result.notes(), Not(Contains(HasSubstr("starts over"))));
      EXPECT_TRUE(
          same_bytes(media::read_file(stopped.finished_path()), media::read_file(whole.finished_path())));
    }
  }
}

TEST_F(VideoPartJobTest, AudioAndLengthAreThePartsOwn) {
  const std::string clip =
      media::make_clip(*folder_, "audio.ts",
                       "-f lavfi -i testsrc2=size=176x144:rate=50 -f lavfi -i "
                       "sine=frequency=440:sample_rate=48000 -t 4 -vf tinterlace=interleave_top "
                       "-c:v mpeg2video -flags +ildct+ilme -b:v 2M -c:a mp2");
  const auto audio = [&](const std::string& path) {
    std::vector<std::string> hashes;
    for (const std::string& line :
         media::ffprobe(path, "-select_streams a -show_entries packet=data_hash -show_data_hash crc32"))
      if (line.find("CRC32") != std::string::npos) hashes.push_back(line.substr(line.find("CRC32")));
    return hashes;
  };
  const auto all = audio(clip);
  for (const auto& [from, to] : {std::pair("1", "2.5"), std::pair("25f", "62f"), std::pair("1", "")}) {
    SCOPED_TRACE(fmt::format("{} to {}", from, to));
    TestJob job = make_job(fmt::format("audio-{}-{}", from, to), clip, from, to);
    job.video().mutable_encoding()->set_segment_frames(11);
    ASSERT_THAT(run_attempt(job).end.status, IsOk());
    const auto part = audio(job.finished_path());
    const double length = *to == '\0' ? 3 : *to == '6' ? 1.48 : 1.5;
    EXPECT_NEAR(double(part.size()) * 0.024, length, 0.05) << "packets of 24 ms";
    EXPECT_NE(std::ranges::search(all, part).begin(), all.end());
    const auto first = media::ffprobe(job.finished_path(), "-show_entries stream=start_time");
    EXPECT_EQ(std::stod(first.at(0)), 0);
    EXPECT_LT(std::stod(first.at(1)), 0.0241);
    EXPECT_NEAR(std::stod(media::ffprobe(job.finished_path(), "-show_entries format=duration").at(0)), length,
                0.05);
  }
}

TEST_F(VideoPartJobTest, APartWithoutAFrameIsRefusedWithTheLength) {
  const Ran behind = run_attempt(make_job("behind", clips_[0], "90f", ""));
  EXPECT_FALSE(behind.end.retriable);
  EXPECT_THAT(behind.end.status, StatusIs(StatusCode::kInvalidArgument,
                                          "(frame 90) behind the video's last frame (90 frames, 3.003 s)"));
  const auto violations = options::violations_of(behind.end.status);
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].field, "spec.video.from");
  EXPECT_THAT(run_attempt(make_job("late", clips_[1], "3.1", "")).end.status,
              StatusIs(StatusCode::kInvalidArgument, "(3.1 s) behind the video's last frame"));
  EXPECT_THAT(run_attempt(make_job("nothing", clips_[0], "1.01", "1.02")).end.status,
              StatusIs(StatusCode::kInvalidArgument, "No frame lies in the part (from 1.01 s to 1.02 s)"));
}

TEST_F(VideoPartJobTest, TheLogTellsWhereItBegins) {
  const Ran ran = run_attempt(make_job("told", clips_[1], "60f", "70f"));
  ASSERT_THAT(ran.end.status, IsOk());
  EXPECT_THAT(ran.log, Contains(HasSubstr("The part begins at the input's frame 60 (")));
  ASSERT_GE(ran.end.result.stages_size(), 1);
  EXPECT_EQ(ran.end.result.stages(0).units(), 10) << "frames that go into the filters";
}

}  // namespace
}  // namespace weft::worker
